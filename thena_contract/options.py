"""Options by their names: which there are, and which one a misspelt name means."""

from typing import Final

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, Given, Thing, Unknown
from thena_contract.spelling import nearest

_MAY_NAME_A_TYPE: Final = ("NoneType", "str")


def is_meant(given: Given | Unknown, decorator: str, option: str) -> bool:
    """Say whether the option may be there under another name, or without one, so that it isn't missing too."""
    if given is UNKNOWN:
        return False
    known = vocabulary.DECORATORS[decorator]
    return given.unnamed > 0 or any(name not in known and nearest(name, known) == option for name in given.names)


def is_no_output(thing: Thing) -> bool:
    """Say whether an answer can certainly not be data of this type. Text is none: an answer is that anyway."""
    is_text = (thing.kind, thing.name) == ("class", "str")
    return is_text or thing.kind == "function" or (thing.kind == "value" and thing.name not in _MAY_NAME_A_TYPE)

"""Options by their names: which there are, and which one a misspelt name means."""

import difflib
from collections.abc import Sequence
from typing import Final

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, Given, Thing, Unknown

_MAY_NAME_A_TYPE: Final = ("NoneType", "str")


def nearest(name: str, known: Sequence[str]) -> str | None:
    """The option that a name most likely means."""
    return next(iter(difflib.get_close_matches(name, known, n=1)), None)


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

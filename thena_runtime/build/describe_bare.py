"""Decorators of ours that declare nothing, as they are found in the place of a class or on a function."""

import inspect

from thena_contract.assembly import Assembly
from thena_contract.declarations import BareDecl
from thena_contract.judge import judge
from thena_runtime.build.identity import ref_of
from thena_runtime.decorators import Declaration, remembered_on


def describe_bare(value: object) -> tuple[BareDecl, object] | None:
    """Describe such a decorator, and give back what it stands above; `None` where there is none."""
    if isinstance(value, Declaration):
        # Without its call the decorator takes the class for an option, and stands in its place.
        above = next((one for one in value.args if isinstance(one, type) or inspect.isroutine(one)), None)
        return None if above is None else (_bare(above, value.decorator), above)
    remembered = remembered_on(value) if inspect.isroutine(value) else None
    return None if remembered is None else (_bare(value, remembered.decorator), value)


def refusal(declaration: Declaration) -> str:
    """Say what is wrong with a decorator that stands in the place of a class."""
    found = describe_bare(declaration)
    if found is None:
        return f"`@{declaration.decorator}(...)` stands where a class should. Put it above the class."
    return judge([Assembly(bare=(found[0],))])[0].fault.message


def _bare(above: object, decorator: str) -> BareDecl:
    return BareDecl(ref=ref_of(above), decorator=decorator, on="class" if isinstance(above, type) else "function")

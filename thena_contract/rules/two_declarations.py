"""THN114: a class that is declared more than once."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import UNKNOWN
from thena_contract.fault import Fault, Finding


@final
class TwoDeclarations(Fault):
    """A class has two of `@Agent`, `@Tool` and `@Workflow`, or one of them twice."""

    code: ClassVar[str] = "THN114"
    name: ClassVar[str] = "two-declarations"
    text: ClassVar[str] = "`{declared}` has {decorators}, but a class is declared only once."
    hint: ClassVar[str] = "Take all of them away but one."

    declared: str
    decorators: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every class with more than one decorator of ours."""
    for declared, _ in assembly.declared():
        if declared.decorators is not UNKNOWN and len(declared.decorators) > 1:
            fault = TwoDeclarations(declared=declared.ref.name, decorators=_listed(declared.decorators))
            yield Finding(fault, declared.anchor)


def _listed(decorators: tuple[str, ...]) -> str:
    names = [f"`@{one}`" for one in dict.fromkeys(decorators)]
    return " and ".join(names) if len(names) == len(decorators) else f"{' and '.join(names)} more than once"

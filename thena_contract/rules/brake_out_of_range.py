"""THN305: a brake of a loop that is no number of times."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly
from thena_contract.declarations import UNKNOWN, Thing, Unknown
from thena_contract.fault import Fault, Finding


@final
class BrakeOutOfRange(Fault):
    """`max_iterations`, `max_fails` or `max_repeats` is below 1, or no whole number."""

    code: ClassVar[str] = "THN305"
    name: ClassVar[str] = "brake-out-of-range"
    text: ClassVar[str] = "`{position}` of workflow `{workflow}` is {what}, and a loop counts from 1."
    hint: ClassVar[str] = "Give it a whole number from 1, or `None` for no limit."

    position: str
    workflow: str
    what: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every brake that certainly limits nothing, or all."""
    for loop in assembly.loops():
        if assembly.workflow is None or loop.given is UNKNOWN:
            continue
        for name in vocabulary.BRAKES:
            what = _what(loop.given.value(name))
            if what is not None:
                anchor = loop.anchor.at(name)
                fault = BrakeOutOfRange(position=anchor.label, workflow=assembly.workflow.ref.name, what=what)
                yield Finding(fault, anchor, assembly.declared_here())


def _what(value: Thing | Unknown | None) -> str | None:
    """What a brake is that can't be one; an object may be a number of its own kind."""
    match value:
        case Thing(kind="value", name="int", literal=int(number)):
            return None if number >= 1 else f"{number}"
        case Thing(kind="value", name="int" | "NoneType") | Thing(kind="instance"):
            return None
        case Thing():
            return value.text
    return None

"""THN116: an option that is given by its position."""

from collections.abc import Iterator
from typing import ClassVar, Final, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly, Giver
from thena_contract.fault import Fault, Finding


@final
class OptionWithoutName(Fault):
    """A decorator, `loop`, `parallel` or `ThenaConfig` is given a value without its name."""

    code: ClassVar[str] = "THN116"
    name: ClassVar[str] = "option-without-name"
    text: ClassVar[str] = "`{builder}` {where} is given {what} without a name."
    hint: ClassVar[str] = "Write {repair}."

    builder: str
    where: str
    what: str
    repair: str


_STEPS: Final = {vocabulary.LOOP: "`loop([A, B], until=...)`", vocabulary.PARALLEL: "`parallel([A, B])`"}


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report everything that takes its options by name only and is given one without."""
    for giver in assembly.givers():
        if giver.given.unnamed:
            yield _found(giver)


def _found(giver: Giver) -> Finding:
    if giver.builder in _STEPS:
        fault = OptionWithoutName(
            builder=giver.builder,
            where=giver.where,
            what="more than its list of steps",
            repair=f"all steps in one list, and each option by its name: {_STEPS[giver.builder]}",
        )
        return Finding(fault, giver.anchor)
    fault = OptionWithoutName(
        builder=giver.builder,
        where=giver.where,
        what="an option",
        repair=f"each option by its name: `{giver.accepts[0]}=...`",
    )
    return Finding(fault, giver.anchor.at(0))

"""THN110: an option that doesn't exist."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding
from thena_contract.spelling import nearest


@final
class UnknownOption(Fault):
    """A decorator, `loop`, `parallel` or `ThenaConfig` is given an option that it doesn't have."""

    code: ClassVar[str] = "THN110"
    name: ClassVar[str] = "unknown-option"
    text: ClassVar[str] = "`{option}` is no option of {builder}."
    hint: ClassVar[str] = "Use {known}."

    option: str
    builder: str
    known: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every option that nothing reads."""
    for giver in assembly.givers():
        for option in giver.given.names:
            if option not in giver.accepts:
                fault = UnknownOption(option=option, builder=giver.subject, known=_known(option, giver.accepts))
                yield Finding(fault, giver.anchor.at(option))


def _known(option: str, accepted: Sequence[str]) -> str:
    near = nearest(option, accepted)
    if near is not None:
        return f"`{near}` instead"
    return f"only `{accepted[0]}`" if len(accepted) == 1 else "one of " + ", ".join(f"`{one}`" for one in accepted)

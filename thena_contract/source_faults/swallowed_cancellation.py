"""THN808: a swallowed cancellation."""

from typing import ClassVar, final

from thena_contract.fault import Fault, Severity


@final
class SwallowedCancellation(Fault):
    """Code around an `await` catches the cancellation of its own run."""

    code: ClassVar[str] = "THN808"
    name: ClassVar[str] = "swallowed-cancellation"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = "`{subject}` catches {caught} around an `await`, so a run that is cancelled goes on."
    hint: ClassVar[str] = "Catch `Exception`, or raise again what was caught."

    subject: str
    caught: str

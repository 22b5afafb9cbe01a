"""THN801: a blocking call in async code."""

from typing import ClassVar, final

from thena_contract.fault import Fault, Severity


@final
class BlockingCall(Fault):
    """A call blocks the event loop, and with it every run of the process."""

    code: ClassVar[str] = "THN801"
    name: ClassVar[str] = "blocking-call"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = (
        "`{subject}` is async and calls `{call}`, which holds up every run of the process until it returns."
    )
    hint: ClassVar[str] = "Use {instead}."

    subject: str
    call: str
    instead: str

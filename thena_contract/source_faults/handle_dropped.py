"""THN809: a handle that nobody keeps."""

from typing import ClassVar, final

from thena_contract.fault import Fault, Severity


@final
class HandleDropped(Fault):
    """A run is started and its handle is dropped."""

    code: ClassVar[str] = "THN809"
    name: ClassVar[str] = "handle-dropped"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = "`{subject}` drops what `{call}` returns, so nobody learns how the run ends."
    hint: ClassVar[str] = "Await it, or keep the handle."

    subject: str
    call: str

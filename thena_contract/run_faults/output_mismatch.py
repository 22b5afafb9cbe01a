"""THN706: what should be data of a declared type isn't."""

from typing import ClassVar, final

from thena_contract.fault import ReasonedFault


@final
class OutputMismatch(ReasonedFault):
    """What should be data of a declared type isn't. `reason` says what came instead, and what to do."""

    code: ClassVar[str] = "THN706"
    name: ClassVar[str] = "output-mismatch"
    text: ClassVar[str] = "`{subject}` gives no `{wanted}`: {reason}"
    hint: ClassVar[str] = "Say in the prompt what each field of the type means, or return a value of it."

    subject: str
    wanted: str

"""THN903: a suppression of a code that doesn't exist."""

from typing import ClassVar, final

from thena_contract.fault import Fault, Severity


@final
class UnknownCode(Fault):
    """A comment silences a code that no fault has."""

    code: ClassVar[str] = "THN903"
    name: ClassVar[str] = "unknown-code"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = "`{given}` is no code of a fault, so it silences nothing."
    hint: ClassVar[str] = "Write {instead}."

    given: str
    instead: str

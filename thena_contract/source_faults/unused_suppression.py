"""THN902: a suppression that silences nothing."""

from typing import ClassVar, final

from thena_contract.fault import Fault, Severity


@final
class UnusedSuppression(Fault):
    """A comment silences a fault that isn't found there."""

    code: ClassVar[str] = "THN902"
    name: ClassVar[str] = "unused-suppression"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = "`{comment}` silences nothing {where}."
    hint: ClassVar[str] = "Delete it."

    comment: str
    where: str

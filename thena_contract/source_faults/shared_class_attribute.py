"""THN807: a class attribute that runs share."""

from typing import ClassVar, final

from thena_contract.fault import Fault, Severity


@final
class SharedClassAttribute(Fault):
    """An object in the class body of an agent or tool is changed, and every run shares it."""

    code: ClassVar[str] = "THN807"
    name: ClassVar[str] = "shared-class-attribute"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = "`{owner}.{attribute}` is one {kind} for all runs, and `{method}` changes it."
    hint: ClassVar[str] = "Make it in `__init__`, or keep it in the workflow's state."

    owner: str
    attribute: str
    kind: str
    method: str

"""THN308: `until` is always true."""

from typing import ClassVar, final

from thena_contract.fault import Fault, Severity


@final
class UntilAlwaysTrue(Fault):
    """A loop ends after its first iteration, whatever its steps did."""

    code: ClassVar[str] = "THN308"
    name: ClassVar[str] = "until-always-true"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = "`until` of a loop in `{workflow}` is always true, so the steps run once."
    hint: ClassVar[str] = "Return what tells that the work is done, or take the steps out of the loop."

    workflow: str

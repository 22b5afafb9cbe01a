"""THN307: `until` never becomes true."""

from typing import ClassVar, final

from thena_contract.fault import Fault, Severity


@final
class UntilNeverTrue(Fault):
    """A loop goes on until a brake stops it: nothing writes what `until` reads, or `until` returns nothing."""

    code: ClassVar[str] = "THN307"
    name: ClassVar[str] = "until-never-true"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = "`until` of a loop in `{workflow}` never becomes true: {reason}."
    hint: ClassVar[str] = "Let a hook or tool of the workflow write what `until` reads, and return it from `until`."

    workflow: str
    reason: str

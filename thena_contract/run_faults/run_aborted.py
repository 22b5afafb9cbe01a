"""THN705: a run is aborted."""

from typing import ClassVar, final

from thena_contract.fault import ReasonedFault


@final
class RunAborted(ReasonedFault):
    """Somebody aborts the run. `reason` is what was given for it."""

    code: ClassVar[str] = "THN705"
    name: ClassVar[str] = "run-aborted"
    text: ClassVar[str] = "`app.run(...)` is aborted: {reason}"
    hint: ClassVar[str] = "Give `abort` an exception of your own to tell one reason from another."

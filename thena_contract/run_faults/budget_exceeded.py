"""THN701: a budget is spent."""

from typing import ClassVar, final

from thena_contract.fault import Fault


@final
class BudgetExceeded(Fault):
    """A limit of a budget doesn't allow what comes next. `spent` says how much of it was used up."""

    code: ClassVar[str] = "THN701"
    name: ClassVar[str] = "budget-exceeded"
    text: ClassVar[str] = "`{limit}={allowed}` of the budget doesn't allow more ({spent})."
    hint: ClassVar[str] = "Raise the limit, or let the run end where it is with `mode='stop'`."

    limit: str
    allowed: str
    spent: str

"""THN707: a limit that can't be kept."""

from typing import ClassVar, final

from thena_contract.fault import Fault


@final
class BudgetNotKept(Fault):
    """A limit is set on what the provider doesn't tell, so that nothing could be held back."""

    code: ClassVar[str] = "THN707"
    name: ClassVar[str] = "budget-not-kept"
    text: ClassVar[str] = (
        "`{limit}={allowed}` of the budget can't be kept, because the provider doesn't say what a call takes."
    )
    hint: ClassVar[str] = "Use a provider that tells {wanted}, or limit the calls with `max_chat_calls`."

    limit: str
    allowed: str
    wanted: str

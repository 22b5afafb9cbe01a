"""What becomes of an exception in a tool: the model is told, unless it ends the run.

What stands around the tool, as a hook does, isn't covered.
"""

import asyncio
from typing import Final

from thena_runtime.budget.limits import BudgetExceededError
from thena_runtime.budget.meter import BudgetCut
from thena_runtime.errors import ContractError, FatalToolError, RunStoppedError
from thena_runtime.messages import ToolOutput
from thena_runtime.run_context import current_context, facts_of

ENDS_THE_RUN: Final = (FatalToolError, BudgetExceededError, ContractError)
"""What is raised in a tool and neither told to a model nor given to `on_error`."""


def observed(error: BaseException) -> ToolOutput | None:
    """Turn what a tool raised into an observation; `None` for what is to be raised again."""
    if isinstance(error, BaseExceptionGroup):
        raise_what_ends_the_run(error)
    if isinstance(error, RunStoppedError | BaseExceptionGroup):
        # A nested run in a task of its own can't end the run around it where a budget of that one is spent.
        facts_of(current_context()).scope.meter.check()
    match error:
        case asyncio.CancelledError() if not _is_being_cancelled():
            # Nobody cancelled the run: the tool awaited something that was cancelled, which is its own failure.
            return ToolOutput("the tool was cancelled", is_error=True)
        case Exception() if not isinstance(error, ENDS_THE_RUN):
            return ToolOutput(str(error) or type(error).__name__, is_error=True)
    return None


def raise_what_ends_the_run(group: BaseExceptionGroup) -> None:
    """Raise what a task group of the user's hides, where it ends the run: the first of it alone."""
    ends = group.subgroup((BudgetCut, *ENDS_THE_RUN))
    while ends is not None:
        first = ends.exceptions[0]
        if not isinstance(first, BaseExceptionGroup):
            raise first from None
        ends = first


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0

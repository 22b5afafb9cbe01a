"""What becomes of an exception in a tool: the model is told, unless it ends the run.

What stands around the tool, as a hook does, isn't covered.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from thena_runtime.budget.limits import BudgetExceededError
from thena_runtime.errors import ContractError, FatalToolError
from thena_runtime.messages import ToolOutput

ENDS_THE_RUN: Final = (FatalToolError, BudgetExceededError, ContractError)
"""What is raised in a tool and neither told to a model nor given to `on_error`."""


async def observed(execute: Callable[[], Awaitable[ToolOutput]]) -> ToolOutput:
    """Run a tool and turn its failure into an observation."""
    try:
        return await execute()
    except ENDS_THE_RUN:
        raise
    except asyncio.CancelledError:
        if _is_being_cancelled():
            raise
        # Nobody cancelled the run: the tool awaited something that was cancelled, which is its own failure.
        return ToolOutput("the tool was cancelled", is_error=True)
    except Exception as error:
        return ToolOutput(str(error) or type(error).__name__, is_error=True)


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0

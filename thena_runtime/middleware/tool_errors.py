"""What becomes of an exception in a tool: the model is told, unless it ends the run.

What stands around the tool, as a hook does, isn't covered.
"""

import asyncio

from thena_runtime.endings import ENDS_THE_RUN, raise_what_ends_the_run
from thena_runtime.messages import ToolOutput
from thena_runtime.run_context import current_context, facts_of


def observed(error: BaseException) -> ToolOutput | None:
    """Turn what a tool raised into an observation; `None` for what is to be raised again."""
    raise_what_ends_the_run(error, facts_of(current_context()))
    match error:
        case asyncio.CancelledError() if not _is_being_cancelled():
            # Nobody cancelled the run: the tool awaited something that was cancelled, which is its own failure.
            return ToolOutput("the tool was cancelled", is_error=True)
        case Exception() if not isinstance(error, ENDS_THE_RUN):
            return ToolOutput(str(error) or type(error).__name__, is_error=True)
    return None


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0

"""What ends a run, on its way through users' code: what passes it by, what it may see, and what that stands for.

A spent budget unwinds a run as `BudgetCut`, which no `except Exception` stops. It belongs to the tasks that the run
waits for. In a task of the user's own, which anybody may await, inside the run or outside, it is a `RunStoppedError`,
and is a cut again where it comes back into the run.
"""

import inspect
from collections.abc import Callable
from typing import Any, Final

from thena_runtime.budget.limits import BudgetExceededError
from thena_runtime.budget.meter import BudgetCut
from thena_runtime.errors import ContractError, FatalToolError, RunStoppedError
from thena_runtime.run_context import Facts

ENDS_THE_RUN: Final = (FatalToolError, BudgetExceededError, ContractError)
"""What is raised in a run and neither told to a model nor given to `on_error`."""


def as_seen_here(cut: BudgetCut, facts: Facts, wanted: str) -> BaseException:
    """What a cut is where it leaves the runtime: itself in a task of the run, and an error with a name elsewhere."""
    if facts.scope.cancellation.is_current:
        return cut
    return RunStoppedError(facts.workflow, "budget", wanted)


async def call_out(function: Callable[..., object], arguments: tuple[Any, ...], facts: Facts) -> Any:
    """Call a function of the user's, async or not, and return what it gives; what ends the run is raised as such."""
    try:
        answer = function(*arguments)
        return await answer if inspect.isawaitable(answer) else answer
    except (RunStoppedError, BaseExceptionGroup) as error:
        raise_what_ends_the_run(error, facts)
        raise


def raise_what_ends_the_run(error: BaseException, facts: Facts) -> None:
    """Raise what users' code raised, where that ends the run: out of a task group the first of it, alone."""
    if isinstance(error, BaseExceptionGroup):
        ends = _first(error, (BudgetCut, *ENDS_THE_RUN))
        if ends is not None:
            raise ends from None
        error = _first(error, RunStoppedError) or error
    if isinstance(error, RunStoppedError):
        # What ended a task of the user's ends the run around it too, where it is a budget of this run that is spent.
        facts.scope.meter.check()


def _first(
    group: BaseExceptionGroup, kinds: type[BaseException] | tuple[type[BaseException], ...]
) -> BaseException | None:
    """The first of these kinds that a group holds, at whatever depth."""
    found = group.subgroup(kinds)
    while found is not None:
        first = found.exceptions[0]
        if not isinstance(first, BaseExceptionGroup):
            return first
        found = first
    return None

"""A run inside a run, started by a tool. A workflow among the steps is `thena_runtime.run.walk`'s.

It never outlives the run that starts it. One that a tool awaits can't; one that goes on in a task which nobody awaits
is cancelled, and waited for, when that run ends.
"""

import asyncio
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager

from thena_runtime.budget.limits import Budget
from thena_runtime.budget.meter import BudgetCut
from thena_runtime.build.plan import Plan
from thena_runtime.conversation import Conversation
from thena_runtime.errors import ContractError, FatalToolError, RunStoppedError
from thena_runtime.messages import Message
from thena_runtime.run.equipment import Equipment
from thena_runtime.run.walk import run_plan, what_stopped
from thena_runtime.run_context import current_context, facts_of
from thena_runtime.scope import Cancellation, CleanUps, RunScope, Seed, StartNested, cancel


def starter(equipment: Equipment) -> StartNested:
    """Make what starts workflows inside the runs that have this equipment."""

    async def start(workflow: type, prompt: str, state: Seed | None, budget: Budget | None) -> object:
        around = facts_of(current_context())
        plan = _plan(equipment, workflow)
        conversation = _conversation(plan, prompt, state, budget)
        scope = around.scope.nested(budget)
        if scope.cancellation.is_current:
            return await _run(plan, scope, conversation, equipment)
        with _inside(around.clean_ups, scope, plan):
            return await _run(plan, scope, conversation, equipment)

    return start


async def _run(plan: Plan, scope: RunScope, conversation: Conversation, equipment: Equipment) -> object:
    facts = facts_of(await run_plan(plan, scope, conversation, equipment))
    stopped_by = what_stopped(facts)
    if stopped_by == "budget" and scope.meter.parent is not None:
        # One of a run above ends that run too: the tool that started this one goes no further.
        scope.meter.parent.check()
    if facts.output is None and stopped_by is not None:
        # Nothing and an empty answer are two things, and a model couldn't tell them apart.
        raise RunStoppedError(plan.name, stopped_by)
    return facts.output


@contextmanager
def _inside(clean_ups: CleanUps, scope: RunScope, plan: Plan) -> Iterator[None]:
    """Tie a nested run in a task of the user's own to the run around it, which ends it when it is over itself."""
    if clean_ups.is_over:
        raise RuntimeError(
            f"[thena] the nested run of `{plan.name}` was started after the end of the run that starts it. "
            "Await it in the tool that starts it, and await the task if it has one of its own."
        )
    task = asyncio.current_task()
    assert task is not None
    over: Future[None] = Future()
    over.set_running_or_notify_cancel()
    cancellation = scope.cancellation

    def end() -> asyncio.Future[None]:
        # An abort has interrupted it already, and a second cancellation would cut off its clean-up.
        if not scope.is_left and not cancellation.is_requested:
            scope.is_left = True
            # Where the cancellation is swallowed, the next step sees that there is to be none.
            scope.cancellation = Cancellation()
            scope.cancellation.abort(RunStoppedError(plan.name, "parent"))
            cancel(task, asyncio.get_running_loop())
        return asyncio.wrap_future(over)

    clean_ups.hold(end)
    try:
        with cancellation:
            yield
    except BudgetCut:
        # Whoever awaits the task may be outside of the run.
        raise RunStoppedError(plan.name, "budget") from None
    finally:
        clean_ups.release(end)
        over.set_result(None)


def _plan(equipment: Equipment, workflow: object) -> Plan:
    try:
        return equipment.workflows.plan(workflow)
    except ContractError:
        raise
    except (TypeError, ValueError) as error:
        raise FatalToolError(f"a workflow that a tool started can't be run: {error}") from error


def _conversation(plan: Plan, prompt: object, state: Seed | None, budget: object) -> Conversation:
    """Begin the nested run's conversation. What can't be right ends the run, for the tool's author is to see it."""
    subject = f"the nested run of `{plan.name}` got"
    if not isinstance(prompt, str):
        raise FatalToolError(f"{subject} a prompt of type `{type(prompt).__name__}`. Give it a string.")
    if budget is not None and not isinstance(budget, Budget):
        raise FatalToolError(f"{subject} a budget of type `{type(budget).__name__}`. Give it a `Budget(...)`.")
    try:
        conversation = Conversation.seeded(state or {})
    except (TypeError, ValueError) as error:
        raise FatalToolError(f"{subject} a `state` that can't be used: {error}") from error
    conversation.append("history", Message("user", prompt))
    return conversation

"""A run inside a run, started by a tool. A workflow among the steps is `thena_runtime.run.walk`'s."""

from thena_runtime.budget.limits import Budget
from thena_runtime.build.plan import Plan
from thena_runtime.conversation import Conversation
from thena_runtime.errors import ContractError, FatalToolError, RunStoppedError
from thena_runtime.messages import Message
from thena_runtime.run.equipment import Equipment
from thena_runtime.run.walk import run_plan, what_stopped
from thena_runtime.run_context import current_context, facts_of
from thena_runtime.scope import Seed, StartNested


def starter(equipment: Equipment) -> StartNested:
    """Make what starts workflows inside the runs that have this equipment."""

    async def start(workflow: type, prompt: str, state: Seed | None, budget: Budget | None) -> object:
        scope = facts_of(current_context()).scope
        plan = _plan(equipment, workflow)
        conversation = _conversation(plan, prompt, state, budget)
        facts = facts_of(await run_plan(plan, scope.nested(budget), conversation, equipment))
        stopped_by = what_stopped(facts)
        if stopped_by == "budget":
            # One of a run above ends that run too: the tool that started this one goes no further.
            scope.meter.check()
        if facts.output is None and stopped_by is not None:
            # Nothing and an empty answer are two things, and a model couldn't tell them apart.
            raise RunStoppedError(plan.name, stopped_by)
        return facts.output

    return start


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

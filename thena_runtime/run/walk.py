"""Walk a plan: steps in order, loops with their brakes, branches at the same time, workflows inside workflows."""

import asyncio
import inspect
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, assert_never

from thena_runtime.build.plan import AgentNode, LoopNode, ParallelNode, Plan, StepNode
from thena_runtime.conversation import Conversation
from thena_runtime.messages import Message
from thena_runtime.run.equipment import Equipment
from thena_runtime.run.live import Cast, make_agents
from thena_runtime.run.turn import take_turn
from thena_runtime.run_context import Context, Facts, ToolRecord, entered, facts_of, fields_of
from thena_runtime.scope import CleanUps, RunScope
from thena_runtime.steps import LoopFailure, LoopInfo, StoppedBy, Turn
from thena_runtime.workflow_state import build_state


async def run_plan(plan: Plan, scope: RunScope, conversation: Conversation, equipment: Equipment) -> Context:
    """Run a workflow to its end, clean-ups included, and return its context."""
    clean_ups = CleanUps()
    async with AsyncExitStack() as stack:
        node = stack.enter_context(scope.recorder.node("workflow", plan.name))
        scope.cancellation.check()
        facts = Facts(
            scope=scope,
            clean_ups=clean_ups,
            conversation=conversation,
            workflow_state=None if plan.state is None else build_state(plan.state),
            calls=[],
        )
        ctx: Context = Context(facts)
        stack.enter_context(entered(ctx))
        stack.push_async_callback(clean_ups.run)
        await _walk_all(plan.steps, await make_agents(plan, equipment, ctx), ctx)
        scope.cancellation.check()
        if scope.stopping.is_set():
            node.data["stopped_by"] = "stop"
    return ctx


async def _walk_all(steps: Sequence[StepNode], cast: Cast, ctx: Context) -> None:
    for step in steps:
        await _walk(step, cast, ctx)


async def _walk(step: StepNode, cast: Cast, ctx: Context) -> None:
    match step:
        case AgentNode():
            await take_turn(cast.agents[id(step)], ctx)
        case LoopNode():
            await _loop(step, cast, ctx)
        case ParallelNode():
            await _parallel(step, cast, ctx)
        case Plan():
            await _nested(step, cast.equipment, ctx)
        case _:
            assert_never(step)


# -- loops


@dataclass(slots=True)
class _Tally:
    """What a loop's brakes count. Owned by one execution of the loop."""

    iterations: int = 0
    consecutive: int = 0
    fails: int = 0


async def _loop(loop: LoopNode, cast: Cast, ctx: Context) -> None:
    facts = facts_of(ctx)
    outer = facts.calls
    seen: list[ToolRecord] = []
    tally = _Tally()
    with facts.scope.recorder.node("loop", "loop") as node:
        try:
            stopped_by = None
            while stopped_by is None:
                tally.iterations += 1
                facts.calls = []
                await _walk_all(loop.steps, cast, ctx)
                calls, facts.calls = facts.calls, []
                seen = [*seen, *calls][-2 * loop.max_repeats :] if loop.max_repeats else []
                stopped_by = await _stop_reason(loop, tally, calls, seen, ctx)
            facts.loop = LoopInfo(
                iterations=tally.iterations,
                exhausted=stopped_by == "exhausted",
                stopped_by=stopped_by,
                max_iterations=loop.max_iterations,
            )
            node.data["stopped_by"] = stopped_by
            if stopped_by == "exhausted" and loop.on_exhausted is not None:
                await _called(loop.on_exhausted, (ctx, tally.iterations)[: loop.on_exhausted_arity])
        finally:
            # An outer loop doesn't count again what this one has counted.
            facts.calls = outer
            node.data["iterations"] = tally.iterations
            if tally.fails:
                node.data["fails"] = tally.fails


async def _stop_reason(
    loop: LoopNode, tally: _Tally, calls: list[ToolRecord], seen: list[ToolRecord], ctx: Context
) -> StoppedBy | None:
    facts = facts_of(ctx)
    await _count_failures(loop, tally, calls, ctx)
    facts.scope.cancellation.check()
    if facts.scope.stopping.is_set():
        return "stop"
    if loop.max_fails is not None and tally.consecutive >= loop.max_fails:
        return "fails"
    if loop.max_repeats is not None and _repeats(seen, loop.max_repeats):
        return "repeats"
    if await _called(loop.until, (ctx, facts.workflow_state)[: loop.until_arity]):
        return "until"
    if loop.max_iterations is not None and tally.iterations >= loop.max_iterations:
        return "exhausted"
    return None


async def _count_failures(loop: LoopNode, tally: _Tally, calls: list[ToolRecord], ctx: Context) -> None:
    failures = [call for call in calls if call.is_error]
    if calls and not failures:
        tally.consecutive = 0
    for call in failures:
        tally.consecutive += 1
        tally.fails += 1
        if loop.on_fail is not None:
            failure = LoopFailure(
                consecutive=tally.consecutive, total=tally.fails, tool_name=call.name, message=call.output
            )
            await _called(loop.on_fail, (ctx, failure)[: loop.on_fail_arity])


def _repeats(seen: Sequence[ToolRecord], limit: int) -> bool:
    """Say whether the last calls are one call, or two in turns, again and again with the same results."""
    for period in (1, 2):
        last = seen[-period * limit :]
        if len(last) == period * limit and all(call == last[index % period] for index, call in enumerate(last)):
            return True
    return False


async def _called(function: Callable[..., object], arguments: tuple[Any, ...]) -> object:
    result = function(*arguments)
    return await result if inspect.isawaitable(result) else result


# -- branches


async def _parallel(block: ParallelNode, cast: Cast, ctx: Context) -> None:
    """Run the branches on copies and merge them in their order; nothing is merged if one fails."""
    facts = facts_of(ctx)
    length = len(ctx.state.history)
    with facts.scope.recorder.node("parallel", "parallel"):
        branches = [_branch(ctx) for _ in block.steps]
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(_walk_branch(step, cast, branch))
                    for step, branch in zip(block.steps, branches, strict=True)
                ]
        except BaseExceptionGroup as failures:
            # The first one is the cause; the others are what their cancellation set off.
            raise failures.exceptions[0] from None
        if any(task.cancelled() for task in tasks):
            raise asyncio.CancelledError  # a group takes a branch that cancelled itself for one that is done
        before = _Merged.of(ctx)
        for branch in branches:
            _merge(branch, before, length, ctx)


async def _walk_branch(step: StepNode, cast: Cast, branch: Context) -> None:
    with entered(branch):
        await _walk(step, cast, branch)


def _branch(ctx: Context) -> Context:
    facts = facts_of(ctx)
    branch: Context = Context(
        Facts(
            scope=facts.scope,
            clean_ups=facts.clean_ups,
            conversation=facts.conversation.branch(),
            workflow_state=facts.workflow_state,
            turn=facts.turn,
            output=facts.output,
            loop=facts.loop,
            calls=[],
        )
    )
    fields_of(branch).update(fields_of(ctx))
    return branch


@dataclass(frozen=True, slots=True)
class _Merged:
    """What a context held when its branches began: a branch's change is what differs from this."""

    turn: Turn | None
    output: str | None
    loop: LoopInfo | None
    fields: dict[str, object]

    @classmethod
    def of(cls, ctx: Context) -> "_Merged":
        facts = facts_of(ctx)
        return cls(facts.turn, facts.output, facts.loop, dict(fields_of(ctx)))


def _merge(branch: Context, before: _Merged, length: int, ctx: Context) -> None:
    facts, theirs = facts_of(ctx), facts_of(branch)
    for message in branch.state.history[length:]:
        ctx.state.append("history", message)
    facts.calls.extend(theirs.calls)
    if theirs.turn is not before.turn:
        facts.turn = theirs.turn
    if theirs.output is not before.output:
        facts.output = theirs.output
    if theirs.loop is not before.loop:
        facts.loop = theirs.loop
    for name, value in fields_of(branch).items():
        if name not in before.fields or before.fields[name] is not value:
            fields_of(ctx)[name] = value


# -- nested runs


async def _nested(plan: Plan, equipment: Equipment, ctx: Context) -> None:
    """Run a workflow as a step: a conversation and a state of its own, begun with the last message of this one."""
    facts = facts_of(ctx)
    history = ctx.state.history
    conversation = Conversation()
    conversation.append("history", Message("user", history[-1].content if history else ""))
    inner = facts_of(await run_plan(plan, facts.scope, conversation, equipment))
    if inner.output is None:
        return
    ctx.state.append("history", Message("assistant", inner.output))
    facts.output = inner.output
    facts.turn = Turn(called_tool=False, response=inner.output)

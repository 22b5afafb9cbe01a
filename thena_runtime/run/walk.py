"""Walk a plan: steps in order, loops with their brakes, branches at the same time, workflows inside workflows."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import assert_never

from thena_runtime.budget.limits import BudgetExceededError
from thena_runtime.budget.meter import BudgetCut
from thena_runtime.build.plan import AgentNode, LoopNode, ParallelNode, Plan, StepNode
from thena_runtime.build.schema import text_of_output
from thena_runtime.conversation import Conversation
from thena_runtime.endings import call_out
from thena_runtime.messages import Message
from thena_runtime.observability.recorder import Node
from thena_runtime.run.equipment import Equipment
from thena_runtime.run.live import Cast, make_agents
from thena_runtime.run.turn import take_turn
from thena_runtime.run.waits import waiting_for_parts
from thena_runtime.run_context import Context, Facts, ToolRecord, enter, facts_of, fields_of
from thena_runtime.scope import CleanUps, RunScope
from thena_runtime.steps import LoopFailure, LoopInfo, StoppedBy, Turn
from thena_runtime.workflow_state import build_state


async def run_plan(plan: Plan, scope: RunScope, conversation: Conversation, equipment: Equipment) -> Context:
    """Run a workflow to its end, clean-ups included, and return its context."""
    with scope.recorder.node("workflow", plan.name) as node:
        scope.cancellation.check()
        facts = Facts(
            scope=scope,
            workflow=plan.name,
            clean_ups=CleanUps(),
            conversation=conversation,
            workflow_state=None if plan.state is None else build_state(plan.state),
            calls=[],
        )
        ctx: Context = Context(facts)
        outer = enter(ctx)
        try:
            try:
                async with scope.meter.deadline():
                    await _walk_all(plan.steps, await make_agents(plan, equipment, ctx), ctx)
                    scope.cancellation.check()
            except BudgetCut:
                facts.cut = "budget"
            # What went beyond a limit without being held back is told of here, where nothing was left to refuse.
            scope.meter.check_raising()
            if facts.cut == "budget":
                withhold_raw_output(facts)
        finally:
            try:
                await facts.clean_ups.run()
            finally:
                _tell(node, facts)
                enter(outer)
    return ctx


def what_stopped(facts: Facts) -> StoppedBy | None:
    """Say what keeps a run's output from being the answer that its steps come to, if anything does."""
    return "stop" if facts.scope.cancellation.is_stopping else facts.cut


def _tell(node: Node, facts: Facts) -> None:
    scope = facts.scope
    if not scope.recorder.is_heard:
        return
    meter = scope.meter
    node.data.update(chat_calls=meter.chat_calls, tool_calls=meter.tool_calls, tokens=meter.tokens)
    if meter.cost_usd:
        node.data["cost_usd"] = meter.cost_usd
    if meter.breach is not None:
        node.data["exceeded"] = meter.breach.limit
    reason = "parent" if scope.is_left else what_stopped(facts)
    if reason is not None:
        node.data["stopped_by"] = reason


def withhold_raw_output(facts: Facts) -> None:
    """Put the model's own last words in the place of a tool's result that no model has read."""
    if facts.is_raw:
        facts.output = facts.said
        facts.is_raw = False


async def _walk_all(steps: Sequence[StepNode], cast: Cast, ctx: Context) -> None:
    for step in steps:
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
    same: int = 0
    """How many iterations in a row called the same as the one before."""
    alternating: int = 0
    """How many iterations in a row called the same as the one before the one before."""
    last: tuple[ToolRecord, ...] = ()
    last_but_one: tuple[ToolRecord, ...] = ()

    def see(self, calls: Sequence[ToolRecord]) -> None:
        """Count an iteration's calls, but those of tools that may give the same again and again."""
        counted = tuple([call for call in calls if not call.is_repeatable])
        if counted:
            self.same = self.same + 1 if counted == self.last else 0
            self.alternating = self.alternating + 1 if counted == self.last_but_one else 0
            self.last_but_one, self.last = self.last, counted

    def repeats(self, limit: int) -> bool:
        """Say whether the last iterations called the same, or two things in turns, again and again for nothing new."""
        return bool(self.last) and (self.same >= limit - 1 or self.alternating >= 2 * limit - 2)


async def _loop(loop: LoopNode, cast: Cast, ctx: Context) -> None:
    facts = facts_of(ctx)
    outer = facts.calls
    tally = _Tally()
    with facts.scope.recorder.node("loop", "loop") as node:
        try:
            reason: StoppedBy | None = None
            while reason is None:
                tally.iterations += 1
                facts.calls = []
                await _walk_all(loop.steps, cast, ctx)
                calls, facts.calls = facts.calls, []
                tally.see(calls)
                reason = await _stop_reason(loop, tally, calls, ctx)
            _end_loop(loop, tally, reason, node, facts)
            if reason == "exhausted" and loop.on_exhausted is not None:
                await call_out(loop.on_exhausted, (ctx, tally.iterations)[: loop.on_exhausted_arity], facts)
        except (asyncio.CancelledError, BudgetCut, BudgetExceededError):
            # A loop that its budget interrupts says so, like one that its budget ends.
            if facts.scope.meter.is_breached:
                _end_loop(loop, tally, "budget", node, facts)
            raise
        finally:
            # An outer loop doesn't count again what this one has counted.
            facts.calls = outer
            node.data["iterations"] = tally.iterations
            if tally.fails:
                node.data["fails"] = tally.fails


def _end_loop(loop: LoopNode, tally: _Tally, reason: StoppedBy, node: Node, facts: Facts) -> None:
    """Write down how a loop ended: what it made is its output only where `until` or `ctx.stop()` ended it."""
    facts.loop = LoopInfo(
        iterations=tally.iterations,
        exhausted=reason == "exhausted",
        stopped_by=reason,
        max_iterations=loop.max_iterations,
    )
    node.data["stopped_by"] = reason
    if reason in ("until", "stop"):
        facts.cut = None
    else:
        facts.cut = reason
        withhold_raw_output(facts)


async def _stop_reason(loop: LoopNode, tally: _Tally, calls: list[ToolRecord], ctx: Context) -> StoppedBy | None:
    facts = facts_of(ctx)
    meter = facts.scope.meter
    if calls:
        await _count_failures(loop, tally, calls, ctx)
    facts.scope.cancellation.check()
    if facts.scope.cancellation.is_stopping:
        return "stop"
    if meter.is_limited and _refuses(meter.check):
        return "budget"
    if loop.max_fails is not None and tally.consecutive >= loop.max_fails:
        return "fails"
    if loop.max_repeats is not None and tally.repeats(loop.max_repeats):
        return "repeats"
    if await call_out(loop.until, (ctx, facts.workflow_state)[: loop.until_arity], facts):
        return "until"
    if loop.max_iterations is not None and tally.iterations >= loop.max_iterations:
        return "exhausted"
    # A loop that came to its end with the last call it had isn't stopped by its budget; one that would go on is.
    return "budget" if meter.is_limited and _refuses(meter.checkpoint) else None


def _refuses(check: Callable[[], None]) -> bool:
    try:
        check()
    except BudgetCut:
        return True
    return False


async def _count_failures(loop: LoopNode, tally: _Tally, calls: list[ToolRecord], ctx: Context) -> None:
    failures = [call for call in calls if call.is_error]
    if not failures:
        tally.consecutive = 0
    for call in failures:
        tally.consecutive += 1
        tally.fails += 1
        if loop.on_fail is not None:
            failure = LoopFailure(
                consecutive=tally.consecutive, total=tally.fails, tool_name=call.name, message=call.output
            )
            await call_out(loop.on_fail, (ctx, failure)[: loop.on_fail_arity], facts_of(ctx))


# -- branches


async def _parallel(block: ParallelNode, cast: Cast, ctx: Context) -> None:
    """Run the branches on copies and merge them in their order; nothing is merged if one fails."""
    facts = facts_of(ctx)
    length = len(ctx.state.history)
    with facts.scope.recorder.node("parallel", "parallel"):
        branches = [_branch(ctx) for _ in block.steps]
        try:
            with waiting_for_parts() as tasks:
                async with asyncio.TaskGroup() as group:
                    for step, branch in zip(block.steps, branches, strict=True):
                        tasks.append(group.create_task(_walk_branch(step, cast, branch)))
        except BaseExceptionGroup as failures:
            # The first one is the cause; the others are what their cancellation set off.
            raise failures.exceptions[0] from None
        except asyncio.CancelledError:
            # Nothing failed here: the whole run is being ended, and keeps what its branches have finished.
            _merge_all(branches, length, ctx)
            raise
        if any(task.cancelled() for task in tasks):
            raise asyncio.CancelledError  # a group takes a branch that somebody cancelled for one that is done
        _merge_all(branches, length, ctx)


def _merge_all(branches: Sequence[Context], length: int, ctx: Context) -> None:
    before = _Merged.of(ctx)
    for branch in branches:
        _merge(branch, before, length, ctx)
    # Whatever the others came to, the block isn't what it was to be.
    if any(facts_of(branch).cut == "budget" for branch in branches):
        facts_of(ctx).cut = "budget"


async def _walk_branch(step: StepNode, cast: Cast, branch: Context) -> None:
    # In a task of its own, so that nobody else sees what is entered.
    enter(branch)
    with facts_of(branch).scope.cancellation:
        await _walk_all((step,), cast, branch)


def _branch(ctx: Context) -> Context:
    facts = facts_of(ctx)
    branch: Context = Context(
        Facts(
            scope=facts.scope,
            workflow=facts.workflow,
            clean_ups=facts.clean_ups,
            conversation=facts.conversation.branch(),
            workflow_state=facts.workflow_state,
            turn=facts.turn,
            output=facts.output,
            loop=facts.loop,
            calls=[],
            said=facts.said,
            is_raw=facts.is_raw,
            cut=facts.cut,
        )
    )
    fields_of(branch).update(fields_of(ctx))
    return branch


@dataclass(frozen=True, slots=True)
class _Merged:
    """What a context held when its branches began: a branch's change is what differs from this."""

    turn: Turn | None
    output: object
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
        facts.output, facts.is_raw, facts.said, facts.cut = theirs.output, theirs.is_raw, theirs.said, theirs.cut
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
    inner = facts_of(await run_plan(plan, facts.scope.nested(), conversation, equipment))
    facts.cut = what_stopped(inner)
    if inner.output is None:
        return
    text = inner.turn.response if inner.turn is not None else text_of_output(inner.output)
    ctx.state.append("history", Message("assistant", text))
    facts.output, facts.is_raw, facts.said = inner.output, inner.is_raw, inner.said or facts.said
    facts.turn = Turn(called_tool=False, response=text)

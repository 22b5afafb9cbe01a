"""Branches: what each sees, and how their work comes together."""

import asyncio
from collections.abc import Sequence

import pytest

from thena_runtime import (
    Agent,
    Context,
    Event,
    Message,
    Prompt,
    ScriptedProvider,
    State,
    Thena,
    Tool,
    Workflow,
    current_context,
    loop,
    parallel,
    tool_call,
    until_answered,
)
from thena_runtime.testing import record


class Shared:
    """A state."""

    seen: list[str] = []


def branch(name: str, answer: object, delay: float = 0.0) -> type:
    """An agent that answers after a while and leaves its traces everywhere."""

    @Agent(provider=ScriptedProvider([answer], delay=delay), prompt=Prompt(name))  # type: ignore[list-item]
    class Branch:
        def __init__(self, s: State[Shared]) -> None:
            self.s = s

        def after_response(self, response: str, ctx: Context) -> None:
            self.s.seen.append(response)
            ctx.last = name
            setattr(ctx, name, current_context() is ctx)
            ctx.state.append("memory", response)

    return Branch


@pytest.mark.behaviour("T296", "T297", "W2")
async def test_branches_are_merged_in_their_order_and_not_in_that_of_their_ends() -> None:
    """History, fields, turn and output come together as declared; memory and the state are shared all along."""
    after: list[object] = []
    provider = ScriptedProvider(["end"])

    @Agent(provider=provider, prompt=Prompt("p"))
    class Last:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            turn = ctx.turn
            assert turn is not None
            after.extend([ctx.output, turn.response, ctx.last, ctx.slow, ctx.fast])

    @Workflow(steps=[parallel([branch("slow", "one", 0.05), branch("fast", "two")]), Last], state=Shared)
    class Flow:
        pass

    run = await record(Flow, "go")

    assert ["two", "two", "fast", True, True] == after
    assert (
        Message("user", "go"),
        Message("assistant", "one"),
        Message("assistant", "two"),
        Message("assistant", "end"),
    ) == run.conversation.history
    assert ("two", "one") == run.conversation.memory


@pytest.mark.behaviour("W2")
async def test_a_branch_sees_the_history_as_it_was_at_the_beginning() -> None:
    """What a sibling said meanwhile isn't in it."""
    slow = ScriptedProvider(["second"])
    answered = asyncio.Event()

    @Agent(provider=ScriptedProvider(["first"]), prompt=Prompt("p"))
    class Fast:
        def after_response(self, response: str) -> None:
            answered.set()

    @Agent(provider=slow, prompt=Prompt("p"))
    class Slow:
        async def before_prompt(self, prompt: str) -> None:
            await answered.wait()
            await asyncio.sleep(0.02)

    @Workflow(steps=[parallel([Fast, Slow])])
    class Flow:
        pass

    await record(Flow, "go")

    assert (Message("system", "p"), Message("user", "go")) == slow.calls[0].messages


@pytest.mark.behaviour("T299", "W2")
async def test_a_failing_branch_cancels_its_siblings_and_merges_nothing() -> None:
    """The first failure is raised as it is, after the siblings have ended."""
    ended: list[str] = []

    @Agent(provider=ScriptedProvider(["never"], delay=60), prompt=Prompt("p"))
    class Waiting:
        def on_error(self, error: Exception) -> str:
            return "swallowed"

        async def before_prompt(self, prompt: str, ctx: Context) -> None:
            try:
                await asyncio.sleep(60)
            finally:
                ended.append("sibling")

    failing = branch("failing", ConnectionError("gone"), 0.01)

    @Workflow(steps=[parallel([branch("quick", "done"), Waiting, failing])], state=Shared)
    class Flow:
        pass

    async with Thena(Flow) as app:
        handle = app.run("go")
        with pytest.raises(ConnectionError, match="gone"):
            async with asyncio.timeout(10):
                await handle
        statuses = {event.name: event.status async for event in handle.event_stream() if event.phase == "end"}

    assert ["sibling"] == ended
    assert {
        "Branch": "error",
        "Waiting": "cancelled",
        "chat": "error",
        "parallel": "error",
        "Flow": "error",
    } == statuses


def as_written(events: Sequence[Event], parent: str | None = None, depth: int = 0) -> str:
    """The tree with each node's children under it, whatever the order in which branches took their turns."""
    ends = {event.id: event.status for event in events if event.phase == "end"}
    lines = []
    for event in events:
        if event.phase == "start" and event.parent_id == parent:
            lines.append(f"{'  ' * depth}{event.kind} {event.name} {ends[event.id]}")
            below = as_written(events, event.id, depth + 1)
            lines.extend([below] if below else [])
    return "\n".join(lines)


async def test_a_branch_that_shortened_its_history_adds_nothing() -> None:
    """Promotion inside a branch works: the message is gone, the memory stays."""

    @Agent(provider=ScriptedProvider(["a plan"]), prompt=Prompt("p"))
    class Planner:
        def after_response(self, response: str, ctx: Context) -> None:
            ctx.state.set("history", ctx.state.history[:-1])
            ctx.state.append("memory", response)

    @Agent(provider=ScriptedProvider(["said"]), prompt=Prompt("p"))
    class Speaker:
        pass

    @Workflow(steps=[parallel([Planner, Speaker])])
    class Flow:
        pass

    run = await record(Flow, "go")

    assert (Message("user", "go"), Message("assistant", "said")) == run.conversation.history
    assert ("a plan",) == run.conversation.memory


async def test_a_branch_may_be_a_loop() -> None:
    """Its tree stands under the `parallel`, each branch with its own nodes."""
    speaker = branch("speaker", "said")
    steps = [parallel([loop([branch("looping", "x")], until=lambda ctx: True), speaker])]

    @Workflow(steps=steps, state=Shared)
    class Flow:
        pass

    run = await record(Flow)

    assert (
        "workflow Flow ok\n"
        "  parallel parallel ok\n"
        "    loop loop ok\n"
        "      agent Branch ok\n"
        "        chat chat ok\n"
        "    agent Branch ok\n"
        "      chat chat ok"
    ) == as_written(run.events)


def silent() -> type:
    """A workflow that comes to nothing, as a step."""

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Silent:
        def run(self) -> None:
            return None

    @Workflow(steps=[Silent])
    class Nothing:
        pass

    return Nothing


def setting(**fields: object) -> type:
    """An agent that sets free fields of the context, and answers with those that it found."""

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Setting:
        def after_response(self, response: str, ctx: Context) -> str:
            found = ",".join(f"{name}={ctx.get(name)}" for name in ("x", "y"))
            for name, value in fields.items():
                setattr(ctx, name, value)
            return found

    return Setting


async def test_a_branch_begins_with_the_fields_that_there_are_and_gives_back_those_it_changed() -> None:
    """A field that a later branch left alone keeps what an earlier branch made of it."""
    steps = [setting(x=1, y=1), parallel([setting(x=2), setting(y=3)]), setting()]

    @Workflow(steps=steps)
    class Flow:
        pass

    run = await record(Flow)

    answers = [message.content for message in run.conversation.history if message.role == "assistant"]
    assert ["x=None,y=None", "x=1,y=1", "x=1,y=1", "x=2,y=3"] == answers


async def test_a_branch_without_a_turn_or_a_loop_leaves_those_of_the_others() -> None:
    """`ctx.turn`, `ctx.output` and `ctx.loop` are the last ones that there were, in the order of the branches."""
    seen: list[object] = []

    @Agent(provider=ScriptedProvider(["end"]), prompt=Prompt("p"))
    class Last:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            assert ctx.turn is not None
            assert ctx.loop is not None
            seen.extend([ctx.turn.response, ctx.output, ctx.loop.iterations])

    @Agent(provider=ScriptedProvider(["first", "second"]), prompt=Prompt("p"))
    class Twice:
        pass

    looping = loop([Twice], until=lambda ctx: ctx.turn.response == "second")

    @Workflow(steps=[parallel([looping, silent()]), Last])
    class Flow:
        pass

    await record(Flow)

    assert ["second", "second", 2] == seen


async def test_a_branch_that_cancels_itself_is_not_done() -> None:
    """Whoever awaits something that was cancelled fails with it, and so does the run: no later step begins."""
    nexts: list[str] = []

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Cancelled:
        def before_prompt(self, prompt: str) -> None:
            raise asyncio.CancelledError

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Next:
        def before_prompt(self, prompt: str) -> None:
            nexts.append("next")

    @Workflow(steps=[parallel([Cancelled, silent()]), Next])
    class Flow:
        pass

    with pytest.raises(RuntimeError, match="nobody had cancelled it"):
        await Thena(Flow).run("go")
    assert [] == nexts


async def test_a_branch_whose_sibling_fails_goes_no_further_than_its_clean_up() -> None:
    """The clean-ups of a nested run are finished, and the step after it doesn't begin."""
    order: list[str] = []
    cleaning = asyncio.Event()

    async def clean() -> None:
        cleaning.set()
        await asyncio.sleep(0.01)
        order.append("cleaned")

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Opening:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            ctx.on_dispose(clean)

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Next:
        def before_prompt(self, prompt: str) -> None:
            order.append("next")

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Failing:
        async def before_prompt(self, prompt: str) -> None:
            await cleaning.wait()
            raise ValueError("broken")

    @Workflow(steps=[Opening])
    class Inner:
        pass

    @Workflow(steps=[parallel([loop([Inner, Next], until=lambda ctx: True), Failing])])
    class Flow:
        pass

    with pytest.raises(ValueError, match="broken"):
        await Thena(Flow).run("go")
    assert ["cleaned"] == order


async def test_a_nested_run_counts_as_one_answer() -> None:
    """Whatever it did inside, to the steps around it it is a turn that called no tool."""

    @Tool(name="look", description="Look.")
    class Look:
        def execute(self) -> str:
            return "seen"

    @Agent(provider=ScriptedProvider([tool_call("look")]), prompt=Prompt("p"), tools=[Look])
    class Looking:
        pass

    @Workflow(steps=[Looking])
    class Inner:
        pass

    @Workflow(steps=[loop([Inner], until=until_answered)])
    class Flow:
        pass

    run = await record(Flow)

    assert ("seen", {"iterations": 1, "stopped_by": "until"}) == (run.output, run.root.only("loop").data)


async def test_a_nested_run_begins_with_nothing_where_nothing_was_said() -> None:
    """A conversation that was emptied gives it an empty prompt."""
    provider = ScriptedProvider(["x"])

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Forgetting:
        def after_response(self, response: str, ctx: Context) -> None:
            ctx.state.set("history", [])

    @Agent(provider=provider, prompt=Prompt("p"))
    class Talker:
        pass

    @Workflow(steps=[Talker])
    class Inner:
        pass

    @Workflow(steps=[Forgetting, Inner])
    class Flow:
        pass

    await record(Flow)

    assert [""] == [message.content for message in provider.calls[0].messages if message.role == "user"]

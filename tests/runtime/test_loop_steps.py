"""Loops: when they end, what they count, and what the context tells of them."""

import functools

import pytest

from thena_runtime import (
    Agent,
    Context,
    LoopFailure,
    LoopInfo,
    Prompt,
    ScriptedProvider,
    Thena,
    Tool,
    Workflow,
    called_tool,
    loop,
    parallel,
    tool_call,
    turn_of,
    until_answered,
    was_exhausted,
)
from thena_runtime.steps import Step
from thena_runtime.testing import Recorded, record


@Tool(name="fail", description="Fail.")
class Fail:
    """A tool that always fails, each time with another text."""

    count = 0

    def execute(self) -> str:
        Fail.count += 1
        raise ValueError(f"failure {Fail.count}")


@Tool(name="look", description="Look.")
class Look:
    """A tool that always finds the same."""

    def execute(self, where: str = "here") -> str:
        return f"nothing {where}"


def agent(*turns: object) -> type:
    """An agent that plays these turns."""

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=[Fail, Look])  # type: ignore[arg-type]
    class Player:
        pass

    return Player


async def run(*steps: Step, state: type | None = None) -> tuple[Recorded, LoopInfo | None]:
    """Run the steps and return what the context told of the last loop."""
    seen: list[LoopInfo | None] = []

    @Agent(provider=ScriptedProvider(["end"]), prompt=Prompt("p"))
    class Last:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            seen.append(ctx.loop)

    @Workflow(steps=[*steps, Last], state=state)
    class Flow:
        pass

    recorded = await record(Flow)
    return recorded, seen[0]


@pytest.mark.behaviour("T385")
async def test_a_loop_ends_when_until_is_true() -> None:
    """`until_answered` lets the model call tools until it answers."""
    _, info = await run(loop([agent(tool_call("look"), "found")], until=until_answered))

    assert LoopInfo(iterations=2, exhausted=False, stopped_by="until", max_iterations=10) == info


async def test_until_is_called_with_what_it_can_take() -> None:
    """One parameter or two, sync or async, a default, `*args`, a partial or a callable object."""

    class S:
        done = True

    class Asking:
        def __call__(self, ctx: Context, s: S) -> bool:
            return s.done

    async def awaited(ctx: Context, s: S) -> bool:
        return s.done

    def with_default(ctx: Context, s: S | None = None) -> bool:
        return s is not None and s.done

    def bound_by_name(ctx: Context, s: S, wanted: bool) -> bool:
        return s.done is wanted

    untils = [
        lambda ctx: True,
        lambda ctx, s: s.done,
        lambda *args: args[1].done,
        awaited,
        with_default,
        Asking(),
        functools.partial(bound_by_name, wanted=True),
    ]
    steps = [loop([agent("x")], until=until) for until in untils]
    recorded, _ = await run(*steps, state=S)

    loops = [event.data for event in recorded.events if event.kind == "loop" and event.phase == "end"]
    assert [{"stopped_by": "until", "iterations": 1}] * len(untils) == loops


async def test_an_optional_second_parameter_needs_no_state() -> None:
    """Without a declared state `until` is called with the context alone."""

    def with_default(ctx: Context, s: object = "none") -> bool:
        return s == "none"

    _, info = await run(loop([agent("x")], until=with_default))

    assert info is not None
    assert "until" == info.stopped_by


@pytest.mark.behaviour("T389", "W19")
async def test_on_exhausted_sees_how_the_loop_ended() -> None:
    """`ctx.loop` is written before it is called, and it is told the number of iterations."""
    seen: list[object] = []

    async def on_exhausted(ctx: Context, iterations: int) -> None:
        seen.append((ctx.loop, iterations, was_exhausted(ctx)))

    _, info = await run(loop([agent("x")], until=lambda ctx: False, max_iterations=3, on_exhausted=on_exhausted))

    assert LoopInfo(iterations=3, exhausted=True, stopped_by="exhausted", max_iterations=3) == info
    assert [(info, 3, True)] == seen


async def test_until_is_asked_before_the_last_iteration_counts_as_exhausted() -> None:
    """A loop that converges on its last iteration isn't exhausted."""
    _, info = await run(loop([agent("x")], until=until_answered, max_iterations=1))

    assert info is not None
    assert ("until", False) == (info.stopped_by, info.exhausted)


@pytest.mark.behaviour("T252")
async def test_failures_in_a_row_end_a_loop() -> None:
    """`max_fails` counts them, and `on_fail` is told of each before the cut."""
    told: list[LoopFailure] = []

    def on_fail(ctx: Context, failure: LoopFailure) -> None:
        told.append(failure)

    Fail.count = 0
    body = agent(tool_call("fail"))
    _, info = await run(loop([body], until=until_answered, max_fails=2, on_fail=on_fail))

    assert info is not None
    assert ("fails", 2) == (info.stopped_by, info.iterations)
    assert [
        LoopFailure(consecutive=1, total=1, tool_name="fail", message="failure 1"),
        LoopFailure(consecutive=2, total=2, tool_name="fail", message="failure 2"),
    ] == told


@pytest.mark.behaviour("T250", "T251")
async def test_an_iteration_without_a_failure_begins_the_count_again() -> None:
    """Only failures in a row count for `max_fails`; a turn without a tool changes nothing."""
    told: list[tuple[int, int]] = []
    body = agent(tool_call("fail"), tool_call("look", where="a"), tool_call("fail"), "thinking", tool_call("fail"))
    _, info = await run(
        loop(
            [body],
            until=lambda ctx: False,
            max_fails=2,
            on_fail=lambda ctx, failure: told.append((failure.consecutive, failure.total)),
        )
    )

    assert info is not None
    assert ("fails", 5) == (info.stopped_by, info.iterations)
    assert [(1, 1), (1, 2), (2, 3)] == told


@pytest.mark.behaviour("W18")
async def test_every_agent_of_the_body_counts() -> None:
    """A failing agent is noticed though a fine one comes after it."""
    _, info = await run(
        loop(
            [agent(tool_call("fail")), agent(tool_call("look"))], until=lambda ctx: False, max_fails=3, max_repeats=None
        )
    )

    assert info is not None
    assert ("fails", 3) == (info.stopped_by, info.iterations)


@pytest.mark.behaviour("W18")
async def test_an_outer_loop_does_not_count_what_an_inner_one_counted() -> None:
    """Each failure is counted once, in the innermost loop."""
    inner = loop([agent(tool_call("fail"))], until=lambda ctx: True)
    _, info = await run(loop([inner], until=lambda ctx: False, max_fails=1, max_iterations=3))

    assert info is not None
    assert ("exhausted", 3) == (info.stopped_by, info.iterations)


async def test_failures_in_branches_count() -> None:
    """A `parallel` in the body passes on what its branches' tools came to."""
    body = parallel([agent("fine"), agent(tool_call("fail"))])
    _, info = await run(loop([body], until=lambda ctx: False, max_fails=2))

    assert info is not None
    assert ("fails", 2) == (info.stopped_by, info.iterations)


async def test_the_same_call_with_the_same_result_ends_a_loop() -> None:
    """`max_repeats` counts the same tool, arguments and result in a row."""
    _, info = await run(loop([agent(tool_call("look"))], until=until_answered, max_repeats=3))

    assert info is not None
    assert ("repeats", 3) == (info.stopped_by, info.iterations)


async def test_two_calls_in_turns_end_a_loop() -> None:
    """A-B-A-B is as stuck as A-A."""
    turns = [tool_call("look", where="a"), tool_call("look", where="b")] * 5
    _, info = await run(loop([agent(*turns)], until=until_answered, max_repeats=3))

    assert info is not None
    assert ("repeats", 6) == (info.stopped_by, info.iterations)


async def test_other_arguments_are_progress() -> None:
    """A call with other arguments begins the count again."""
    turns = [tool_call("look", where=str(index)) for index in range(6)]
    _, info = await run(loop([agent(*turns, "done")], until=until_answered, max_repeats=2))

    assert info is not None
    assert ("until", 7) == (info.stopped_by, info.iterations)


@pytest.mark.behaviour("T254")
async def test_a_brake_can_be_switched_off() -> None:
    """`None` means no limit."""
    _, info = await run(
        loop(
            [agent(*[tool_call("fail")] * 12, "done")],
            until=until_answered,
            max_fails=None,
            max_iterations=None,
            max_repeats=None,
        )
    )

    assert LoopInfo(iterations=13, exhausted=False, stopped_by="until", max_iterations=None) == info


@pytest.mark.behaviour("T174", "W21")
async def test_stop_ends_the_loop_after_its_turn_and_skips_the_rest() -> None:
    """The output so far is kept, and what was skipped is told apart from what ran."""

    @Agent(provider=ScriptedProvider(["enough"]), prompt=Prompt("p"))
    class Stopping:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            ctx.stop()

    @Workflow(steps=[loop([Stopping], until=lambda ctx: False), agent("never")])
    class Flow:
        pass

    recorded = await record(Flow)

    assert "enough" == recorded.output
    assert (
        "workflow Flow ok\n  loop loop ok\n    agent Stopping ok\n      chat chat ok\n  agent Player skipped"
        == recorded.tree
    )
    (ended,) = [event.data for event in recorded.events if event.kind == "loop" and event.phase == "end"]
    assert {"stopped_by": "stop", "iterations": 1} == ended


@pytest.mark.behaviour("W20")
async def test_a_loop_that_ends_by_an_exception_tells_its_iterations() -> None:
    """The loop's node has the count, though `ctx.loop` was never written."""

    @Workflow(steps=[loop([agent("x", ConnectionError("gone"))], until=lambda ctx: False)])
    class Flow:
        pass

    events: list[dict[str, object]] = []
    async with Thena(Flow) as app:
        handle = app.run("go")
        with pytest.raises(ConnectionError):
            await handle
        async for event in handle.event_stream():
            if event.kind == "loop" and event.phase == "end":
                events.append(dict(event.data))

    assert [{"iterations": 2}] == events


@pytest.mark.behaviour("T380", "T381")
async def test_the_turn_helpers_read_the_last_turn() -> None:
    """`turn_of` and `called_tool` tell of the turn before; both are quiet before the first."""
    seen: list[object] = []

    def until(ctx: Context) -> bool:
        turn = turn_of(ctx)
        seen.append((called_tool(ctx), turn and turn.tool_name))
        return until_answered(ctx)

    await run(loop([agent(tool_call("look"), "done")], until=until))

    assert [(True, "look"), (False, None)] == seen

"""Rows of the behaviour list about observation: who makes a run be told, what is told of it, and what it costs."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from thena_runtime import (
    Agent,
    ChatInvocation,
    Completion,
    Context,
    Event,
    Plugin,
    Prompt,
    RunHandle,
    ScriptedProvider,
    Thena,
    ThenaConfig,
    ToolOutput,
    Workflow,
    tool_call,
)
from thena_runtime.steps import Step
from thena_runtime.testing import FakeClock, record, tree_of


class CountingClock(FakeClock):
    """A clock that counts how often it is asked for the date, which is done once for each event that is made."""

    asked = 0

    def time(self) -> float:
        self.asked += 1
        return super().time()


def flow(*steps: Step) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps)
    class Flow:
        pass

    return Flow


def speaker(*turns: object, tools: tuple[object, ...] = ()) -> type:
    """An agent that plays these turns."""

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=tools)  # type: ignore[arg-type]
    class Speaker:
        pass

    return Speaker


async def pieces(handle: RunHandle) -> list[str]:
    """What the models said, as it came."""
    return [token.text async for token in handle.text_stream()]


# -- observacao


@pytest.mark.behaviour("T281")
async def test_a_run_that_nobody_can_watch_makes_no_events() -> None:
    """Without a log, a plugin that watches and a handle that keeps, no event is made; with any of them each is."""
    clock = CountingClock()
    app = Thena(flow(speaker("ok")), ThenaConfig(clock=clock))

    await app.run("go", observe=False)
    assert 0 == clock.asked
    await app.run("go")
    assert 6 == clock.asked


@pytest.mark.behaviour("T283", "T291")
async def test_who_watches_changes_nothing_and_is_decided_for_each_run() -> None:
    """A run that is watched and one that isn't give the same, and neither leaves anything to the next."""
    clock = CountingClock()
    app = Thena(flow(speaker("one two")), ThenaConfig(clock=clock))
    seen = []
    for observe in (True, False, True, False):
        before = clock.asked
        seen.append((await app.run("go", observe=observe), clock.asked - before))

    assert [("one two", 6), ("one two", 0)] * 2 == seen


@pytest.mark.behaviour("T286")
async def test_observe_alone_has_events_kept_and_the_model_stream() -> None:
    """With `observe=True` and nothing else, who comes after the end gets every event and every piece."""
    handle = Thena(flow(speaker("one two three"))).run("go", observe=True)
    await handle

    assert ["one ", "two ", "three"] == await pieces(handle)
    assert "workflow Flow ok\n  agent Speaker ok\n    chat chat ok" == str(
        tree_of([event async for event in handle.event_stream()])
    )


@pytest.mark.behaviour("T288")
async def test_a_log_alone_has_events_made() -> None:
    """The app's log and the run's own are told, where the handle keeps nothing and where there is no handle."""
    events: list[Event] = []
    app = Thena(flow(speaker("ok")), ThenaConfig(log=events.append))

    await app.run("go", observe=False)
    await asyncio.to_thread(app.run_sync, "go")
    own: list[Event] = []
    await Thena(flow(speaker("ok"))).run("go", observe=False, log=own.append)

    assert (12, 6) == (len(events), len(own))


@pytest.mark.behaviour("T289", "T290")
async def test_a_plugin_that_watches_has_events_made_and_one_with_middlewares_has_not() -> None:
    """What a plugin is decides: `on_event` alone is told of every node."""

    async def passing(call: ChatInvocation, go_on: Callable[[], Awaitable[Completion]]) -> Completion:
        return await go_on()

    clock = CountingClock()
    app = Thena(flow(speaker("ok")), ThenaConfig(clock=clock))
    await app.use(Plugin(name="in between", chat=passing))
    await app.run("go", observe=False)
    assert 0 == clock.asked

    events: list[Event] = []
    await app.use(Plugin(name="viewer", on_event=events.append))
    await app.run("go", observe=False)
    assert (6, 6) == (clock.asked, len(events))


@pytest.mark.behaviour("T293")
async def test_runs_at_once_that_are_watched_and_not_are_apart() -> None:
    """The watched ones get their own events alone, and the others make none."""
    clock = CountingClock()
    app = Thena(flow(speaker("ok")), ThenaConfig(clock=clock))
    handles = [app.run("go", observe=number % 2 == 0) for number in range(6)]
    assert ["ok"] * 6 == await asyncio.gather(*handles)

    watched = handles[::2]
    kept = [[event async for event in handle.event_stream()] for handle in watched]
    assert 18 == clock.asked
    assert [[handle.run_id] * 6 for handle in watched] == [[event.run_id for event in events] for events in kept]


# -- what is told


@pytest.mark.behaviour("T336")
async def test_the_tree_has_the_tool_inside_the_call_that_asked_for_it() -> None:
    """Workflow, agent, chat and tool stand inside each other."""

    async def look() -> str:
        """Look."""
        return "seen"

    run = await record(flow(speaker(tool_call("look"), tools=(look,))))

    assert "workflow Flow ok\n  agent Speaker ok\n    chat chat ok\n      tool look ok" == run.tree


@pytest.mark.behaviour("T338")
async def test_the_root_has_the_numbers_of_the_run() -> None:
    """Calls and tokens; a limit that was exceeded is named, and where none was, nothing is said."""
    run = await record(flow(speaker("ok")))

    assert {"chat_calls": 1, "tool_calls": 0, "tokens": 0} == run.root.data


@pytest.mark.behaviour("T339")
async def test_an_output_that_is_an_error_marks_the_tools_node_alone() -> None:
    """Its content is the node's error, and the run ends well."""

    async def look() -> ToolOutput:
        """Look."""
        return ToolOutput("it is dark", is_error=True)

    run = await record(flow(speaker(tool_call("look"), tools=(look,))))

    node = run.root.only("tool", "look")
    assert ("error", "it is dark", "ok", "it is dark") == (node.status, node.error, run.root.status, run.output)


@pytest.mark.behaviour("W10")
async def test_a_run_that_can_not_be_built_is_told_and_cleans_up() -> None:
    """A constructor that fails leaves the workflow's node with the error, and what was opened before is closed."""
    done: list[str] = []

    class Opened(ScriptedProvider):
        async def close(self) -> None:
            done.append("closed")

    @Agent(provider=lambda: Opened(["ok"]), prompt=Prompt("p"))
    class First:
        pass

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Broken:
        def __init__(self) -> None:
            raise LookupError("no settings")

    run = await record(flow(First, Broken), raises=LookupError)

    assert ("workflow Flow error", "LookupError: no settings", ["closed"]) == (run.tree, run.root.error, done)


@pytest.mark.behaviour("W51")
async def test_events_have_time_and_number_and_data_of_their_own() -> None:
    """They count from 1 without a gap, never go back in time, and later notes don't change what was told before."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Noting:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            ctx.meta(step="begun")

        def after_response(self, response: str, ctx: Context) -> None:
            ctx.meta(step="done")

    run = await record(flow(Noting))
    ends = [event for event in run.events if event.kind == "agent" and event.phase == "end"]
    starts = [event for event in run.events if event.kind == "agent" and event.phase == "start"]

    assert list(range(1, 7)) == [event.sequence for event in run.events]
    assert sorted(event.time for event in run.events) == [event.time for event in run.events]
    assert [({}, {"step": "done"})] == [(dict(a.data), dict(b.data)) for a, b in zip(starts, ends, strict=True)]

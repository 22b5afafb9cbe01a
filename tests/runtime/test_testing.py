"""The testing kit: recorded runs and their trees, a clock that the test moves, and the guard on requests."""

import asyncio
from dataclasses import replace

import pytest

from tests.support.loopback import Answer, serving
from thena_runtime import (
    Agent,
    Event,
    OpenAIProvider,
    Prompt,
    RetryPolicy,
    RunAborted,
    Thena,
    ThenaConfig,
    Tool,
    Workflow,
    parallel,
)
from thena_runtime.clock import SYSTEM_CLOCK, Clock, deadline
from thena_runtime.steps import Step
from thena_runtime.testing import (
    FakeClock,
    RequestForbiddenError,
    ScriptedProvider,
    TreeNode,
    forbid_requests,
    record,
    recorded,
    tool_call,
    tree_of,
)

ANSWER = {"choices": [{"message": {"role": "assistant", "content": "hello"}}]}


def flow(*steps: Step) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps)
    class Flow:
        pass

    return Flow


def agent(provider: object, name: str = "Speaker", tools: object = ()) -> type:
    """An agent with this model."""

    class Speaker:
        pass

    Speaker.__name__ = Speaker.__qualname__ = name
    return Agent(provider=provider, prompt=Prompt("p"), tools=tools)(Speaker)  # type: ignore[call-overload, no-any-return]


# -- trees


@Tool(name="fail", description="Fail.")
class Fail:
    """A tool that fails."""

    def execute(self) -> str:
        """Fail."""
        raise ValueError("broken")


async def test_a_tree_is_compared_with_a_tree_and_written_as_text() -> None:
    """Kind, name, status and children count; times and ids don't. The text has a line for each node."""
    run = await record(flow(agent(ScriptedProvider([tool_call("fail")]), tools=[Fail])))

    assert (
        TreeNode(
            "workflow",
            "Flow",
            "ok",
            (
                TreeNode(
                    "agent", "Speaker", "ok", (TreeNode("chat", "chat", "ok", (TreeNode("tool", "fail", "error"),)),)
                ),
            ),
        )
        == run.root
    )
    assert "workflow Flow ok\n  agent Speaker ok\n    chat chat ok\n      tool fail error" == run.tree == str(run.root)


async def test_a_node_is_found_with_its_error_and_data() -> None:
    """`only` gives the one node there is, `all` every one; what was found can be read."""
    run = await record(flow(agent(ScriptedProvider([tool_call("fail")]), tools=[Fail])))

    assert "broken" == run.root.only("tool", "fail").error
    assert ["Flow", "Speaker", "chat", "fail"] == [node.name for node in run.root.walk()]
    assert [] == run.root.all("loop")
    with pytest.raises(LookupError, match="the tree has 0 nodes `loop`, and not one:\nworkflow Flow ok"):
        run.root.only("loop")


async def test_branches_stand_under_their_block_whatever_the_order_of_their_events() -> None:
    """Branches run at the same time, and the tree still shows each with its own nodes."""
    clock = FakeClock()
    slow, fast = ScriptedProvider(["s"], 2, clock=clock), ScriptedProvider(["f"], 1, clock=clock)
    app = Thena(flow(parallel([agent(slow, "Slow"), agent(fast, "Fast")])))
    handle = app.run("go")
    await clock.advance(2)
    run = await recorded(handle)

    assert (
        "workflow Flow ok\n"
        "  parallel parallel ok\n"
        "    agent Slow ok\n"
        "      chat chat ok\n"
        "    agent Fast ok\n"
        "      chat chat ok"
    ) == run.tree


def test_events_of_no_run_make_no_tree() -> None:
    """A tree has one root."""
    with pytest.raises(ValueError, match="these events have 0 roots"):
        tree_of([])


async def test_events_with_a_gap_make_no_tree() -> None:
    """A tree that looks whole and isn't would be worse than none."""
    events = (await record(flow(agent(ScriptedProvider(["ok"]))))).events

    with pytest.raises(ValueError, match="these events have a gap"):
        tree_of([*events[:2], replace(events[2], kind="gap"), *events[3:]])


def test_a_node_that_never_ended_has_no_status() -> None:
    """A run that is cut off in the middle still has a tree."""
    start = Event(
        run_id="r", sequence=1, time=0, phase="start", kind="agent", name="A", id="1", parent_id=None, depth=0
    )

    assert TreeNode("agent", "A", None) == tree_of([start])


# -- runs that fail


async def test_an_error_ends_what_record_gives_unless_it_is_expected() -> None:
    """What isn't named is raised; what is named and doesn't come is missed."""
    broken = flow(agent(ScriptedProvider(["first"])), agent(ScriptedProvider([ConnectionError("gone")]), "Broken"))

    with pytest.raises(ConnectionError):
        await record(broken)
    run = await record(broken, raises=(OSError, LookupError))
    assert "gone" == str(run.error)
    assert ["go", "first"] == [message.content for message in run.conversation.history]
    assert "error" == run.root.only("agent", "Broken").status

    with pytest.raises(AssertionError, match="the run was to raise ConnectionError, and gave 'ok':\nworkflow Flow ok"):
        await record(flow(agent(ScriptedProvider(["ok"]))), raises=ConnectionError)


async def test_an_app_can_be_recorded_and_goes_on() -> None:
    """`record` takes an app as it was made, and leaves it open."""
    app = Thena(flow(agent(ScriptedProvider(["one", "two"]))))

    assert ("one", "two") == ((await record(app)).output, (await record(app)).output)


# -- time


async def test_a_fake_clock_stands_still_until_it_is_moved() -> None:
    """A model that takes a minute answers after a minute of the clock's, and the events tell that time."""
    clock = FakeClock(epoch=1000.0)
    app = Thena(flow(agent(ScriptedProvider(["late"], 60, clock=clock))), ThenaConfig(clock=clock))
    handle = app.run("go")

    await clock.advance(59.5)
    assert not handle.done
    await clock.advance(0.5)

    run = await recorded(handle)
    assert "late" == run.output
    assert [60.0] * 3 == [event.duration for event in run.events if event.phase == "end"]
    assert [1000.0] * 3 + [1060.0] * 3 == [event.time for event in run.events]
    assert [60] == clock.slept


async def test_moments_come_in_their_order_within_one_move() -> None:
    """A long move stops at each due moment, so that what it sets off is measured right."""
    clock = FakeClock()
    told: list[tuple[str, float]] = []

    async def wait(name: str, *waits: float) -> None:
        for seconds in waits:
            await clock.sleep(seconds)
            told.append((name, clock.monotonic()))

    async with asyncio.TaskGroup() as group:
        group.create_task(wait("a", 3, 1))
        group.create_task(wait("b", 1, 1))
        await clock.advance(10)

    assert [("b", 1), ("b", 2), ("a", 3), ("a", 4)] == told


async def test_a_wait_that_is_cancelled_is_forgotten() -> None:
    """Moving the clock later calls nothing."""
    clock = FakeClock()
    task = asyncio.create_task(clock.sleep(1))
    await clock.advance(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    called: list[str] = []
    clock.call_later(1, lambda: called.append("no")).cancel()
    await clock.advance(2)

    assert [] == called


async def test_waits_of_a_passing_clock_pass_at_once() -> None:
    """A request is tried again without any real waiting, and the waits can be read."""
    clock = FakeClock(passes=True)
    async with serving(
        Answer(status=503), Answer(status=429, headers={"retry-after": "7"}), Answer(body=ANSWER)
    ) as server:
        provider = OpenAIProvider(
            "m", base_url=server.url, api_key="k", retry=RetryPolicy(initial_delay=30), clock=clock
        )
        run = await record(flow(agent(provider)))

    assert "hello" == run.output
    first, second = clock.slept
    assert 0 <= first <= 8
    assert 7 == second
    assert first + second == clock.monotonic()


@pytest.mark.parametrize("clock", [FakeClock(passes=True), SYSTEM_CLOCK])
async def test_a_deadline_goes_by_the_clock_it_is_given(clock: Clock) -> None:
    """What waits longer is cancelled and raises `TimeoutError`; what doesn't is left alone."""
    async with deadline(clock, 60), deadline(clock, None):
        await clock.sleep(0)

    with pytest.raises(TimeoutError):
        async with deadline(clock, 0.01):
            await clock.sleep(60)
            await asyncio.sleep(60)


# -- requests


async def test_a_forbidden_request_is_never_sent_and_says_what_to_do() -> None:
    """The provider raises before it connects."""
    async with serving(Answer(body=ANSWER)) as server:
        speaking = flow(agent(OpenAIProvider("m", base_url=server.url, api_key="k")))
        with pytest.raises(RequestForbiddenError) as caught, forbid_requests():
            await record(speaking)

        assert (
            f"`OpenAIProvider` `m` was about to send a request to {server.url}/chat/completions, "
            "which `forbid_requests()` forbids. Give the agent a `ScriptedProvider(...)` in this test, "
            "or take the guard off it."
        ) == str(caught.value)
        assert [] == server.asked
        assert "hello" == (await record(speaking)).output


async def test_an_attempt_that_the_workflow_swallows_is_told_at_the_end_of_the_block() -> None:
    """An agent that recovers from every error doesn't hide the request."""

    @Agent(provider=OpenAIProvider("m", base_url="http://127.0.0.1:9/v1", api_key="k"), prompt=Prompt("p"))
    class Recovering:
        def on_error(self, error: Exception) -> str:
            return "all is well"

    with pytest.raises(RequestForbiddenError), forbid_requests():
        assert "all is well" == (await record(flow(Recovering))).output


async def test_scripts_may_be_played_where_requests_are_forbidden() -> None:
    """A scripted model sends nothing, and blocks may stand inside each other."""
    with forbid_requests(), forbid_requests():
        assert "ok" == (await record(flow(agent(ScriptedProvider(["ok"]))))).output


async def test_requests_are_forbidden_in_other_threads_too() -> None:
    """The guard holds for the process."""
    app = Thena(flow(agent(OpenAIProvider("m", base_url="http://127.0.0.1:9/v1", api_key="k"))))

    with pytest.raises(RequestForbiddenError), forbid_requests():
        await asyncio.to_thread(app.run_sync, "go")


async def test_the_conversation_of_an_aborted_run_is_kept() -> None:
    """`handle.state` and the tree go as far as the run came."""
    clock = FakeClock()
    steps = [agent(ScriptedProvider(["first"])), agent(ScriptedProvider(["never"], 9, clock=clock), "Waiting")]
    handle = Thena(flow(*steps)).run("go")
    await clock.advance(1)
    handle.abort("enough")
    run = await recorded(handle, raises=RunAborted)

    assert ["go", "first"] == [message.content for message in run.conversation.history]
    assert "cancelled" == run.root.only("agent", "Waiting").status

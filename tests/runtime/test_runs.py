"""Runs and their handles: results, aborting, events, clean-ups, apps that close; and the context's own manners."""

import asyncio
import io
import threading
from collections.abc import Callable
from contextlib import redirect_stdout, suppress

import pytest

from thena_runtime import (
    Agent,
    Context,
    Conversation,
    Event,
    Message,
    OutsideRunError,
    Prompt,
    RunAborted,
    ScriptedProvider,
    State,
    Thena,
    ThenaConfig,
    Tool,
    Workflow,
    current_context,
    loop,
    tool_call,
)
from thena_runtime.steps import Step
from thena_runtime.testing import record


def flow(*steps: Step, state: type | None = None) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps, state=state)
    class Flow:
        pass

    return Flow


def speaker(*turns: object, delay: float = 0.0) -> type:
    """An agent that plays these turns."""

    @Agent(provider=ScriptedProvider(turns, delay), prompt=Prompt("p"))  # type: ignore[arg-type]
    class Speaker:
        pass

    return Speaker


def looking_at_the_context(look: Callable[[Context], object]) -> type:
    """An agent whose first hook does this with the context."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Looking:
        async def before_prompt(self, prompt: str, ctx: Context) -> None:
            result = look(ctx)
            if asyncio.iscoroutine(result):
                await result

    return Looking


# -- results


@pytest.mark.behaviour("W7")
async def test_a_handle_gives_the_output_and_the_conversation() -> None:
    """The handle is there at once, with its id; the rest once the run is over."""
    async with Thena(flow(speaker("hello"))) as app:
        handle = app.run("hi")
        with pytest.raises(RuntimeError, match="still goes on"):
            _ = handle.result

        assert "hello" == await handle
        assert "hello" == handle.result
        assert (Message("user", "hi"), Message("assistant", "hello")) == handle.state.history
        assert handle.stopped_by is None
        assert {handle.run_id} == {event.run_id async for event in handle.event_stream()}


async def test_a_stopped_run_says_so() -> None:
    """`stopped_by` tells a run that was stopped from one that walked every step."""
    async with Thena(flow(looking_at_the_context(lambda ctx: ctx.stop()), speaker("never"))) as app:
        handle = app.run("hi")

        assert ("ok", "stop") == (await handle, handle.stopped_by)


def test_run_sync_needs_no_loop_and_run_needs_one() -> None:
    """Each names the other where it can't be used."""
    app = Thena(flow(speaker("hello")))

    assert "hello" == app.run_sync("hi")
    with pytest.raises(RuntimeError, match=r"use `app.run_sync\(...\)`"):
        app.run("hi")


async def test_run_sync_inside_a_loop_is_refused() -> None:
    """It would block the loop that it is called in."""
    app = Thena(flow(speaker("hello")))

    with pytest.raises(RuntimeError, match=r"Write `await app.run\(...\)`"):
        app.run_sync("hi")


@pytest.mark.behaviour("W7")
async def test_a_run_can_begin_with_a_conversation() -> None:
    """The seed is copied, and the prompt comes after the seeded history."""
    history = [Message("user", "before"), Message("assistant", "yes?")]
    run = await record(flow(speaker("now")), "after", state={"history": history, "memory": ["m"], "tasks": ["t"]})

    assert [*history, Message("user", "after"), Message("assistant", "now")] == list(run.conversation.history)
    assert (("m",), ("t",)) == (run.conversation.memory, run.conversation.tasks)
    assert 2 == len(history)


async def test_a_seed_for_a_bucket_that_does_not_exist_is_refused() -> None:
    """The text names the buckets there are."""
    app = Thena(flow(speaker("now")))

    with pytest.raises(ValueError, match=r"no bucket `memories`\. Use one of: history, memory, tasks"):
        app.run("x", state={"memories": ["m"]})


@pytest.mark.behaviour("T166", "T224")
async def test_runs_at_once_share_nothing() -> None:
    """Each has its own state, conversation, fields, agents and context."""

    class Kept:
        names: list[str] = []

    @Agent(provider=ScriptedProvider(["ok"], delay=0.01), prompt=Prompt("p"))
    class Keeping:
        def __init__(self, s: State[Kept]) -> None:
            self.s = s
            self.turns = 0

        async def after_response(self, response: str, ctx: Context) -> str:
            self.turns += 1
            self.s.names.append(ctx.data)
            ctx.name = ctx.data
            await asyncio.sleep(0)
            return f"{self.turns} {self.s.names} {current_context().name} {len(ctx.state.history)}"

    async with Thena(flow(Keeping, state=Kept)) as app:
        outputs = await asyncio.gather(*(app.run("x", data=str(index)) for index in range(20)))

    assert [f"1 ['{index}'] {index} 2" for index in range(20)] == outputs
    assert [] == Kept.names


# -- aborting


@pytest.mark.behaviour("T364", "T366")
async def test_abort_interrupts_a_model_call_and_surfaces_the_reason() -> None:
    """An exception is raised as it is, and clean-ups have run by then."""
    reason = TimeoutError("too slow")
    cleaned: list[str] = []

    def look(ctx: Context) -> None:
        ctx.on_dispose(lambda: cleaned.append("first"))
        ctx.on_dispose(lambda: asyncio.sleep(0, cleaned.append("second")))

    @Agent(provider=ScriptedProvider(["never"], delay=60), prompt=Prompt("p"))
    class Slow:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            look(ctx)

        def on_error(self, error: Exception) -> str:
            return "swallowed"

    async with Thena(flow(Slow)) as app:
        handle = app.run("x")
        await until(handle.on_event, "chat", "start")
        handle.abort(reason)
        handle.abort("another")
        with pytest.raises(TimeoutError) as caught:
            async with asyncio.timeout(10):
                await handle
        statuses = [event.status async for event in handle.event_stream() if event.phase == "end"]

    assert reason is caught.value
    assert ["second", "first"] == cleaned
    assert ["cancelled", "cancelled", "cancelled"] == statuses


async def until(on_event: Callable[[Callable[[Event], object]], object], kind: str, phase: str) -> None:
    """Wait until a node of this kind begins or ends."""
    seen = asyncio.Event()
    on_event(lambda event: seen.set() if (event.kind, event.phase) == (kind, phase) else None)
    async with asyncio.timeout(10):
        await seen.wait()


@pytest.mark.behaviour("T170")
async def test_abort_interrupts_a_tool_at_its_next_await() -> None:
    """A reason that is no exception is wrapped."""
    ended: list[str] = []

    @Tool(name="wait", description="Wait.")
    class Wait:
        async def execute(self) -> None:
            try:
                await asyncio.sleep(60)
            finally:
                ended.append("tool")

    @Agent(provider=ScriptedProvider([tool_call("wait")]), prompt=Prompt("p"), tools=[Wait])
    class Waiting:
        pass

    async with Thena(flow(Waiting)) as app:
        handle = app.run("x")
        await until(handle.on_event, "tool", "start")
        handle.abort("changed my mind")
        with pytest.raises(RunAborted, match="changed my mind") as caught:
            async with asyncio.timeout(10):
                await handle

    assert "changed my mind" == caught.value.reason
    assert ["tool"] == ended


@pytest.mark.parametrize("where", ["hook", "tool", "thread"])
async def test_abort_works_from_inside(where: str) -> None:
    """A hook, a tool, and a tool in a worker thread can abort their run."""
    later: list[str] = []

    @Tool(name="async_abort", description="Abort.")
    class AsyncAbort:
        async def execute(self, ctx: Context) -> None:
            ctx.abort("from inside")
            assert ctx.cancelled

    @Tool(name="sync_abort", description="Abort.")
    class SyncAbort:
        def execute(self, ctx: Context) -> None:
            ctx.abort("from inside")

    turn = tool_call("async_abort" if where == "tool" else "sync_abort")

    @Agent(provider=ScriptedProvider([turn]), prompt=Prompt("p"), tools=[AsyncAbort, SyncAbort])
    class Aborting:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            if where == "hook":
                ctx.abort("from inside")

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Later:
        def before_prompt(self) -> None:
            later.append("turn")

    with pytest.raises(RunAborted, match="from inside"):
        async with asyncio.timeout(10):
            await record(flow(Aborting, Later))

    assert [] == later


@pytest.mark.behaviour("T367")
async def test_an_abort_before_the_first_step_makes_no_call() -> None:
    """The run ends with the reason, and its tree has the workflow alone."""
    provider = ScriptedProvider(["ok"])

    @Agent(provider=provider, prompt=Prompt("p"))
    class Never:
        pass

    async with Thena(flow(Never)) as app:
        handle = app.run("x")
        handle.abort()
        with pytest.raises(RunAborted, match="is aborted: no reason is given"):
            await handle

    assert [] == provider.calls


@pytest.mark.behaviour("W14")
async def test_a_run_that_swallows_its_cancellation_is_aborted_all_the_same() -> None:
    """A tool that catches everything doesn't turn an abort into a result."""

    @Tool(name="deaf", description="Hear nothing.")
    class Deaf:
        async def execute(self) -> str:
            with suppress(BaseException):
                await asyncio.sleep(60)
            return "still here"

    @Agent(provider=ScriptedProvider([tool_call("deaf")]), prompt=Prompt("p"), tools=[Deaf])
    class Calling:
        pass

    async with Thena(flow(Calling)) as app:
        handle = app.run("x")
        await until(handle.on_event, "tool", "start")
        handle.abort("enough")
        with pytest.raises(RunAborted, match="enough"):
            async with asyncio.timeout(10):
                await handle


async def test_cancelling_who_waits_leaves_the_run_alone() -> None:
    """Another task can still await the same run."""
    async with Thena(flow(speaker("done", delay=0.05))) as app:
        handle = app.run("x")

        async def wait() -> str | None:
            return await handle

        waiting = asyncio.create_task(wait())
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

        assert "done" == await handle


async def test_leaving_the_block_of_a_handle_aborts_it() -> None:
    """`async with app.run(...)` ends with the run over."""
    app = Thena(flow(speaker("never", delay=60)))
    async with asyncio.timeout(10):
        async with app.run("x") as handle:
            await until(handle.on_event, "chat", "start")

    with pytest.raises(RunAborted, match="block"):
        _ = handle.result


@pytest.mark.behaviour("T375")
async def test_closing_an_app_aborts_its_runs_and_ends_it() -> None:
    """Nothing new can be started afterwards."""
    app = Thena(flow(speaker("never", delay=60)))
    handle = app.run("x")
    await until(handle.on_event, "chat", "start")
    await app.close()

    with pytest.raises(RunAborted, match="the app was closed"):
        _ = handle.result
    with pytest.raises(RuntimeError, match="the app was closed"):
        app.run("y")


async def test_what_is_waiting_for_the_abort_hears_of_it() -> None:
    """`ctx.wait_cancelled()` ends when the run is aborted."""
    heard: list[str] = []

    def look(ctx: Context) -> None:
        async def wait() -> None:
            await ctx.wait_cancelled()
            heard.append("heard")

        task = asyncio.create_task(wait())
        ctx.on_dispose(lambda: task)

    app = Thena(flow(looking_at_the_context(look), speaker("never", delay=60)))
    async with asyncio.timeout(10), app.run("x") as handle:
        await until(handle.on_event, "chat", "end")

    assert ["heard"] == heard


# -- clean-ups and providers


class Closing(ScriptedProvider):
    """A provider that keeps when it was made and closed."""

    log: list[str] = []

    def __init__(self) -> None:
        super().__init__(["ok"])
        Closing.log.append(f"made {current_context().data}")

    async def close(self) -> None:
        Closing.log.append("closed")


async def _made_by_factory() -> Closing:
    return Closing()


@pytest.mark.behaviour("T153", "T341", "T343", "W31")
@pytest.mark.parametrize("source", [Closing, lambda: Closing(), _made_by_factory])
async def test_a_provider_made_for_a_run_is_closed_with_it(source: object) -> None:
    """A class, a function and an async function are called inside each run."""
    Closing.log.clear()

    @Agent(provider=source, prompt=Prompt("p"))  # type: ignore[arg-type]
    class Made:
        pass

    app = Thena(flow(Made))
    assert [] == Closing.log
    await app.run("x", data="acme")

    assert ["made acme", "closed"] == Closing.log


@pytest.mark.behaviour("W31")
async def test_a_factory_that_makes_something_else_fails_the_run() -> None:
    """The text names the agent and what came out."""

    @Agent(provider=lambda: "gpt", prompt=Prompt("p"))  # type: ignore[arg-type, return-value]
    class Odd:
        pass

    with pytest.raises(TypeError, match="the provider factory of `Odd` returned a value of type `str`"):
        await record(flow(Odd))


@pytest.mark.behaviour("T177")
async def test_a_clean_up_that_fails_is_printed_and_hides_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """The run keeps its result, and the other clean-ups run."""
    cleaned: list[str] = []

    def look(ctx: Context) -> None:
        ctx.on_dispose(lambda: cleaned.append("other"))
        ctx.on_dispose(lambda: 1 / 0)

    run = await record(flow(looking_at_the_context(look)))

    assert ("ok", ["other"]) == (run.output, cleaned)
    assert "ZeroDivisionError" in capsys.readouterr().err


async def test_clean_ups_are_not_hit_by_an_abort_that_is_still_on_its_way() -> None:
    """A hook that aborts and raises at once leaves the cancellation to the next await, which is a clean-up's."""
    cleaned: list[str] = []

    async def clean(name: str) -> None:
        await asyncio.sleep(0)
        cleaned.append(name)

    def look(ctx: Context) -> None:
        ctx.on_dispose(lambda: clean("first"))
        ctx.on_dispose(lambda: clean("second"))
        ctx.abort("at once")
        raise LookupError("and an error")

    with pytest.raises(RunAborted, match="at once"):
        await record(flow(looking_at_the_context(look)))

    assert ["second", "first"] == cleaned


# -- events


def test_a_log_that_means_nothing_is_refused() -> None:
    """A misspelt word isn't taken for true."""
    with pytest.raises(ValueError, match="`log` is 'verbos'"):
        Thena(flow(speaker("one"))).run_sync("x", log="verbos")  # type: ignore[arg-type]


async def test_a_late_subscriber_gets_everything_from_the_start() -> None:
    """`on_event` replays, `event_stream` too, and both end with the run."""
    async with Thena(flow(speaker("one"), speaker("two"))) as app:
        handle = app.run("x")
        early: list[Event] = []
        handle.on_event(early.append)
        await handle
        late: list[Event] = []
        handle.on_event(late.append)
        streamed = [event async for event in handle.event_stream()]

    assert early == late == streamed
    assert list(range(1, 11)) == [event.sequence for event in early]


async def test_a_stream_goes_along_with_the_run_and_ends_with_it() -> None:
    """Two readers at once see the same."""
    async with Thena(flow(speaker("one", delay=0.01), speaker("two", delay=0.01))) as app:
        handle = app.run("x")

        async def read() -> list[Event]:
            return [event async for event in handle.event_stream()]

        async with asyncio.timeout(10):
            first, second = await asyncio.gather(read(), read())

    assert first == second
    assert ("workflow", "end") == (first[-1].kind, first[-1].phase)


async def test_a_listener_that_fails_or_leaves_changes_nothing() -> None:
    """Its exceptions are its own, and after unsubscribing it hears no more."""
    heard: list[Event] = []

    async with Thena(flow(speaker("one"))) as app:
        handle = app.run("x")
        handle.on_event(lambda event: 1 / 0)
        unsubscribe = handle.on_event(heard.append)
        unsubscribe()

        assert "one" == await handle

    assert [] == heard


def test_the_log_draws_the_tree_of_the_seeds() -> None:
    """With `log=True` the tool's node stands inside the chat that asked for it."""

    @Tool(name="read_file", description="Read.")
    class Read:
        def execute(self) -> str:
            return "text"

    @Agent(provider=ScriptedProvider([tool_call("read_file")]), prompt=Prompt("p"), tools=[Read])
    class Reader:
        pass

    app = Thena(flow(loop([Reader], until=lambda ctx: True)), ThenaConfig(log=True))
    out = io.StringIO()
    with redirect_stdout(out):
        app.run_sync("x")
    lines = [line.partition("  ✓")[0] for line in out.getvalue().splitlines()]
    without_times = [line.rsplit("  ", 1)[0] if "◂" in line else line for line in lines]

    assert [
        "[thena] ▸ workflow Flow",
        "[thena]   ▸ loop",
        "[thena]     ▸ agent Reader",
        "[thena]       ▸ chat",
        "[thena]         ▸ tool read_file",
        "[thena]         ◂ tool read_file",
        "[thena]       ◂ chat",
        "[thena]     ◂ agent Reader",
        "[thena]   ◂ loop",
        "[thena] ◂ workflow Flow",
    ] == without_times


def test_a_callable_log_gets_the_events_and_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """The run's own `log` wins over the app's."""
    events: list[Event] = []

    Thena(flow(speaker("one")), ThenaConfig(log=True)).run_sync("x", log=events.append)

    assert 6 == len(events)
    assert "" == capsys.readouterr().out


# -- the context


async def test_free_fields_are_attributes() -> None:
    """They travel from step to step; one that was never set says so, and `get` has a default."""
    seen: list[object] = []

    def write(ctx: Context) -> None:
        ctx.attempts = ctx.get("attempts", 0) + 1

    def read(ctx: Context) -> None:
        seen.append(ctx.attempts)
        del ctx.attempts
        with pytest.raises(AttributeError, match=r"`ctx.attempts` was never set in this run"):
            _ = ctx.attempts

    await record(flow(*[looking_at_the_context(look) for look in (write, write, read)]))

    assert [2] == seen


@pytest.mark.behaviour("W33")
@pytest.mark.parametrize("name", ["turn", "state", "output", "run_id", "stop", "budget", "data", "_facts"])
async def test_names_of_the_runtime_can_not_be_overwritten(name: str) -> None:
    """The text says who owns the name."""

    def look(ctx: Context) -> None:
        with pytest.raises(AttributeError, match=f"`ctx.{name}` belongs to the runtime"):
            setattr(ctx, name, 1)

    assert "ok" == (await record(flow(looking_at_the_context(look)))).output


@pytest.mark.behaviour("W32")
async def test_the_current_context_is_the_very_same_object() -> None:
    """What is written through one door is read through the other."""

    def look(ctx: Context) -> None:
        assert current_context() is ctx

    assert "ok" == (await record(flow(looking_at_the_context(look)))).output


@pytest.mark.behaviour("T158", "T159")
def test_outside_a_run_there_is_no_current_context() -> None:
    """The text says where to call it."""
    with pytest.raises(OutsideRunError, match="THN702 `current_context\\(\\)` is used outside a run"):
        current_context()


def test_a_context_ends_with_its_run() -> None:
    """After a run the caller's own code is outside again."""
    Thena(flow(speaker("x"))).run_sync("x")

    with pytest.raises(OutsideRunError):
        current_context()


@pytest.mark.behaviour("T179")
async def test_meta_adds_to_the_open_node() -> None:
    """The agent's node in a hook."""
    run = await record(flow(looking_at_the_context(lambda ctx: ctx.meta(tenant="acme"))))

    (ended,) = [event for event in run.events if event.kind == "agent" and event.phase == "end"]
    assert {"tenant": "acme"} == ended.data


def test_buckets_refuse_what_the_model_could_not_read() -> None:
    """A wrong type, a bare string for a list, and an unknown bucket are told."""
    conversation = Conversation()

    with pytest.raises(TypeError, match="`memory` holds `str` values, but got `int`"):
        conversation.append("memory", 7)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="`tasks` holds a list, but got a string"):
        conversation.set("tasks", "all of it")
    with pytest.raises(TypeError, match=r"`memory` holds a list, but got `int`. Write `\[...\]`."):
        Conversation.seeded({"memory": 1})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="a conversation begins with buckets, but got `int`"):
        Conversation.seeded(5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no bucket `mood`"):
        conversation.append("mood", "good")  # type: ignore[call-overload]


# -- nested runs


@pytest.mark.behaviour("W5")
async def test_a_workflow_as_a_step_is_a_run_of_its_own() -> None:
    """It begins with the last message, keeps its conversation and state to itself, and gives its output."""
    inner_provider = ScriptedProvider(["inner answer"])
    order: list[str] = []

    class Counted:
        count = 0

    @Agent(provider=inner_provider, prompt=Prompt("inner"))
    class Inner:
        def __init__(self, s: State[Counted]) -> None:
            self.s = s

        def after_response(self, response: str, ctx: Context) -> str:
            self.s.count += 1
            ctx.on_dispose(lambda: order.append("inner cleaned"))
            return f"{response} {self.s.count} {ctx.data}"

    @Workflow(steps=[Inner], state=Counted)
    class Nested:
        pass

    outer = looking_at_the_context(lambda ctx: order.append("outer"))
    run = await record(flow(speaker("question"), Nested, outer), "go", data="acme", state={"memory": ["secret"]})

    assert (Message("system", "inner"), Message("user", "question")) == inner_provider.calls[0].messages
    assert "inner answer 1 acme" == run.conversation.history[2].content
    assert ["inner cleaned", "outer"] == order
    assert "  workflow Nested ok\n    agent Inner ok" in run.tree


def test_an_abort_from_another_thread_reaches_the_run() -> None:
    """`handle.abort` may be called from anywhere."""

    async def main() -> None:
        async with Thena(flow(speaker("never", delay=60))) as app:
            handle = app.run("x")
            await until(handle.on_event, "chat", "start")
            threading.Thread(target=handle.abort, args=["from a thread"]).start()
            async with asyncio.timeout(10):
                await handle

    with pytest.raises(RunAborted, match="from a thread"):
        asyncio.run(main())

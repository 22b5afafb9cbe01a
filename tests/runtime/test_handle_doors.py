"""Each door of a handle where it can't work: inside its own run, in another event loop, after a failure or an abort."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any

import pytest

from thena_runtime import (
    Agent,
    Budget,
    BudgetExceededError,
    Context,
    Event,
    FatalToolError,
    Prompt,
    RunAborted,
    RunHandle,
    ScriptedProvider,
    Thena,
    ThenaConfig,
    Token,
    Tool,
    Workflow,
    WorkflowRuntime,
    loop,
    parallel,
    tool_call,
    until_answered,
)

INSIDE = "inside the run that it waits for.*Use it where the run is started"
ELSEWHERE = "in another event loop than the one that the run goes on in.*run_coroutine_threadsafe"


def app_of(*steps: Any) -> Thena:
    """An app with a workflow of these steps."""
    return Thena(Workflow(steps=steps)(type("Flow", (), {})))


def speaker(*turns: object, delay: float = 0.0) -> type:
    """An agent that plays these turns."""
    return Agent(provider=ScriptedProvider(turns, delay), prompt=Prompt("p"))(type("Speaker", (), {}))  # type: ignore[arg-type, type-var]


def slow() -> type:
    """An agent whose model never answers."""
    return speaker("never", delay=600)


async def met(condition: Callable[[], bool]) -> None:
    """Give way to the event loop until a condition is met."""
    for _ in range(10_000):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("it was never met")


Do = Callable[[RunHandle, Thena], Awaitable[object]]


async def await_it(handle: RunHandle, app: Thena) -> object:
    """The plain door."""
    return await handle


async def wait_for_it(handle: RunHandle, app: Thena) -> object:
    """With a time limit, which puts a task in between on some versions."""
    return await asyncio.wait_for(handle, 30)


async def gather_it(handle: RunHandle, app: Thena) -> object:
    """In a task in between."""
    return await asyncio.gather(handle)


async def settle_it(handle: RunHandle, app: Thena) -> object:
    """Wait without the outcome."""
    return await handle.settle()


async def enter_it(handle: RunHandle, app: Thena) -> object:
    """As a block, whose end waits."""
    async with handle:
        return "never"


async def close_it(handle: RunHandle, app: Thena) -> object:
    """Close the app, which waits for its runs."""
    return await app.close()


DOORS: list[Do] = [await_it, wait_for_it, gather_it, settle_it, enter_it, close_it]


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("place", ["tool", "nested", "hook", "until"])
async def test_a_run_that_waits_for_its_own_end_is_told_so_at_once(door: Do, place: str) -> None:
    """Anywhere inside, by whatever door: the run ends with a text that says where to wait instead."""
    handles: list[RunHandle] = []
    apps: list[Thena] = []

    async def use() -> object:
        return await door(handles[0], apps[0])

    @Tool(name="use", description="Use it.")
    class Use:
        async def execute(self) -> str:
            return str(await use())

    @Tool(name="nest", description="Nest it.")
    class Nest:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> str:
            return str(await self.runtime.run(Workflow(steps=[inner])(type("Sub", (), {})), "x"))

    @Agent(provider=ScriptedProvider([tool_call("use")]), prompt=Prompt("p"), tools=[Use])
    class Inner:
        pass

    inner = Inner
    turn = {"tool": tool_call("use"), "nested": tool_call("nest")}.get(place, "done")

    @Agent(provider=ScriptedProvider([turn, "done"]), prompt=Prompt("p"), tools=[Use, Nest])
    class Outer:
        async def after_response(self, response: str) -> None:
            if place == "hook":
                await use()

    async def until(ctx: Context) -> bool:
        return bool(place == "until" and await use())

    app = app_of(loop([Outer], until=until if place == "until" else until_answered))
    apps.append(app)
    handles.append(app.run("go"))

    with pytest.raises(FatalToolError, match=INSIDE):
        async with asyncio.timeout(30):
            await handles[0]
    # What was refused has closed nothing.
    assert "error" == handles[0].stopped_by
    await app.run("again").settle()


@pytest.mark.parametrize("stream", ["event_stream", "text_stream"])
async def test_a_stream_of_one_s_own_run_can_be_read_as_far_as_it_is(stream: str) -> None:
    """Inside the run its only task gets what was published, and is told where nothing more can come."""
    handles: list[RunHandle] = []
    seen: list[object] = []

    @Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("p"))
    class Reading:
        async def after_response(self, response: str) -> None:
            async for item in getattr(handles[0], stream)():
                seen.append(item)

    handles.append(app_of(Reading).run("go"))

    with pytest.raises(FatalToolError, match=f"`handle.{stream}..` is read inside its own run.*in a task of its own"):
        async with asyncio.timeout(30):
            await handles[0]
    # Workflow and agent begin, the chat begins and ends; and one token.
    assert (4 if stream == "event_stream" else 1) == len(seen)


async def test_a_branch_can_watch_its_own_run() -> None:
    """Where another branch goes on, what it does comes, so waiting for it is no mistake."""
    handles: list[RunHandle] = []
    seen: list[str] = []

    @Agent(provider=ScriptedProvider(["watched"]), prompt=Prompt("p"))
    class Watching:
        async def after_response(self, response: str) -> None:
            async for token in handles[0].text_stream():
                seen.append(token.text)
                if token.text == "other":
                    break

    handles.append(app_of(parallel([Watching, speaker("other", delay=0.02)])).run("go"))

    assert "other" == await handles[0]
    assert "other" == seen[-1]


async def test_a_task_that_a_run_starts_can_watch_it_to_its_end() -> None:
    """The run doesn't wait for the task, so the task may wait for the run's events."""
    handles: list[RunHandle] = []
    watching: list[asyncio.Task[list[str]]] = []

    @Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("p"))
    class Starting:
        def before_prompt(self, prompt: str) -> None:
            async def watch() -> list[str]:
                return [f"{event.kind} {event.phase}" async for event in handles[0].event_stream()]

            watching.append(asyncio.create_task(watch()))

    handles.append(app_of(Starting).run("go"))
    await handles[0]

    assert "workflow end" == (await watching[0])[-1]


async def test_what_a_listener_starts_is_no_part_of_the_run() -> None:
    """It is called in the context of who added it, so a task that it starts may await the handle."""
    mine: ContextVar[str] = ContextVar("mine", default="nobody's")
    mine.set("the caller's")
    seen: list[str] = []
    tasks: list[asyncio.Task[object]] = []
    handle = app_of(speaker("done", delay=0.01)).run("go")

    async def result() -> object:
        return await handle

    def listen(event: Event) -> None:
        seen.append(mine.get())
        if not tasks:
            tasks.append(asyncio.create_task(result()))

    handle.on_event(listen)
    await handle

    assert {"the caller's"} == set(seen)
    assert "done" == await tasks[0]


# -- another event loop


async def read_events(handle: RunHandle, app: Thena) -> object:
    """Read all events."""
    return [event async for event in handle.event_stream()]


async def read_tokens(handle: RunHandle, app: Thena) -> object:
    """Read all tokens."""
    return [token async for token in handle.text_stream()]


@pytest.mark.parametrize("door", [*DOORS, read_events, read_tokens])
async def test_a_handle_that_is_used_in_another_event_loop_says_so(door: Do) -> None:
    """A thread with a loop of its own gets the repair, and the run isn't touched."""
    app = app_of(speaker("done", delay=0.05))
    handle = app.run("go")

    def elsewhere() -> None:
        with pytest.raises(RuntimeError, match=ELSEWHERE):
            asyncio.run(asyncio.wait_for(door(handle, app), 30))

    await asyncio.to_thread(elsewhere)

    assert "done" == await handle


async def test_a_run_that_is_over_can_be_awaited_in_any_event_loop() -> None:
    """There is nothing left to wait for."""
    handle = app_of(speaker("done")).run("go")
    await handle

    async def again() -> object:
        await handle.settle()
        return await handle

    assert "done" == await asyncio.to_thread(asyncio.run, again())


def test_what_was_lost_with_its_event_loop_keeps_no_app_from_closing() -> None:
    """A run whose loop was closed under it can't be waited for; the app closes without it."""
    closed: list[str] = []

    class Closing(ScriptedProvider):
        async def close(self) -> None:
            closed.append("closed")

    app = app_of(Agent(provider=Closing(["never"], delay=600), prompt=Prompt("p"))(type("Slow", (), {})))

    async def start() -> RunHandle:
        return app.run("go")

    lost = asyncio.new_event_loop()
    handle = lost.run_until_complete(start())
    pending = asyncio.all_tasks(lost)
    lost.close()
    asyncio.run(app.close(timeout=30))
    handle.abort("too late")
    for task in pending:  # the loop that was closed can't end them, and each would be told of
        task._log_destroy_pending = False  # type: ignore[attr-defined]

    assert ["closed"] == closed


async def test_a_thread_can_abort_a_run_whenever_it_likes() -> None:
    """While it goes on the reason is the run's; once it is over nothing happens."""
    handle = app_of(slow()).run("go")
    await asyncio.to_thread(handle.abort, "from a thread")
    with pytest.raises(RunAborted, match="from a thread"):
        await handle

    thread = threading.Thread(target=handle.abort)
    thread.start()
    await asyncio.to_thread(thread.join)
    assert "abort" == handle.stopped_by


def test_a_thread_can_abort_a_run_whose_event_loop_is_closed() -> None:
    """It is over, and nothing happens."""

    async def main() -> RunHandle:
        handle = app_of(speaker("done")).run("go")
        await handle
        return handle

    handle = asyncio.run(main())
    handle.abort()
    thread = threading.Thread(target=handle.abort)
    thread.start()
    thread.join()

    assert ("done", None) == (handle.result, handle.stopped_by)


# -- after a failure or an abort


@pytest.mark.parametrize(
    ("steps", "budget", "reason", "stopped_by"),
    [
        ([speaker("one"), speaker(LookupError("no model"))], None, None, "error"),
        ([speaker("one"), slow()], None, "enough", "abort"),
        ([speaker("one"), speaker("two")], Budget(max_chat_calls=1, mode="raise"), None, "budget"),
    ],
)
async def test_what_happened_can_be_asked_after_a_failure(
    steps: list[type], budget: Budget | None, reason: object, stopped_by: str
) -> None:
    """`stopped_by` and `state` answer without raising what the run raised."""
    handle = app_of(*steps).run("go", budget=budget)
    if reason is not None:
        ended: list[Event] = []
        handle.on_event(lambda event: ended.append(event) if (event.kind, event.phase) == ("agent", "end") else None)
        await met(lambda: bool(ended))
        handle.abort(reason)
    with pytest.raises((LookupError, RunAborted, BudgetExceededError)):
        await handle

    assert stopped_by == handle.stopped_by
    assert ["go", "one"] == [message.content for message in handle.state.history]


async def test_a_run_that_goes_on_has_no_end_to_tell_of() -> None:
    """`result`, `state` and `stopped_by` say that the handle is to be awaited first."""
    async with app_of(slow()).run("go") as handle:
        for member in ("result", "state", "stopped_by"):
            with pytest.raises(RuntimeError, match=r"the run still goes on\. Await its handle first"):
                getattr(handle, member)


# -- reasons


class TwoError(Exception):
    """An exception that can't be made without arguments."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(one, two)


@pytest.mark.parametrize(
    ("reason", "raised"),
    [
        (ValueError, ValueError),
        (TimeoutError("late"), TimeoutError),
        (TwoError, RunAborted),
        (StopIteration(1), RunAborted),
        (StopIteration, RunAborted),
        (StopAsyncIteration(), RunAborted),
        (KeyboardInterrupt(), RunAborted),
        (KeyboardInterrupt, RunAborted),
        (SystemExit(3), RunAborted),
        (asyncio.CancelledError("x"), RunAborted),
        (GeneratorExit(), RunAborted),
        (int, RunAborted),
        (None, RunAborted),
    ],
)
@pytest.mark.parametrize("where", ["handle", "context"])
async def test_a_reason_is_raised_as_by_raise_or_wrapped(reason: Any, raised: type[Exception], where: str) -> None:
    """A class is made an exception; what a run can't raise, or what would end the program, is in `RunAborted`."""

    @Agent(provider=ScriptedProvider(["never"], delay=600), prompt=Prompt("p"))
    class Slow:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            if where == "context":
                ctx.abort(reason)

    handle = app_of(Slow).run("go")
    if where == "handle":
        handle.abort(reason)
    with pytest.raises(raised) as caught:
        await handle

    assert raised is type(caught.value)
    if isinstance(caught.value, RunAborted):
        assert not str(caught.value).endswith(": ")
        given = caught.value.reason
        is_made = isinstance(given, BaseException) and isinstance(reason, type)
        assert isinstance(given, reason) if is_made else reason is given
        assert (given if isinstance(given, BaseException) else None) is caught.value.__cause__
    elif not isinstance(reason, type):
        assert reason is caught.value


# -- listeners


class Odd(BaseException):
    """What is no `Exception` and is of somebody's own."""


@pytest.mark.parametrize("kind", ["on_event", "on_token", "log", "on_exceeded", "on_dispose"])
async def test_a_listener_that_raises_anything_odd_changes_nothing(kind: str) -> None:
    """Like a callback of asyncio's: what isn't meant for the program as a whole stays where it is."""

    def listen(told: object) -> None:
        raise Odd(told)

    @Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("p"))
    class Speaker:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            if kind == "on_dispose":
                ctx.on_dispose(lambda: listen(ctx))

    budget = Budget(max_chat_calls=1, on_exceeded=listen) if kind == "on_exceeded" else None
    handle = app_of(Speaker, speaker("more")).run("go", budget=budget, log=listen if kind == "log" else None)
    if kind in ("on_event", "on_token"):
        getattr(handle, kind)(listen)

    assert ("done" if budget else "more") == await handle


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("kind", ["on_event", "on_token", "log"])
def test_a_listener_can_end_the_program(kind: str, error: type[BaseException]) -> None:
    """An interrupt that comes while a listener is called isn't lost: it goes through to who runs the loop."""

    def listen(told: object) -> None:
        raise error

    async def main() -> None:
        handle = app_of(speaker("done")).run("go", log=listen if kind == "log" else None)
        if kind != "log":
            getattr(handle, kind)(listen)
        await handle

    with pytest.raises(error):
        asyncio.run(main())


async def test_gaps_are_a_kind_that_can_be_asked_for() -> None:
    """Alone they are all that is given; beside another kind they come in any case."""
    app = Thena(Workflow(steps=[speaker("a"), speaker("b")])(type("Flow", (), {})), ThenaConfig(keep_bytes=1))
    handle = app.run("go")
    await handle

    async def told(*kinds: Any) -> list[tuple[str, int]]:
        stream: Any = handle.text_stream(*kinds)
        tokens: list[Token] = [token async for token in stream]
        return [(token.kind, token.lost) for token in tokens]

    assert [("gap", 1)] == await told("gap")
    assert [("gap", 1), ("text", 0)] == await told("text", "gap") == await told()
    with pytest.raises(ValueError, match=r"text, thinking, tool_call, gap"):
        handle.text_stream("gaps")  # type: ignore[arg-type]


# -- waiting


async def test_who_waits_again_and_again_leaves_nothing_behind() -> None:
    """A wait that was given up isn't kept by the run."""
    handle = app_of(slow()).run("go")
    for _ in range(5):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(handle, 0.001)
    assert {} == handle._waiting
    handle.abort()
    await handle.settle()


async def test_leaving_the_block_waits_for_the_run_whatever_happens() -> None:
    """A second cancellation doesn't leave the run behind that the block stands for."""
    cleaned: list[str] = []

    @Agent(provider=ScriptedProvider(["never"], delay=600), prompt=Prompt("p"))
    class Slow:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            async def clean_up() -> None:
                for _ in range(10):
                    await asyncio.sleep(0)
                cleaned.append("cleaned")

            ctx.on_dispose(clean_up)

    handles: list[RunHandle] = []

    async def block() -> None:
        async with app_of(Slow).run("go") as handle:
            handles.append(handle)
            await handle

    task = asyncio.create_task(block())
    for _ in range(5):
        await asyncio.sleep(0)
    task.cancel()
    for _ in range(4):
        await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    assert (["cleaned"], True) == (cleaned, handles[0].done)


async def test_an_app_that_closes_in_time_doesn_t_wait_for_a_run_that_is_stuck() -> None:
    """`timeout` bounds the wait also where a nested run beside the run hears nothing."""
    begun, stuck = asyncio.Event(), asyncio.Event()
    tasks: list[asyncio.Task[object]] = []

    @Tool(name="deaf", description="Hear nothing.")
    class Deaf:
        async def execute(self) -> str:
            begun.set()
            while not stuck.is_set():
                try:
                    await stuck.wait()
                except asyncio.CancelledError:
                    continue
            return "at last"

    @Agent(provider=ScriptedProvider([tool_call("deaf")]), prompt=Prompt("p"), tools=[Deaf])
    class Inner:
        pass

    @Tool(name="leave", description="Leave it.")
    class Leave:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> str:
            tasks.append(asyncio.create_task(self.runtime.run(Workflow(steps=[Inner])(type("Sub", (), {})), "x")))
            await begun.wait()
            return "left"

    @Agent(provider=ScriptedProvider([tool_call("leave")]), prompt=Prompt("p"), tools=[Leave])
    class Outer:
        pass

    app = app_of(Outer)
    handle = app.run("go")
    await begun.wait()
    await app.close(timeout=0.01)
    assert not handle.done

    stuck.set()
    with pytest.raises(RunAborted, match="the app was closed"):
        await tasks[0]
    await handle.settle()
    assert "abort" == handle.stopped_by

"""Closing an app while `run_sync` goes on in other threads: these runs are ended and waited for like all others."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from thena_runtime import (
    Agent,
    Context,
    FatalToolError,
    Prompt,
    RunAborted,
    ScriptedProvider,
    Thena,
    Tool,
    Workflow,
    tool_call,
)

LONGEST_WAIT = 30


class Inside:
    """What tools tell of the runs that they are in."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.loops: list[asyncio.AbstractEventLoop] = []
        self.cleaned: list[str] = []
        self.release = threading.Event()

    async def all_begun(self, count: int) -> None:
        """Wait until so many tools are at work."""
        for _ in range(count):
            assert await asyncio.to_thread(self.begun.acquire, timeout=LONGEST_WAIT)


def app_of(inside: Inside, *, hears: bool = True) -> Thena:
    """An app whose runs call a tool that goes on until it is cancelled, or until it is released if it hears nothing."""

    @Tool(name="work", description="Work.")
    class Work:
        async def execute(self, ctx: Context) -> str:
            ctx.on_dispose(lambda: inside.cleaned.append(ctx.run_id))
            inside.loops.append(asyncio.get_running_loop())
            inside.begun.release()
            while hears or not inside.release.is_set():
                try:
                    await asyncio.sleep(600 if hears else 0.001)
                except asyncio.CancelledError:
                    if hears:
                        raise
            return "at last"

    @Agent(provider=ScriptedProvider([tool_call("work")]), prompt=Prompt("p"), tools=[Work])
    class Working:
        pass

    return Thena(Workflow(steps=[Working])(type("Flow", (), {})))


@contextmanager
def threads(count: int, do: Callable[[], object]) -> Iterator[list[object]]:
    """Have so many threads do this, and wait for them afterwards. Gives what each returned or raised."""
    ends: list[object] = []

    def work() -> None:
        try:
            ends.append(do())
        except Exception as error:
            ends.append(repr(error))

    started = [threading.Thread(target=work) for _ in range(count)]
    for thread in started:
        thread.start()
    try:
        yield ends
    finally:
        for thread in started:
            thread.join(LONGEST_WAIT)
        assert not any(thread.is_alive() for thread in started)


@pytest.mark.parametrize("count", [1, 20])
async def test_runs_in_other_threads_are_over_when_the_app_is_closed(count: int) -> None:
    """Each is aborted with its clean-ups done, and its event loop is closed by then."""
    inside = Inside()
    app = app_of(inside)

    with threads(count, lambda: app.run_sync("go")) as ends:
        await inside.all_begun(count)
        await app.close()
        closed = [loop.is_closed() for loop in inside.loops]
        cleaned = len(inside.cleaned)

    assert ([True] * count, count) == (closed, cleaned)
    assert ["RunAborted('the app was closed')"] * count == ends


async def test_runs_of_both_kinds_are_ended_together() -> None:
    """A handle's run goes on here, the other in a thread; leaving the app ends both."""
    inside = Inside()
    async with app_of(inside) as app:
        handle = app.run("go")
        with threads(1, lambda: app.run_sync("go")) as ends:
            await inside.all_begun(2)
            await app.close()
            assert handle.done

    with pytest.raises(RunAborted, match="the app was closed"):
        await handle
    assert ["RunAborted('the app was closed')"] == ends


async def test_closing_in_time_does_not_wait_for_a_thread_that_is_stuck() -> None:
    """The run there goes on until it gives in, and raises then."""
    inside = Inside()
    app = app_of(inside, hears=False)

    with threads(1, lambda: app.run_sync("go")) as ends:
        await inside.all_begun(1)
        await app.close(timeout=0.01)
        open_ends = list(ends)
        inside.release.set()

    assert [] == open_ends
    assert ["RunAborted('the app was closed')"] == ends
    # It is known to be over by now, so that nobody waits.
    await app.close()


async def test_a_run_that_is_over_is_not_waited_for() -> None:
    """Whether it gave an output or failed, closing comes back at once."""
    agents: list[Any] = [ScriptedProvider(["done"]), ScriptedProvider([LookupError("no model")])]
    for provider, end in zip(agents, ["done", "LookupError('no model')"], strict=True):
        agent: type = Agent(provider=provider, prompt=Prompt("p"))(type("Speaker", (), {}))
        app = Thena(Workflow(steps=[agent])(type("Flow", (), {})))
        with threads(1, lambda app=app: app.run_sync("go")) as ends:  # type: ignore[misc]
            pass
        await app.close(timeout=0)
        assert [end] == ends


def test_a_run_that_begins_while_the_app_is_closed_is_refused() -> None:
    """Closing it waits for no run that it doesn't know, so that none begins that it doesn't."""

    class Closes(type):
        def __instancecheck__(cls, value: object) -> bool:
            # The run's data is looked at after the app was seen to be open.
            if value == "now":
                with threads(1, lambda: asyncio.run(app.close())):
                    pass
            return True

    class Data(metaclass=Closes):
        pass

    provider = ScriptedProvider(["never"])
    agent: type = Agent(provider=provider, prompt=Prompt("p"))(type("Speaker", (), {}))
    app = Thena(Workflow(steps=[agent])(type("Flow", (), {})), data=Data)

    with pytest.raises(RuntimeError, match=r"^\[thena\] the app was closed and runs nothing more"):
        app.run_sync("go", data="now")  # type: ignore[arg-type]
    assert [] == provider.calls


@pytest.mark.parametrize("way", ["async", "sync"])
def test_a_run_can_not_close_its_own_app(way: str) -> None:
    """It would wait for itself, in its own thread or in the thread of a sync tool; nothing is closed."""

    async def close() -> None:
        """Close the app."""
        await app.close()

    def close_in_a_loop() -> None:
        """Close the app."""
        asyncio.run(app.close())

    tool = close if way == "async" else close_in_a_loop
    agent: type = Agent(
        provider=ScriptedProvider([tool_call(tool.__name__)]),
        prompt=Prompt("p"),
        tools=[tool],
    )(type("Closing", (), {}))
    app = Thena(Workflow(steps=[agent])(type("Flow", (), {})))

    for _ in range(2):
        with pytest.raises(FatalToolError, match=r"`app.close\(\)` is used inside the run that it waits for"):
            app.run_sync("go")

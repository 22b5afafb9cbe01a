"""A `CancelledError` that nobody asked for is a failure of whoever raised it, and never passes for an abort."""

import asyncio

import pytest

from thena_runtime import (
    Agent,
    Budget,
    Context,
    Plugin,
    Prompt,
    ScriptedProvider,
    Thena,
    ThenaConfig,
    Workflow,
    loop,
    parallel,
)
from thena_runtime.observability.events import Event

STRAY = "raised `asyncio.CancelledError`, and nobody had cancelled it"


def agent(provider: ScriptedProvider) -> type:
    """An agent of this provider."""

    @Agent(provider=provider, prompt=Prompt("Work."))
    class Worker:
        pass

    return Worker


def app(*steps: object, config: ThenaConfig | None = None) -> Thena[object, object]:
    """An app of these steps."""

    @Workflow(steps=list(steps))
    class Flow:
        pass

    return Thena(Flow, config)


def strays(*_: object) -> str:
    """Raise what only a cancellation should."""
    raise asyncio.CancelledError("a library's own")


async def test_one_from_a_provider_is_an_error_of_the_run() -> None:
    """Inside a task group the failure is seen, and doesn't end the group in silence."""

    async def job() -> None:
        await app(agent(ScriptedProvider([strays]))).run("go")

    with pytest.raises(ExceptionGroup) as caught:
        async with asyncio.TaskGroup() as group:
            group.create_task(job())

    [error] = caught.value.exceptions
    assert STRAY in str(error)


async def test_one_from_until_is_an_error_of_the_run() -> None:
    """Whatever of the user's code raises it, the run says so."""

    def until(ctx: Context) -> bool:
        raise asyncio.CancelledError

    with pytest.raises(RuntimeError) as caught:
        await app(loop([agent(ScriptedProvider(["x"]))], until=until)).run("go")
    assert (
        "[thena] something in the run raised `asyncio.CancelledError`, and nobody had cancelled it. "
        "Catch it where it is raised, or raise another error."
    ) == str(caught.value)


async def test_a_branch_that_raises_one_ends_its_siblings() -> None:
    """The block ends with the failure at once, as with any other, and the sibling is cancelled."""
    slow = agent(ScriptedProvider(["late"], delay=60))

    with pytest.raises(RuntimeError, match=STRAY):
        async with asyncio.timeout(20):
            await app(parallel([agent(ScriptedProvider([strays])), slow])).run("go")


async def test_a_caller_s_own_cancellation_stays_one() -> None:
    """A task that is cancelled while it awaits a run sees the cancellation, and the run goes on."""
    handle = app(agent(ScriptedProvider(["done"], delay=0.05))).run("go")

    async def wait() -> object:
        return await handle

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await handle == "done"


async def test_listeners_that_raise_one_change_nothing() -> None:
    """A plugin's `on_event`, a log and `on_exceeded` are passed over, whatever they raise."""

    def listen(event: Event) -> None:
        raise asyncio.CancelledError

    worker = agent(ScriptedProvider(["done"]))
    watched = app(worker, worker, config=ThenaConfig(log=listen))
    await watched.use(Plugin(name="odd", on_event=listen))

    handle = watched.run("go", budget=Budget(max_chat_calls=1, on_exceeded=strays))

    assert await handle == "done"
    assert handle.stopped_by == "budget"

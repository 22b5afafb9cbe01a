"""The handle of a run: awaiting it, several of them, aborting it and watching it."""

import asyncio
import gc
import uuid

import pytest

from tests.support.loopback import Answer, serving
from thena_runtime import (
    Agent,
    Context,
    Event,
    OpenAIProvider,
    Prompt,
    ProviderError,
    RetryPolicy,
    RunAborted,
    RunHandle,
    ScriptedProvider,
    Thena,
    Workflow,
    loop,
)
from thena_runtime.steps import Step


def app_of(*steps: Step) -> Thena:
    """An app with a workflow of these steps."""
    return Thena(Workflow(steps=steps)(type("Flow", (), {})))


def agent(provider: object) -> type:
    """An agent with this model."""
    return Agent(provider=provider, prompt=Prompt("p"))(type("Speaker", (), {}))  # type: ignore[arg-type, type-var]


def speaker(*turns: object, delay: float = 0.0) -> type:
    """An agent that plays these turns."""
    return agent(ScriptedProvider(turns, delay))  # type: ignore[arg-type]


async def called(provider: ScriptedProvider) -> None:
    """Wait until the model was called."""
    for _ in range(10_000):
        if provider.calls:
            return
        await asyncio.sleep(0.001)
    raise AssertionError("the model was not called")


# -- awaiting


@pytest.mark.behaviour("T355", "T356")
async def test_the_result_can_be_awaited_again_and_read() -> None:
    """Awaiting gives the output as often as it is done; afterwards `result` has it."""
    handle = app_of(speaker("hello")).run("x")
    assert ("hello", "hello", "hello") == (await handle, await handle, handle.result)
    assert handle.done


@pytest.mark.behaviour("T357")
async def test_a_run_that_fails_raises_where_it_is_awaited_and_where_its_result_is_read() -> None:
    """`try`, `except` and `finally` work around both, and the error is the very one each time."""
    error = ValueError("no")
    handle = app_of(speaker(error)).run("x")
    for _ in range(2):
        with pytest.raises(ValueError) as caught:
            await handle
        assert error is caught.value
    with pytest.raises(ValueError):
        _ = handle.result


@pytest.mark.behaviour("T358", "T360")
async def test_handles_can_be_gathered_and_waited_for_like_other_awaitables() -> None:
    """Several runs go on at the same time, each with its own id."""
    app = app_of(speaker("hello", delay=0.01))
    handles = [app.run("x") for _ in range(3)]
    assert ["hello"] * 3 == await asyncio.gather(*handles)
    assert 3 == len({handle.run_id for handle in handles})
    assert "hello" == await asyncio.wait_for(app.run("x"), 10)


@pytest.mark.behaviour("T359", "T361")
async def test_the_id_is_there_before_anything_has_happened() -> None:
    """It is a UUID, and the one of every event."""
    handle = app_of(speaker("hello")).run("x")
    assert handle.run_id == str(uuid.UUID(handle.run_id))
    assert not handle.done
    await handle
    assert {handle.run_id} == {event.run_id async for event in handle.event_stream()}


async def test_cancelling_everybody_who_waits_leaves_the_run_alone() -> None:
    """A time limit around the await ends the wait and not the run, which can be awaited again."""
    handle = app_of(speaker("done", delay=0.2)).run("x")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await handle
    assert "done" == await handle


@pytest.mark.parametrize("waits", [False, True])
async def test_a_failure_that_nobody_fetches_makes_no_noise(waits: bool) -> None:
    """A run that nobody awaits, or nobody awaits any longer, isn't reported by the event loop when it fails."""
    told: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
    app = app_of(speaker(ValueError("unseen"), delay=0.02))
    handle: RunHandle | None = app.run("x")
    assert handle is not None
    if waits:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(handle, 0.001)
    await handle.settle()
    handle = None
    await app.close()
    gc.collect()
    await asyncio.sleep(0)
    assert [] == told


# -- aborting


@pytest.mark.behaviour("T362", "T365")
async def test_an_abort_cuts_a_model_call_at_once() -> None:
    """The call that goes on is the only one; without a reason the error is a plain `RunAborted`."""
    provider = ScriptedProvider(["never"], delay=60)
    handle = app_of(agent(provider)).run("x")
    await called(provider)
    handle.abort()
    with pytest.raises(
        RunAborted, match=r"^\[thena\] THN705 `app.run\(...\)` is aborted: no reason is given$"
    ) as caught:
        async with asyncio.timeout(10):
            await handle
    assert caught.value.reason is None
    assert 1 == len(provider.calls)


@pytest.mark.behaviour("T363")
async def test_an_abort_in_until_ends_the_loop_after_this_iteration() -> None:
    """What `until` returns no longer counts."""
    provider = ScriptedProvider(["again"])

    def until(ctx: Context) -> bool:
        ctx.abort("seen enough")
        return False

    handle = app_of(loop([agent(provider)], until=until)).run("x")
    with pytest.raises(RunAborted, match="seen enough"):
        await handle
    assert 1 == len(provider.calls)


@pytest.mark.behaviour("T368")
async def test_a_time_limit_can_be_the_reason() -> None:
    """A `TimeoutError` given to `abort` is what the run raises."""
    provider = ScriptedProvider(["never"], delay=60)
    handle = app_of(agent(provider)).run("x")
    asyncio.get_running_loop().call_later(0.01, handle.abort, TimeoutError("too slow"))
    with pytest.raises(TimeoutError, match="too slow"):
        async with asyncio.timeout(10):
            await handle


@pytest.mark.behaviour("T369")
@pytest.mark.parametrize("first", ["handle", "context"])
async def test_the_first_of_several_aborts_counts(first: str) -> None:
    """The handle and the context can both abort, and later reasons are passed over."""
    handles: list[RunHandle] = []

    @Agent(provider=ScriptedProvider(["never"], delay=60), prompt=Prompt("p"))
    class Aborting:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            aborts = [lambda: handles[0].abort("handle"), lambda: ctx.abort("context")]
            for abort in aborts if first == "handle" else reversed(aborts):
                abort()

    handles.append(app_of(Aborting).run("x"))
    with pytest.raises(RunAborted) as caught:
        await handles[0]
    assert first == caught.value.reason


@pytest.mark.behaviour("T370")
async def test_an_abort_reaches_nested_runs() -> None:
    """A workflow inside another isn't begun after an abort, and is cut off in the middle by one."""
    provider = ScriptedProvider(["never"], delay=60)
    inner = Workflow(steps=[agent(provider)])(type("Inner", (), {}))

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Aborting:
        def after_response(self, response: str, ctx: Context) -> None:
            ctx.abort("before")

    with pytest.raises(RunAborted, match="before"):
        await app_of(Aborting, inner).run("x")
    assert [] == provider.calls

    handle = app_of(inner).run("x")
    await called(provider)
    handle.abort("in the middle")
    with pytest.raises(RunAborted, match="in the middle"):
        async with asyncio.timeout(10):
            await handle


async def test_an_abort_after_the_end_changes_nothing() -> None:
    """A run that is over keeps its result."""
    handle = app_of(speaker("hello")).run("x")
    await handle
    handle.abort("too late")
    assert ("hello", None) == (await handle, handle.stopped_by)


@pytest.mark.behaviour("W36")
async def test_an_abort_is_no_failure_of_the_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the reason, the request is neither reported as failed nor repeated, and the server sees it end."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    retried: list[object] = []
    reason = ConnectionError("my own reason")
    half = 'data: {"choices": [{"delta": {"content": "half"}}]}\n\n'
    for answer, observe in ((Answer(silent=True), False), (Answer(chunks=[half], then="stall"), True)):
        async with serving(answer) as server:
            policy = RetryPolicy(initial_delay=0.0, on_retry=lambda failed, delay: retried.append(failed))
            async with app_of(agent(OpenAIProvider("m", base_url=server.url, retry=policy))) as app:
                handle = app.run("x", observe=observe)
                if observe:
                    assert "half" == (await anext(handle.text_stream())).text
                await server.wait_for(1)
                handle.abort(reason)
                with pytest.raises(ConnectionError) as caught:
                    await handle
                await asyncio.wait_for(server.abandoned.wait(), 30)
        assert reason is caught.value
        assert 1 == len(server.asked)
        assert ("half" if observe else "") == handle.partial_text
    assert [] == retried


@pytest.mark.behaviour("W45")
async def test_a_truncated_answer_fails_the_run_with_a_typed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error is the provider's own; the text that came is kept, and the conversation before it."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    half = 'data: {"choices": [{"delta": {"content": "half"}}]}\n\n'
    async with (
        serving(Answer(chunks=[half], then="cut")) as server,
        app_of(agent(OpenAIProvider("m", base_url=server.url))) as app,
    ):
        handle = app.run("x", observe=True)
        with pytest.raises(ProviderError, match="got no whole answer") as caught:
            await handle
    assert (False, "half", 1) == (caught.value.retryable, handle.partial_text, len(server.asked))
    assert ["x"] == [message.content for message in handle.state.history]


# -- watching


@pytest.mark.behaviour("T371")
async def test_who_subscribes_late_hears_the_beginning_too() -> None:
    """A listener that comes after the end is told every event from the start."""
    handle = app_of(speaker("hello")).run("x")
    early: list[Event] = []
    handle.on_event(early.append)
    await handle
    late: list[Event] = []
    handle.on_event(late.append)
    assert ("start", "workflow") == (late[0].phase, late[0].kind)
    assert early == late


@pytest.mark.behaviour("T372")
async def test_a_subscription_can_be_ended_in_the_middle() -> None:
    """No event comes after that."""
    handle = app_of(speaker("hello")).run("x")
    heard: list[Event] = []

    def listen(event: Event) -> None:
        heard.append(event)
        if event.kind == "agent":
            unsubscribe()

    unsubscribe = handle.on_event(listen)
    await handle
    assert ["workflow", "agent"] == [event.kind for event in heard]


@pytest.mark.behaviour("T373")
async def test_the_stream_of_events_ends_with_the_run() -> None:
    """Its last event is the end of the workflow, and it was there before the result."""
    handle = app_of(speaker("hello")).run("x")
    events = [event async for event in handle.event_stream()]
    assert ("end", "workflow", "ok") == (events[-1].phase, events[-1].kind, events[-1].status)
    assert list(range(1, len(events) + 1)) == [event.sequence for event in events]
    assert handle.done


@pytest.mark.behaviour("T374")
async def test_a_listener_that_raises_does_not_reach_the_run() -> None:
    """The run ends as without it."""

    def failing(event: Event) -> None:
        raise ValueError(event.kind)

    handle = app_of(speaker("hello")).run("x")
    handle.on_event(failing)
    assert "hello" == await handle

"""Plugins: how they are registered, which runs they see, and how they end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from thena_runtime import Agent, ChatInvocation, Completion, Plugin, Prompt, ScriptedProvider, Thena, Workflow
from thena_runtime.observability.events import Event

NextChat = Callable[[], Awaitable[Completion]]


@Agent(provider=ScriptedProvider(["done"], delay=0.01), prompt=Prompt("p"))
class Answering:
    """An agent that answers."""


@Workflow(steps=[Answering])
class Flow:
    """A workflow of one turn."""


async def test_a_plugin_is_set_up_before_it_is_registered() -> None:
    """`setup` may be async and is awaited; `use` gives the app back."""
    order: list[str] = []

    async def setup() -> None:
        order.append("setup")

    app = Thena(Flow)

    assert app is await app.use(Plugin(name="p", setup=setup, on_event=lambda event: order.append(event.kind)))
    await app.run("go")
    assert "setup" == order[0] and "workflow" == order[1]


async def test_a_plugin_that_can_not_be_set_up_is_not_registered() -> None:
    """The error names the plugin and carries its cause, and later runs don't see the plugin."""
    events: list[Event] = []

    def setup() -> None:
        raise LookupError("no such file")

    app = Thena(Flow)

    with pytest.raises(
        RuntimeError, match=r"plugin `tracing` couldn't be set up \(LookupError: no such file\)"
    ) as told:
        await app.use(Plugin(name="tracing", setup=setup, on_event=events.append))
    assert isinstance(told.value.__cause__, LookupError)
    await app.run("go")
    assert [] == events


async def test_a_run_keeps_the_plugins_that_it_began_with() -> None:
    """What is registered while a run goes on counts for the next one."""
    asked: list[str] = []
    events: list[str] = []

    async def noting(call: ChatInvocation, go_on: NextChat) -> Completion:
        asked.append(call.ctx.run_id)
        return await go_on()

    app = Thena(Flow)
    first = app.run("go")
    app.use(chat=noting)
    await app.use(Plugin(name="p", on_event=lambda event: events.append(event.run_id)))
    await first
    second = app.run("go")
    await second

    assert [second.run_id] == asked
    assert {second.run_id} == set(events)


async def test_a_listener_that_raises_changes_nothing() -> None:
    """The run ends as it would have, and other listeners get every event."""
    kinds: list[str] = []

    def broken(event: Event) -> None:
        raise LookupError("broken")

    app = Thena(Flow)
    await app.use(Plugin(name="broken", on_event=broken))
    await app.use(Plugin(name="kinds", on_event=lambda event: kinds.append(f"{event.phase} {event.kind}")))

    assert "done" == await app.run("go")
    assert ["start workflow", "start agent", "start chat", "end chat", "end agent", "end workflow"] == kinds


async def test_plugins_are_closed_with_the_app(capsys: pytest.CaptureFixture[str]) -> None:
    """In their order, each awaited, and one that fails is told of and keeps nobody from being closed."""
    closed: list[str] = []

    async def first() -> None:
        closed.append("first")

    def broken() -> None:
        raise LookupError("still open")

    async with Thena(Flow) as app:
        await app.use(Plugin(name="first", close=first))
        await app.use(Plugin(name="broken", close=broken))
        await app.use(Plugin(name="last", close=lambda: closed.append("last")))
        await app.run("go")
        assert [] == closed
    await app.close()

    assert ["first", "last"] == closed
    assert "plugin `broken` couldn't be closed" in capsys.readouterr().err


async def test_middlewares_alone_are_registered_at_once() -> None:
    """`app.use(chat=...)` may be awaited and need not be."""
    asked: list[str] = []

    async def noting(call: ChatInvocation, go_on: NextChat) -> Completion:
        asked.append("asked")
        return await go_on()

    app = Thena(Flow)
    app.use(chat=noting)
    assert app is await app.use(chat=noting)
    await app.run("go")

    assert ["asked", "asked"] == asked


@pytest.mark.behaviour("T231")
async def test_apps_do_not_share_plugins() -> None:
    """Closing one app leaves the plugins of another as they are."""
    events: list[Event] = []
    one, other = Thena(Flow), Thena(Flow)
    await one.use(Plugin(name="p", on_event=events.append))
    await other.close()
    await one.run("go")

    assert 6 == len(events)


async def test_a_plugin_that_can_not_work_is_refused() -> None:
    """Each part is checked when the plugin is made, and the error names plugin and part."""

    async def listener(event: Event) -> None:
        pass

    async def yielding(call: ChatInvocation, go_on: NextChat) -> AsyncIterator[Completion]:
        yield await go_on()

    class Listener:
        async def __call__(self, event: Event) -> None:
            pass

    for name in ("", None, 5):
        with pytest.raises(TypeError, match="a plugin has no name"):
            Plugin(name=name)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"`on_event` of plugin `p` is async, and events don't wait"):
        Plugin(name="p", on_event=Listener())
    with pytest.raises(TypeError, match=r"`chat` of plugin `p` is a generator, so nothing in it ever runs\. Return"):
        Plugin(name="p", chat=yielding)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"`on_event` of plugin `p` is async, and events don't wait"):
        Plugin(name="p", on_event=listener)
    with pytest.raises(TypeError, match=r"`chat` of plugin `p` can't be called with `\(invocation, next\)`"):
        Plugin(name="p", chat=lambda call: call)  # type: ignore[arg-type, misc]
    with pytest.raises(TypeError, match=r"`close` of plugin `p` is of type `int`, which can't be called"):
        Plugin(name="p", close=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("moment", ["before a run", "while one goes on", "after it"])
async def test_a_second_plugin_of_a_name_is_refused(moment: str) -> None:
    """It isn't set up, and the app goes on with the first one; another app may have it."""
    seen: list[str] = []
    first = Plugin(name="tracing", on_event=lambda event: seen.append(event.kind))
    second = Plugin(name="tracing", setup=lambda: seen.append("set up"), close=lambda: seen.append("closed"))
    app = Thena(Flow)
    await app.use(first)
    handle = app.run("go") if moment == "while one goes on" else None
    if moment == "after it":
        await app.run("go")

    for each in (second, first):
        with pytest.raises(ValueError, match=r"^\[thena\] the app has a plugin `tracing` already\. Use it once, or"):
            await app.use(each)
    if handle is not None:
        await handle
    seen.clear()
    await app.run("go")
    await app.close()
    assert ["workflow", "agent", "chat", "chat", "agent", "workflow"] == seen
    await Thena(Flow).use(first)


async def test_a_name_is_taken_while_its_plugin_is_set_up() -> None:
    """Of two that are registered at the same time the second is refused, also if the first is slow."""
    order: list[str] = []

    async def setup() -> None:
        order.append("begin")
        await asyncio.sleep(0)
        order.append("end")

    app = Thena(Flow)
    plugin = Plugin(name="slow", setup=setup)
    first, second = await asyncio.gather(app.use(plugin), app.use(plugin), return_exceptions=True)

    assert (app, ValueError, ["begin", "end"]) == (first, type(second), order)


@pytest.mark.parametrize("how", ["fails", "is cancelled"])
async def test_a_plugin_that_was_not_set_up_may_be_tried_again(how: str) -> None:
    """Its name is free again."""
    failures: list[BaseException] = [LookupError("busy") if how == "fails" else asyncio.CancelledError()]

    async def setup() -> None:
        if failures:
            raise failures.pop()

    app = Thena(Flow)
    plugin = Plugin(name="p", setup=setup)

    with pytest.raises((RuntimeError, asyncio.CancelledError)):
        await app.use(plugin)
    assert app is await app.use(plugin)


async def test_middlewares_without_a_plugin_have_no_name() -> None:
    """Several may be registered, beside a plugin of whatever name."""
    asked: list[str] = []

    async def noting(call: ChatInvocation, go_on: NextChat) -> Completion:
        asked.append("asked")
        return await go_on()

    app = Thena(Flow)
    app.use(chat=noting)
    await app.use(Plugin(name="middleware", chat=noting))
    app.use(chat=noting)
    await app.run("go")

    assert 3 == len(asked)


async def test_what_is_no_plugin_is_refused() -> None:
    """`use` says what it takes, and an app that was closed takes nothing more."""
    app = Thena(Flow)

    with pytest.raises(TypeError, match=r"`app.use` got a value of type `str`"):
        app.use("tracing")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"`app.use` got a value of type `type`"):
        app.use(Plugin)  # type: ignore[call-overload]
    with pytest.raises(
        TypeError, match=r"`chat` of `app.use` is of type `int`, which can't be called\. Give it a func"
    ):
        app.use(chat=5)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"`tool` of `app.use` can't be called with `\(invocation, next\)`"):
        app.use(tool=lambda: None)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match=r"`app.use` got nothing to use"):
        app.use()
    await app.close()
    with pytest.raises(RuntimeError, match="the app was closed"):
        await app.use(Plugin(name="p"))

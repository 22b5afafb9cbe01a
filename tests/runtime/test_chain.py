"""Composed layers: their order, and that each goes on at most once."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from thena_runtime.middleware.chain import Layer, compose

Trace = list[str]


def layer(name: str) -> Layer[Trace, str]:
    """A layer that notes when it is entered and left."""

    async def noting(trace: Trace, go_on: Callable[[], Awaitable[str]]) -> str:
        trace.append(f"{name} in")
        result = await go_on()
        trace.append(f"{name} out")
        return result

    return noting


async def core(trace: Trace) -> str:
    """The work inside all layers."""
    trace.append("core")
    return "done"


@pytest.mark.behaviour("T140")
async def test_the_first_layer_is_the_outermost() -> None:
    """Layers are entered in their order, then comes the core, and they are left in the opposite order."""
    trace: Trace = []

    result = await compose([layer("a"), layer("b")], core)(trace)

    assert ("done", ["a in", "b in", "core", "b out", "a out"]) == (result, trace)


@pytest.mark.behaviour("T141")
def test_without_layers_the_core_is_the_chain() -> None:
    """Nothing is built around a core that has no layers."""
    assert core is compose([], core)


@pytest.mark.behaviour("T142")
async def test_a_layer_that_does_not_go_on_ends_the_chain() -> None:
    """Without `next` neither inner layers nor the core are reached, and outer layers are left as usual."""
    trace: Trace = []

    async def cached(trace: Trace, go_on: Callable[[], Awaitable[str]]) -> str:
        return "cached"

    result = await compose([layer("a"), cached, layer("b")], core)(trace)

    assert ("cached", ["a in", "a out"]) == (result, trace)


@pytest.mark.behaviour("T143")
async def test_a_layer_can_change_the_result() -> None:
    """What a layer returns is what the layer outside gets."""

    async def loud(trace: Trace, go_on: Callable[[], Awaitable[str]]) -> str:
        return (await go_on()).upper()

    assert "DONE" == await compose([loud], core)([])


@pytest.mark.behaviour("T144")
async def test_going_on_twice_is_an_error() -> None:
    """The second `next` raises and names the layer, and the core ran once."""
    trace: Trace = []

    async def again(trace: Trace, go_on: Callable[[], Awaitable[str]]) -> str:
        await go_on()
        return await go_on()

    with pytest.raises(RuntimeError, match=r"again` called `next` twice"):
        await compose([again], core)(trace)
    assert ["core"] == trace


@pytest.mark.behaviour("T145")
async def test_an_error_of_the_core_leaves_the_layers() -> None:
    """It passes through every layer, and what a layer does after `next` isn't done."""
    trace: Trace = []

    async def failing(trace: Trace) -> str:
        raise LookupError("nothing")

    with pytest.raises(LookupError, match="nothing"):
        await compose([layer("a")], failing)(trace)
    assert ["a in"] == trace


@pytest.mark.behaviour("T146")
async def test_a_layer_can_catch_an_error() -> None:
    """A layer may answer in the place of a core that raised."""

    async def failing(trace: Trace) -> str:
        raise LookupError("nothing")

    async def forgiving(trace: Trace, go_on: Callable[[], Awaitable[str]]) -> str:
        try:
            return await go_on()
        except LookupError as error:
            return f"instead of {error}"

    assert "instead of nothing" == await compose([forgiving], failing)([])


@pytest.mark.behaviour("T147")
async def test_a_chain_may_be_used_again_and_at_the_same_time() -> None:
    """The guard against a second `next` belongs to one invocation."""
    gate = asyncio.Event()

    async def waiting(trace: Trace, go_on: Callable[[], Awaitable[str]]) -> str:
        await gate.wait()
        return await go_on()

    chain = compose([waiting], core)
    traces: list[Trace] = [[], [], []]
    tasks = [asyncio.ensure_future(chain(trace)) for trace in traces]
    await asyncio.sleep(0)
    gate.set()

    assert ["done", "done", "done"] == await asyncio.gather(*tasks)
    assert [["core"]] * 3 == traces


async def test_a_layer_that_is_not_async_says_so() -> None:
    """A plain function that returns a value is named, with the repair."""

    def plain(trace: Trace, go_on: Callable[[], Awaitable[str]]) -> str:
        return "at once"

    with pytest.raises(TypeError, match=r"plain` isn't async. Write it as `async def`"):
        await compose([plain], core)([])  # type: ignore[list-item]

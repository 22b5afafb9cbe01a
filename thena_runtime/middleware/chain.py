"""Layers around a piece of work: the first is the outermost, and each goes on to the next one at most once.

Left out on purpose: what a layer is for. The two chains of a run are put together in `thena_runtime.run`.
"""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias, TypeVar

I = TypeVar("I")  # noqa: E741 - the invocation that a chain is given
R = TypeVar("R")

Next: TypeAlias = Callable[[], Awaitable[R]]
Layer: TypeAlias = Callable[[I, Next[R]], Awaitable[R]]
Core: TypeAlias = Callable[[I], Awaitable[R]]


def compose(layers: Sequence[Layer[I, R]], core: Core[I, R]) -> Core[I, R]:
    """Put layers around a core; without any it is the core itself. The result may be called often and concurrently."""
    chain = core
    for layer in reversed(layers):
        chain = _around(layer, chain)
    return chain


def _around(layer: Layer[I, R], inner: Core[I, R]) -> Core[I, R]:
    async def entered(invocation: I) -> R:
        was_called = False

        async def next_layer() -> R:
            nonlocal was_called
            if was_called:
                raise RuntimeError(
                    f"[thena] middleware `{_name(layer)}` called `next` twice in one invocation. "
                    "Call it at most once; to try again, write the repetition where the call is made."
                )
            was_called = True
            return await inner(invocation)

        answer = layer(invocation, next_layer)
        if not inspect.isawaitable(answer):
            raise TypeError(f"[thena] middleware `{_name(layer)}` isn't async. Write it as `async def`.")
        return await answer

    return entered


def _name(layer: object) -> str:
    return getattr(layer, "__qualname__", None) or type(layer).__qualname__

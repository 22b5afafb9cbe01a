"""Layers around a piece of work: the first is the outermost, and each goes on to the next one at most once.

Left out on purpose: what a layer is for. The two chains of a run are put together in `thena_runtime.run`.
"""

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

I = TypeVar("I")  # noqa: E741 - the invocation that a chain is given
R = TypeVar("R")

Next: TypeAlias = Callable[[], Awaitable[R]]
Layer: TypeAlias = Callable[[I, Next[R]], Awaitable[R]]
Core: TypeAlias = Callable[[I], Awaitable[R]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks(Generic[I, R]):
    """What each layer is held to, for the error to name the one that is at fault; either raises.

    `sent` looks at the invocation as a layer hands it on, and `answered` at what a layer returned. The last argument is
    the layer's name.
    """

    sent: Callable[[I, str], None]
    answered: Callable[[I, object, str], None]


def compose(layers: Sequence[Layer[I, R]], core: Core[I, R], checks: Checks[I, R] | None = None) -> Core[I, R]:
    """Put layers around a core; without any it is the core itself. The result may be called often and concurrently."""
    chain = core
    for layer in reversed(layers):
        chain = _around(layer, chain, checks)
    return chain


def _around(layer: Layer[I, R], inner: Core[I, R], checks: Checks[I, R] | None) -> Core[I, R]:
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
            if checks is not None:
                checks.sent(invocation, _name(layer))
            return await inner(invocation)

        answer = layer(invocation, next_layer)
        if not inspect.isawaitable(answer):
            raise TypeError(f"[thena] middleware `{_name(layer)}` isn't async. Write it as `async def`.")
        result = await answer
        if checks is not None:
            if inspect.iscoroutine(result):
                result.close()  # most likely of `next`, which nobody awaits any more
            checks.answered(invocation, result, _name(layer))
        return result

    return entered


def _name(layer: object) -> str:
    return getattr(layer, "__qualname__", None) or type(layer).__qualname__

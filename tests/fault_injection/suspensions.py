"""Every moment at which a task hands control back to the event loop, counted; at one of them a test may step in.

It is done with the event loop's own door for that, a task factory, and patches nothing.
"""

import asyncio
from collections.abc import Callable, Coroutine, Generator, Iterator
from contextlib import contextmanager
from typing import Any


class Suspensions:
    """Counts the suspensions of every task that is made meanwhile, and calls a function at the n-th."""

    def __init__(self, at: int | None, step_in: Callable[[], object]) -> None:
        self.count = 0
        self._at = at
        self._step_in = step_in

    def suspended(self) -> None:
        """Count one."""
        self.count += 1
        if self.count == self._at:
            self._step_in()


class _Watched(Coroutine[Any, Any, Any]):
    """A coroutine whose suspensions are counted."""

    def __init__(self, inner: Coroutine[Any, Any, Any], suspensions: Suspensions) -> None:
        self._inner = inner
        self._suspensions = suspensions

    def send(self, value: Any) -> Any:
        """Go on, and be counted if it stops again."""
        waits_for = self._inner.send(value)
        self._suspensions.suspended()
        return waits_for

    def throw(self, *error: Any) -> Any:
        """Raise inside, and be counted if it stops again all the same."""
        waits_for = self._inner.throw(*error)
        self._suspensions.suspended()
        return waits_for

    def close(self) -> None:
        """Close."""
        self._inner.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._inner.__await__()


@contextmanager
def counted(at: int | None, step_in: Callable[[], object]) -> Iterator[Suspensions]:
    """Count the suspensions of the tasks that are made in this block, in the running event loop."""
    loop = asyncio.get_running_loop()
    suspensions = Suspensions(at, step_in)

    def make(loop: asyncio.AbstractEventLoop, coro: Any, **options: Any) -> asyncio.Task[Any]:
        return asyncio.Task(_Watched(coro, suspensions), loop=loop, **options)

    before = loop.get_task_factory()
    loop.set_task_factory(make)
    try:
        yield suspensions
    finally:
        loop.set_task_factory(before)

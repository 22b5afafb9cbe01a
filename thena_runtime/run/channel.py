"""Keeps what was published, replays it to whoever comes late, and closes.

Everything is kept until the run's handle is gone. Left out on purpose: a bound, and the gap that it would need.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Channel(Generic[T]):
    """What one run publishes. Owned by its handle, used in one event loop."""

    def __init__(self) -> None:
        self._items: list[T] = []
        self._listeners: list[Callable[[T], object]] = []
        self._changed = asyncio.Event()
        self._closed = False

    def publish(self, item: T) -> None:
        """Keep an item and tell it to everybody."""
        self._items.append(item)
        for listener in tuple(self._listeners):
            _tell(listener, item)
        self._wake()

    def close(self) -> None:
        """Say that nothing more comes."""
        self._closed = True
        self._listeners.clear()
        self._wake()

    def listen(self, listener: Callable[[T], object]) -> Callable[[], None]:
        """Tell a listener everything so far and, from then on, everything new. Returns what ends this."""
        for item in tuple(self._items):
            _tell(listener, item)
        if self._closed:
            return lambda: None
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    async def stream(self) -> AsyncIterator[T]:
        """Yield everything from the start, and end when the channel closes."""
        position = 0
        while True:
            while position < len(self._items):
                yield self._items[position]
                position += 1
            if self._closed:
                return
            await self._changed.wait()

    def _wake(self) -> None:
        # Everybody who waits holds this very event; the next to wait waits for the next change.
        self._changed.set()
        self._changed = asyncio.Event()


def _tell(listener: Callable[[T], object], item: T) -> None:
    # Whoever listens must never change how a run ends.
    try:
        listener(item)
    except Exception:
        return

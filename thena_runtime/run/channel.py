"""Keeps what a run publishes, replays it to whoever comes late, and closes.

It keeps the last of it, up to a number of bytes. Whoever misses something by that is told how much, in the place where
it is missing. Nobody is waited for: a listener or a stream that is slow, or fails, changes nothing for the run.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, nullcontext
from contextvars import copy_context
from typing import Any, Generic, TypeAlias, TypeVar

S = TypeVar("S")
T = TypeVar("T")

Waiting: TypeAlias = "Callable[[asyncio.Future[None]], AbstractContextManager[None]]"


class Channel(Generic[S, T]):
    """What one run publishes. Owned by its handle, used in one event loop."""

    __slots__ = (
        *("_dropped", "_gap", "_is_closed", "_item", "_kept", "_limit", "_listeners", "_room", "_size", "_streams"),
        "_waiting",
    )

    def __init__(
        self, *, limit: int, size: Callable[[S], int], item: Callable[[S], T], gap: Callable[[int, T], T]
    ) -> None:
        """Keep at most `limit` bytes of what is published; `item` makes of it what is told, when it is told.

        `gap` makes the item for a number of lost ones, given the first that is kept.
        """
        self._limit = limit
        self._size = size
        self._item = item
        self._gap = gap
        self._kept: list[S] = []
        self._room = limit
        """How many bytes may still be kept."""
        self._dropped = 0
        """How many items were published and are no longer kept."""
        self._listeners: tuple[_Listener[T], ...] = ()
        self._waiting: tuple[asyncio.Future[None], ...] = ()
        self._streams = 0
        self._is_closed = False

    @property
    def is_heard(self) -> bool:
        """Whether somebody listens."""
        return self._streams > 0 or bool(self._listeners)

    def publish(self, published: S) -> None:
        """Keep something and tell it to everybody."""
        self._kept.append(published)
        self._room -= self._size(published)
        if self._room < 0:
            self._forget()
        if self._listeners or self._waiting:
            self._tell(published)

    def close(self) -> None:
        """Say that nothing more comes."""
        if self._is_closed:
            return
        self._is_closed = True
        self._listeners = ()
        if self._waiting:
            self._wake()

    def listen(self, listener: Callable[[T], object]) -> Callable[[], None]:
        """Tell a listener everything so far and, from then on, everything new. Returns what ends this."""
        _require_plain(listener)
        entry = _Listener(listener)
        position = 0
        # What is published by the listener itself belongs to the past too.
        while position < self._dropped + len(self._kept):
            item, position = self._read(position)
            entry.tell(item)
        if not self._is_closed:
            self._listeners = (*self._listeners, entry)

        def unsubscribe() -> None:
            self._listeners = tuple(each for each in self._listeners if each is not entry)

        return unsubscribe

    def stream(self, accept: Callable[[T], bool] | None = None, waiting: "Waiting | None" = None) -> "Stream[T]":
        """Iterate over everything from the start, or what is accepted of it; it ends when the channel closes.

        `waiting` is entered where nothing is there yet, with what is waited for, and may raise.
        """
        return Stream(self, accept, waiting or _quietly)

    def _read(self, position: int) -> tuple[T, int]:
        """Give the item at a position, or the gap there, and the position behind it."""
        index = position - self._dropped
        if index < 0:
            return self._gap(-index, self._item(self._kept[0])), self._dropped
        return self._item(self._kept[index]), position + 1

    def _forget(self) -> None:
        # A quarter at a time: taking items off the front of a list costs as much as what stays.
        count = 0
        while self._room < self._limit // 4 and count < len(self._kept) - 1:
            self._room += self._size(self._kept[count])
            count += 1
        del self._kept[:count]
        self._dropped += count

    def _tell(self, published: S) -> None:
        if self._listeners:
            item = self._item(published)
            for listener in self._listeners:
                listener.tell(item)
        if self._waiting:
            self._wake()

    def _wake(self) -> None:
        waiting, self._waiting = self._waiting, ()
        for future in waiting:
            if not future.done():
                future.set_result(None)


def _quietly(_: "asyncio.Future[None]") -> AbstractContextManager[None]:
    return nullcontext()


class Stream(AsyncIterator[T]):
    """One pass over a channel. It is left when it is at its end, closed, or dropped."""

    def __init__(
        self,
        channel: Channel[Any, T],
        accept: Callable[[T], bool] | None,
        waiting: Waiting,
    ) -> None:
        # What is kept may be of any type: a stream sees only what is made of it.
        self._channel: Channel[Any, T] | None = channel
        self._accept = accept
        self._waiting = waiting
        self._position = 0
        channel._streams += 1

    def __aiter__(self) -> "Stream[T]":
        return self

    async def __anext__(self) -> T:
        while (channel := self._channel) is not None:
            if self._position < channel._dropped + len(channel._kept):
                item, self._position = channel._read(self._position)
                if self._accept is None or self._accept(item):
                    return item
            elif channel._is_closed:
                self._leave()
            else:
                await self._change(channel)
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Leave the stream; who waits for its next item gets its end."""
        channel = self._channel
        self._leave()
        if channel is not None:
            channel._wake()

    async def _change(self, channel: Channel[Any, T]) -> None:
        future = asyncio.get_running_loop().create_future()
        channel._waiting = (*channel._waiting, future)
        try:
            with self._waiting(future):
                await future
        finally:
            channel._waiting = tuple(each for each in channel._waiting if each is not future)

    def _leave(self) -> None:
        channel, self._channel = self._channel, None
        if channel is not None:
            channel._streams -= 1

    def __del__(self) -> None:
        self._leave()


class _Listener(Generic[T]):
    """A listener, which is called in the context of who added it, like any callback of asyncio's."""

    __slots__ = ("_call", "_context")

    def __init__(self, call: Callable[[T], object]) -> None:
        self._call = call
        self._context = copy_context()

    def tell(self, item: T) -> None:
        # Whoever listens must never change how a run ends. What ends the process isn't for us to keep, though.
        try:
            # A copy, for one that publishes something itself is called while it is called.
            self._context.copy().run(self._call, item)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:
            return


def _require_plain(listener: object) -> None:
    if not callable(listener):
        raise TypeError(f"[thena] a listener is of type `{type(listener).__name__}`, which can't be called.")
    if inspect.iscoroutinefunction(listener):
        raise TypeError(
            "[thena] the listener is async, and a run doesn't wait for who listens. "
            "Make it a plain function, or iterate over `event_stream()` or `text_stream()`."
        )

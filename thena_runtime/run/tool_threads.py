"""Threads for sync tools, so that one that is given up holds up nobody.

A thread can't be interrupted: when a run ends before its tool does, the thread goes on, and its place is free for the
next call. Threads are daemons, which the end of the process doesn't wait for. One that has nothing to do is kept for a
while, as starting one costs more than most calls.

The pool of `asyncio.to_thread` is not used on purpose: its few threads are held by whoever hangs, and the end of an
event loop, and of the process, waits for them.
"""

import asyncio
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context, copy_context
from typing import Final
from weakref import WeakKeyDictionary

MOST_AT_WORK: Final = 200
"""How many calls of an event loop may be in threads at the same time. Those that were given up don't count."""

_KEPT_FOR: Final = 10.0
"""How many seconds a thread waits for the next call."""

# What the function returned, or what it raised. No future holds the error itself: one that nobody asks for any more
# would be printed, and some errors mean something to a future.
_Ending = tuple[object, BaseException | None]


class _Job:
    """One call, and who waits for its end. A future that is cancelled is one that nobody waits for."""

    __slots__ = ("_context", "_function", "_loop", "ended")

    def __init__(self, function: Callable[[], object]) -> None:
        self._loop = asyncio.get_running_loop()
        self._context: Context = copy_context()
        self._function = function
        self.ended: asyncio.Future[_Ending] = self._loop.create_future()

    def do(self) -> _Ending:
        """Call the function, in the thread that this is called in."""
        try:
            return self._context.run(self._function), None
        except BaseException as error:
            return None, error

    def tell(self, ending: _Ending) -> None:
        """Tell who waits, from any thread."""
        # The event loop may be closed meanwhile, and everybody in it have gone.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._end, ending)

    def _end(self, ending: _Ending) -> None:
        if not self.ended.done():
            self.ended.set_result(ending)


class _Worker:
    """A thread that makes one call after the other, and ends when none has come for a while."""

    __slots__ = ("_has_job", "_job")

    def __init__(self, job: _Job) -> None:
        self._job: _Job | None = job
        self._has_job = threading.Lock()
        threading.Thread(target=self._work, name="thena tool", daemon=True).start()

    def take(self, job: _Job) -> None:
        """Have the thread make this call. It is for whoever took the worker out of the idle ones."""
        self._job = job
        self._has_job.release()

    def _work(self) -> None:
        self._has_job.acquire()
        while True:
            self._do()
            if not self._has_job.acquire(timeout=_KEPT_FOR):
                try:
                    del _IDLE[self]
                except KeyError:
                    # Somebody has just taken it, and gives it a call.
                    self._has_job.acquire()
                else:
                    return

    def _do(self) -> None:
        # In a function of its own, so that nothing of a call is kept while the thread waits.
        job, self._job = self._job, None
        assert job is not None
        ending = job.do()
        # Before the end is told, so that who calls next finds this thread and starts no other.
        _IDLE[self] = None
        job.tell(ending)


# Used across threads without a lock: each change of a dict is one step. The last that came is the first to be taken, so
# that those that aren't needed end.
_IDLE: Final[dict[_Worker, None]] = {}
_PLACES: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore]] = WeakKeyDictionary()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_IDLE.clear)  # a process that was forked has none of the threads


async def call_in_thread(function: Callable[[], object]) -> object:
    """Call a function in a thread of its own, with the context variables of here, and return or raise what it does.

    A cancellation ends the wait at once, whatever the thread does; it goes on, and what it comes to is dropped.
    """
    async with _places():
        job = _Job(function)
        try:
            worker, _ = _IDLE.popitem()
        except KeyError:
            _Worker(job)
        else:
            worker.take(job)
        value, error = await job.ended
    if error is None:
        return value
    try:
        raise error
    finally:
        del error  # its traceback holds this frame


def _places() -> asyncio.Semaphore:
    # Of each event loop its own: a tool may run another loop and wait for it, tools in threads included.
    loop = asyncio.get_running_loop()
    places = _PLACES.get(loop)
    if places is None:
        places = _PLACES[loop] = asyncio.Semaphore(MOST_AT_WORK)
    return places

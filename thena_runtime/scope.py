"""What belongs to one run as a whole: its id, its data, whether it was stopped or aborted, and its clean-ups.

Nothing here knows steps or messages. Code of a user sees it through the context (`thena_runtime.run_context`).
"""

import asyncio
import inspect
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, TypeAlias

from thena_runtime.budget.limits import Budget
from thena_runtime.budget.meter import Meter
from thena_runtime.errors import RunAborted
from thena_runtime.observability.recorder import Recorder
from thena_runtime.observability.tokens import Voice
from thena_runtime.replay import Replay

CleanUp = Callable[[], object]
End: TypeAlias = Callable[[], "asyncio.Future[None]"]
"""Ends something at once, and returns what is done when it is over."""
Seed: TypeAlias = Mapping[str, Iterable[object]]
"""What a conversation begins with, by bucket."""

StartNested: TypeAlias = Callable[[type, str, Seed | None, Budget | None], Awaitable[object]]


class CleanUps:
    """What is to be done when a run ends, whatever its end: last in, first out. Owned by one run or nested run.

    Before any of it the nested runs are ended that still go on in tasks which the run doesn't wait for.
    """

    __slots__ = ("_nested", "_waiting", "is_over")

    def __init__(self) -> None:
        self._waiting: list[CleanUp] = []
        self._nested: dict[End, None] = {}
        self.is_over = False
        """Whether all was done, so that nothing more would be."""

    def add(self, clean_up: CleanUp) -> None:
        """Remember one. Raises `RuntimeError` where the run is over."""
        if self.is_over:
            raise RuntimeError(
                "[thena] `ctx.on_dispose` was called after the end of the run, when nothing is cleaned up any more. "
                "Call it while the run goes on, and await the task that calls it."
            )
        self._waiting.append(clean_up)

    def hold(self, end: End) -> None:
        """Remember how to end a nested run."""
        self._nested[end] = None

    def release(self, end: End) -> None:
        """Forget a nested run that is over."""
        self._nested.pop(end, None)

    async def run(self) -> None:
        """Do all of them, those added meanwhile too. One that fails is passed over; none is cut off by an abort."""
        cancelled: asyncio.CancelledError | None = None
        while self._nested or self._waiting:
            # All are told before one is waited for, so that none goes on meanwhile.
            for over in [end() for end in tuple(self._nested)]:
                cancelled = await wait_to_the_end(over) or cancelled
            if not self._waiting:
                continue
            try:
                result = self._waiting.pop()()
                if inspect.isawaitable(result):
                    # In a task of its own, for a cancellation would be raised in the middle of the work.
                    work = asyncio.ensure_future(result)
                    cancelled = await wait_to_the_end(work) or cancelled
                    work.result()
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException:
                print(f"[thena] a clean-up failed:\n{traceback.format_exc()}", file=sys.stderr)
        self.is_over = True
        if cancelled is not None:
            raise cancelled


async def wait_to_the_end(work: "asyncio.Future[Any]") -> asyncio.CancelledError | None:
    """Wait to the end whatever happens, and return the cancellation that came meanwhile."""
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError as error:
            cancelled = error
    return cancelled


class Cancellation:
    """Whether a run was stopped or aborted, and the way to do it from anywhere, a worker thread included.

    Owned by one run.
    """

    __slots__ = ("_error", "_event", "_loop", "_tasks", "_thread", "is_requested", "is_stopping")

    def __init__(self) -> None:
        self.is_requested = False
        self.is_stopping = False
        """Whether the run was asked to end gracefully."""
        self._event: asyncio.Event | None = None
        self._error: Exception | None = None
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        # In the order in which they came: a group that is cancelled cancels its tasks, and only one that it cancels
        # before they have heard of the abort isn't interrupted twice, the second time in its own clean-up.
        self._tasks: dict[asyncio.Task[object], None] = {}

    def __enter__(self) -> None:
        """Have an abort interrupt this task, as long as the block lasts; the run's own and each of its branches."""
        task = asyncio.current_task()
        assert task is not None
        self._tasks[task] = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        task = asyncio.current_task()
        if task is None:
            return
        self._tasks.pop(task, None)
        if isinstance(error, asyncio.CancelledError) and not self.is_requested and not task.cancelling():
            # Left alone it would pass for a cancellation that somebody asked for, and the failure would vanish.
            raise RuntimeError(
                "[thena] something in the run raised `asyncio.CancelledError`, and nobody had cancelled it. "
                "Catch it where it is raised, or raise another error."
            ) from error

    @property
    def tasks(self) -> "tuple[asyncio.Task[object], ...]":
        """The tasks that the run goes on in at the moment."""
        return tuple(self._tasks)

    @property
    def is_current(self) -> bool:
        """Whether this is a task of the run: one that it waits for, and that an abort interrupts."""
        return asyncio.current_task() in self._tasks

    @property
    def is_alone(self) -> bool:
        """Whether this is the run's only task."""
        return len(self._tasks) == 1 and self.is_current

    async def wait(self) -> None:
        """Wait until the run is aborted."""
        if self._event is None:
            self._event = asyncio.Event()
            if self.is_requested:
                self._event.set()
        await self._event.wait()

    def abort(self, reason: object) -> None:
        """Abort the run at its next await. The first reason counts."""
        if threading.get_ident() == self._thread:
            self._abort(reason)
        else:
            # A loop that is closed has no run that goes on.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._abort, reason)

    def _abort(self, reason: object) -> None:
        if self.is_requested:
            return
        self._error = error_of(reason)
        self.is_requested = True
        if self._event is not None:
            self._event.set()
        for task in tuple(self._tasks):
            cancel(task, self._loop)

    def error(self) -> Exception:
        """What a run that was aborted raises: the given reason, wrapped if it is no exception that a run can raise."""
        assert self._error is not None
        return self._error

    def check(self) -> None:
        """Raise if the run was aborted."""
        if self.is_requested:
            raise self.error()


def error_of(reason: object) -> Exception:
    """What a run raises that is aborted for a reason.

    An exception is raised as it is and an exception class as `raise` would, made without arguments. Anything else is
    wrapped; so are those that mean something to whoever runs the code and would never come to who awaits the run:
    `KeyboardInterrupt` would end the event loop, and a coroutine can't raise `StopIteration`.
    """
    if isinstance(reason, type) and issubclass(reason, BaseException):
        # A class that wants arguments must not keep the run from being aborted.
        with suppress(Exception):
            reason = reason()
    if isinstance(reason, Exception) and not isinstance(reason, StopIteration | StopAsyncIteration):
        return reason
    error = RunAborted(reason)
    error.__cause__ = reason if isinstance(reason, BaseException) else None
    return error


def cancel(task: "asyncio.Task[Any]", here: asyncio.AbstractEventLoop) -> None:
    """Cancel a task of this thread's loop or, where a tool in a worker thread runs one of its own, of another."""
    loop = task.get_loop()
    if loop is here:
        task.cancel()
    else:
        with suppress(RuntimeError):  # the other loop was closed meanwhile
            loop.call_soon_threadsafe(task.cancel)


@dataclass(slots=True, kw_only=True)
class RunScope:
    """One run. A nested run shares everything but `meter`."""

    run_id: str
    data: object
    recorder: Recorder
    meter: Meter
    cancellation: Cancellation
    start_nested: StartNested
    """Runs a workflow inside this run: the one call that goes up, for a tool asks for it."""
    voice: Voice | None = None
    """What the run's models speak with, where somebody may listen."""
    replay: Replay | None = None
    """Answers that stand for the same calls of models, where there are any."""
    is_left: bool = False
    """Whether this nested run was ended because the run that started it was over."""

    def nested(self, budget: Budget | None = None) -> "RunScope":
        """Make the scope of a run inside this one: what it spends counts here too, and the tightest limit wins."""
        return replace(self, meter=Meter(budget, self.meter.clock, self.meter), is_left=False)

"""What belongs to one run as a whole: its id, its data, whether it was stopped or aborted, and its clean-ups.

Nothing here knows steps or messages. Code of a user sees it through the context (`thena_runtime.run_context`).
"""

import asyncio
import inspect
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TypeAlias

from thena_runtime.budget.limits import Budget
from thena_runtime.budget.meter import Meter
from thena_runtime.errors import RunAborted
from thena_runtime.observability.recorder import Recorder
from thena_runtime.observability.tokens import Voice

CleanUp = Callable[[], object]
Seed: TypeAlias = Mapping[str, Iterable[object]]
"""What a conversation begins with, by bucket."""

StartNested: TypeAlias = Callable[[type, str, Seed | None, Budget | None], Awaitable[object]]


class CleanUps:
    """What is to be done when a run ends, whatever its end: last in, first out. Owned by one run or nested run."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: list[CleanUp] = []

    def add(self, clean_up: CleanUp) -> None:
        """Remember one."""
        self._waiting.append(clean_up)

    async def run(self) -> None:
        """Do all of them, those added meanwhile too. One that fails is passed over; none is cut off by an abort."""
        cancelled: asyncio.CancelledError | None = None
        while self._waiting:
            try:
                result = self._waiting.pop()()
                if inspect.isawaitable(result):
                    # In a task of its own, for a cancellation would be raised in the middle of the work.
                    work = asyncio.ensure_future(result)
                    cancelled = await _wait_for(work) or cancelled
                    work.result()
            except (Exception, asyncio.CancelledError):
                print(f"[thena] a clean-up failed:\n{traceback.format_exc()}", file=sys.stderr)
        if cancelled is not None:
            raise cancelled


async def _wait_for(work: "asyncio.Future[object]") -> asyncio.CancelledError | None:
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

    __slots__ = ("_event", "_loop", "_reason", "_tasks", "_thread", "is_requested", "is_stopping")

    def __init__(self) -> None:
        self.is_requested = False
        self.is_stopping = False
        """Whether the run was asked to end gracefully."""
        self._event: asyncio.Event | None = None
        self._reason: object = None
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        # In the order in which they came: a group that is cancelled cancels its tasks, and only one that it cancels
        # before they have heard of the abort isn't interrupted twice, the second time in its own clean-up.
        self._tasks: dict[asyncio.Task[object], None] = {}

    def __enter__(self) -> None:
        """Have an abort interrupt this task, as long as the block lasts; the run's own and each of its branches."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a run goes on in a task, and there is none here")
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
            self._loop.call_soon_threadsafe(self._abort, reason)

    def _abort(self, reason: object) -> None:
        if self.is_requested:
            return
        self._reason = reason
        self.is_requested = True
        if self._event is not None:
            self._event.set()
        for task in self._tasks:
            task.cancel()

    def error(self) -> Exception:
        """What the run raises: the given reason, wrapped if it is no exception."""
        return self._reason if isinstance(self._reason, Exception) else RunAborted(self._reason)

    def check(self) -> None:
        """Raise if the run was aborted."""
        if self.is_requested:
            raise self.error()


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

    def nested(self, budget: Budget | None = None) -> "RunScope":
        """Make the scope of a run inside this one: what it spends counts here too, and the tightest limit wins."""
        return replace(self, meter=Meter(budget, self.meter.clock, self.meter))

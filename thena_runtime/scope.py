"""What belongs to one run as a whole: its id, its data, whether it was stopped or aborted, and its clean-ups.

Nothing here knows steps or messages. Code of a user sees it through the context (`thena_runtime.run_context`).
"""

import asyncio
import inspect
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

from thena_runtime.errors import RunAborted
from thena_runtime.observability.recorder import Recorder

CleanUp = Callable[[], object]


class CleanUps:
    """What is to be done when a run ends, whatever its end: last in, first out. Owned by one run or nested run."""

    def __init__(self) -> None:
        self._waiting: list[CleanUp] = []

    def add(self, clean_up: CleanUp) -> None:
        """Remember one."""
        self._waiting.append(clean_up)

    async def run(self) -> None:
        """Do all of them, those added meanwhile too. One that fails or is cancelled is passed over."""
        cancelled: asyncio.CancelledError | None = None
        if self._waiting:
            # A cancellation that was asked for and not delivered yet must not hit the first clean-up.
            try:
                await asyncio.sleep(0)
            except asyncio.CancelledError as error:
                cancelled = error
        while self._waiting:
            clean_up = self._waiting.pop()
            try:
                result = clean_up()
                if inspect.isawaitable(result):
                    await result
            except asyncio.CancelledError as error:
                cancelled = error
            except Exception:
                print(f"[thena] a clean-up failed:\n{traceback.format_exc()}", file=sys.stderr)
        if cancelled is not None:
            raise cancelled


class Cancellation:
    """Whether a run was aborted, and the way to do it from anywhere, a worker thread included. Owned by one run."""

    def __init__(self) -> None:
        self.requested = asyncio.Event()
        self._reason: object = None
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._task: asyncio.Task[object] | None = None

    def bind(self, task: "asyncio.Task[object] | None") -> None:
        """Say which task is to be interrupted; `None` when it is over or cleaning up."""
        self._task = task

    def abort(self, reason: object) -> None:
        """Abort the run at its next await. The first reason counts."""
        if threading.get_ident() == self._thread:
            self._abort(reason)
        else:
            self._loop.call_soon_threadsafe(self._abort, reason)

    def _abort(self, reason: object) -> None:
        if self.requested.is_set():
            return
        self._reason = reason
        self.requested.set()
        if self._task is not None:
            self._task.cancel()

    def error(self) -> Exception:
        """What the run raises: the given reason, wrapped if it is no exception."""
        return self._reason if isinstance(self._reason, Exception) else RunAborted(self._reason)

    def check(self) -> None:
        """Raise if the run was aborted."""
        if self.requested.is_set():
            raise self.error()


@dataclass(slots=True, kw_only=True)
class RunScope:
    """One run. A nested run shares everything but `clean_ups`."""

    run_id: str
    data: object
    recorder: Recorder
    cancellation: Cancellation
    clean_ups: CleanUps = field(default_factory=CleanUps)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

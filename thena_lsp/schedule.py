"""One thread for all analysis: in order, the newest wins, cancelled work doesn't start.

pygls reads stdin in its own thread pool, so nothing of ours runs there. The event loop only reads and writes; the
session lives on this thread and needs no lock. Nothing here knows what the work is.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable
from typing import Final, Generic, TypeVar

Answer = TypeVar("Answer")

_log: Final = logging.getLogger(__name__)


class SupersededError(Exception):
    """Raised inside a job that nobody waits for any more."""


class Token:
    """Tells a running job that its answer is no longer wanted. Owned by one job."""

    def __init__(self) -> None:
        self._event = threading.Event()

    def cancel(self) -> None:
        """Ask the job to stop at its next check."""
        self._event.set()

    def check(self) -> None:
        """Raise `SupersededError` where the answer is no longer wanted."""
        if self._event.is_set():
            raise SupersededError


Job = Callable[[Token], None]


class _Question(Generic[Answer]):
    """A job that somebody on the event loop waits for."""

    def __init__(self, job: Callable[[Token], Answer]) -> None:
        self.token = Token()
        self._job = job
        self._loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Answer] = self._loop.create_future()

    def run(self, _: Token) -> None:
        """Work out the answer and give it to the loop, unless its asker has gone."""
        try:
            self.token.check()
            answer = self._job(self.token)
        except SupersededError:
            return
        except Exception as error:
            failed = error
            self._tell(lambda: self.future.set_exception(failed))
        else:
            self._tell(lambda: self.future.set_result(answer))

    def _tell(self, deliver: Callable[[], None]) -> None:
        def unless_gone() -> None:
            if not self.future.done():
                deliver()

        try:
            self._loop.call_soon_threadsafe(unless_gone)
        except RuntimeError:
            _log.debug("the event loop is closed; an answer is dropped")


class Schedule:
    """The analysis thread. Owned by the server; lives as long as the process.

    Three kinds of work. `do`: ordered and never dropped, such as a change of a text. `ask`: ordered, and dropped when
    its asker is cancelled. `when_idle`: runs when nothing else waits; a newer one takes the place of an older one of
    the same name. Whatever arrives through `do` or `ask` interrupts the one that runs, which begins again afterwards.
    """

    def __init__(self) -> None:
        self._wake = threading.Condition()
        self._ordered: deque[Job] = deque()
        self._idle: dict[str, Job] = {}
        self._idle_token: Token | None = None
        threading.Thread(target=self._work, name="analysis", daemon=True).start()

    def do(self, job: Callable[[], None]) -> None:
        """Run this after all that came before it."""
        self._put(lambda _: job())

    async def ask(self, job: Callable[[Token], Answer]) -> Answer:
        """Run this after all that came before it and return its answer; cancelling the caller cancels it."""
        question = _Question(job)
        self._put(question.run)
        try:
            return await question.future
        except asyncio.CancelledError:
            question.token.cancel()
            raise

    def when_idle(self, name: str, job: Job) -> None:
        """Run this once nothing else waits, unless a newer one of that name arrives first."""
        with self._wake:
            self._idle[name] = job
            self._wake.notify()

    def _put(self, job: Job) -> None:
        with self._wake:
            self._ordered.append(job)
            if self._idle_token is not None:
                self._idle_token.cancel()
            self._wake.notify()

    def _work(self) -> None:
        while True:
            name, job, token = self._next()
            try:
                job(token)
            except SupersededError:
                self._put_back(name, job)
            except Exception:
                _log.exception("a job of the analysis thread failed")

    def _next(self) -> tuple[str | None, Job, Token]:
        """Wait for work: what is ordered first, then what was left for idle times, the oldest name first."""
        token = Token()
        with self._wake:
            self._idle_token = None
            while not self._ordered and not self._idle:
                self._wake.wait()
            if self._ordered:
                return None, self._ordered.popleft(), token
            self._idle_token = token
            name = next(iter(self._idle))
            return name, self._idle.pop(name), token

    def _put_back(self, name: str | None, job: Job) -> None:
        """Leave an interrupted job for the next idle time, unless there is a newer one."""
        if name is not None:
            with self._wake:
                self._idle.setdefault(name, job)

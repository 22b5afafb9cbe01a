"""Who waits for which run, so that runs that wait for each other say so and don't hang.

A run is stuck where each of its tasks waits for one that is stuck. What a task waits for is known where that is a run,
another task, an `asyncio.gather`, or the branches of its own run. Whatever waits for anything else may go on, and so
may one that has a time limit: only what is certain is told.
"""

import asyncio
import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final
from weakref import WeakSet

from thena_runtime.errors import FatalToolError
from thena_runtime.scope import Cancellation


@dataclass(frozen=True, slots=True, eq=False)
class Awaited:
    """A run, as those know it that wait for it."""

    workflow: str
    cancellation: Cancellation


class Waiting:
    """A task that waits for a run by a future, for a `with` block around the wait.

    The future ends with `FatalToolError` where it is certain that nothing else ends it.
    """

    __slots__ = ("over", "run", "subject", "task")

    def __init__(self, over: "asyncio.Future[None]", run: Awaited, subject: str) -> None:
        self.over = over
        self.run = run
        self.subject = subject
        self.task = asyncio.current_task()

    def __enter__(self) -> None:
        if self.task is not None:
            _WAITS[self.task] = self
            _keep_looking(self.over.get_loop())
            self.look()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.task is not None:
            _WAITS.pop(self.task, None)

    def look(self) -> None:
        """End the wait where it is in vain."""
        if self.task is None or self.over.done() or not self.run.cancellation.tasks:
            return
        look = _Look(self.task)
        if look.is_stuck(self.run) and look.comes_back and not look.may_end_by_itself():
            self.over.set_exception(FatalToolError(_text(self.subject, [run.workflow for run in look.seen])))
            # Who waits may be cancelled in the same moment, and never ask for it.
            self.over.exception()


# By the task that waits. Each event loop has tasks of its own, so that threads don't meet here.
_WAITS: Final[dict["asyncio.Task[object]", Waiting]] = {}
_PARTS: Final[dict["asyncio.Task[object]", Sequence["asyncio.Task[object]"]]] = {}

_AGAIN_AFTER: Final = 1.0
"""How many seconds lie between two looks at all waits: nobody tells when a task is over, or waits for another."""

_LOOKING: Final[WeakSet[asyncio.AbstractEventLoop]] = WeakSet()


def _keep_looking(loop: asyncio.AbstractEventLoop) -> None:
    """Look at the waits of an event loop from time to time, as long as there are any."""
    if loop not in _LOOKING:
        _LOOKING.add(loop)
        loop.call_later(_AGAIN_AFTER, _look_again, loop)


def _look_again(loop: asyncio.AbstractEventLoop) -> None:
    _LOOKING.discard(loop)
    for wait in tuple(_WAITS.values()):
        if wait.over.get_loop() is loop:
            wait.look()
            _keep_looking(loop)


@contextmanager
def waiting_for_parts() -> Iterator[list["asyncio.Task[None]"]]:
    """Have this task wait for the tasks that are put into the list."""
    parts: list[asyncio.Task[None]] = []
    task = asyncio.current_task()
    assert task is not None
    _PARTS[task] = parts
    try:
        yield parts
    finally:
        del _PARTS[task]


@dataclass(slots=True)
class _Look:
    """One look at who waits for whom, for the sake of one task."""

    task: "asyncio.Task[object]"
    seen: list[Awaited] = field(default_factory=list)
    """The runs that are waited for, in order."""
    comes_back: bool = False
    """Whether one of them waits for the task itself."""
    blocked: list["asyncio.Task[object]"] = field(default_factory=list)

    def is_stuck(self, run: Awaited) -> bool:
        """Say whether the run can't end unless the task goes on."""
        if run in self.seen:
            return True
        self.seen.append(run)
        return self._all_blocked(run.cancellation.tasks)

    def _all_blocked(self, tasks: Iterable["asyncio.Future[object]"]) -> bool:
        going_on = [task for task in tasks if not task.done()]
        return bool(going_on) and all(self._is_blocked(task) for task in going_on)

    def _is_blocked(self, task: "asyncio.Future[object]") -> bool:
        if not isinstance(task, asyncio.Task):
            # What is gathered is known to the future of an `asyncio.gather` alone.
            return self._all_blocked(getattr(task, "_children", ()))
        if task in self.blocked:
            return True
        self.blocked.append(task)
        if task is self.task:
            self.comes_back = True
            return True
        if task in _WAITS:
            wait = _WAITS[task]
            return not wait.over.done() and self.is_stuck(wait.run)
        if task in _PARTS:
            return self._all_blocked(_PARTS[task])
        # No other door tells what a task waits for.
        waiter = getattr(task, "_fut_waiter", None)
        return isinstance(waiter, asyncio.Future) and not waiter.done() and self._is_blocked(waiter)

    def may_end_by_itself(self) -> bool:
        """Say whether a time limit may end one of the waits."""
        return any(isinstance(each, asyncio.Timeout) for each in gc.get_referrers(*self.blocked))


def _text(subject: str, workflows: Sequence[str]) -> str:
    first, *others = [f"waits for a run of `{workflow}`" for workflow in workflows]
    return (
        f"`{subject}` {', which '.join([first, *others, 'waits for this'])}, so that none of it ever ends. "
        "Await the handles where the runs are started, and give each run what it needs of the other as its prompt, "
        "its `state` or its `data`."
    )

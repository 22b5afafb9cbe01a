"""The checks of a session: what was saved is read and judged, and it is found out whether a run is due.

Left out on purpose: any judgement (`linter.py`, `grounds.py`), and what comes of it (`loop.py`).
"""

import asyncio
import concurrent.futures
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeVar

from thena_cli.dev.grounds import Grounds
from thena_cli.dev.linter import Linter, Verdict
from thena_cli.dev.loop import NOTHING, Checked
from thena_cli.dev.reach import Reach, Touch, touches

T = TypeVar("T")


class Checks:
    """One check after the other, and what has come of them; owned by a session.

    `target` is the file without which nothing can be run, if somebody may wait for it to come back.
    """

    def __init__(
        self, linter: Linter, grounds: Grounds, *, lint: Literal["error", "warn", "off"], target: Path | None
    ) -> None:
        self._linter = linter
        self._grounds = grounds
        self._lint = lint
        self._target = target
        self.verdict: Verdict | None = None
        """What the last check found, if anything is linted."""
        self.missing: Path | None = None
        """The file of the target, if the last check didn't find it."""
        self.is_only_linted = False
        """Whether the last check was asked for itself, and not for a run."""
        self._only_lints = False
        # What runs have written, which the linter hasn't read again.
        self._unread = NOTHING
        # What was saved since a run began, since a verdict was shown, and what the run rested on then.
        self._unrun = NOTHING
        self._untold = NOTHING
        self._told = linter.reach

    @property
    def is_linting(self) -> bool:
        """Whether there is a linter."""
        return self._lint != "off"

    @property
    def is_clean(self) -> bool:
        """Whether nothing that was found keeps the code from running."""
        return self._lint != "error" or self.verdict is None or self.verdict.summary.is_clean

    def want(self, *, only_lints: bool) -> None:
        """Say what the next check is asked for: a run, or itself."""
        self._only_lints = only_lints

    def without_own(self, saved: frozenset[Path]) -> frozenset[Path]:
        """What somebody has saved, and no run has written; the latter is read when there is a check."""
        own = self._grounds.own(saved, self._reach)
        self._unread |= own
        return saved - own

    async def check(self, saved: frozenset[Path]) -> Checked:
        """Read what was saved, and judge everything."""
        linter, before, read = self._linter, self._reach, saved | self._unread
        self._unread = NOTHING
        self._unrun |= saved
        self._untold |= saved
        held = self._grounds.check()
        texts = {path: held.get(path) for path in read}
        if self.is_linting:
            self.verdict = await _in_thread(lambda: linter.check(texts))
        else:
            await _in_thread(lambda: linter.look(texts))
        now = self._reach
        is_due = await _in_thread(lambda: self._grounds.is_due(before, now))
        self.is_only_linted, self._only_lints = self._only_lints, False
        self.missing = self._target if self._target is not None and not self._target.exists() else None
        if self.missing is not None:
            # A run in flight may have missed it too, so it is due again once the file is back, as it was or not.
            self._grounds.forget_run()
        return Checked(self.is_clean, is_due and not self.is_only_linted and self.missing is None)

    def touches(self) -> tuple[Touch, ...]:
        """What the saved files are to the run, of which nobody has been told."""
        untold, before = self._untold, self._told
        self._untold, self._told = NOTHING, self._reach
        return touches(untold, before, self._told)

    def take_off(self) -> frozenset[Path]:
        """A run of what was checked begins; return what was saved since the last one did."""
        saved, self._unrun = self._unrun, NOTHING
        self._grounds.run()
        return saved

    @property
    def _reach(self) -> Reach:
        return self._grounds.completed(self._linter.reach)


async def _in_thread(work: Callable[[], T]) -> T:
    """Do `work` in a thread that nobody waits for when the session is left in the middle of it."""
    result: concurrent.futures.Future[T] = concurrent.futures.Future()

    def run() -> None:
        result.set_running_or_notify_cancel()
        try:
            result.set_result(work())
        except Exception as error:
            result.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return await asyncio.wrap_future(result)

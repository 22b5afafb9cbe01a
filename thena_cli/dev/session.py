"""One session of `thena dev`: it does what the loop (`loop.py`) decides and tells it what came of that.

Left out on purpose: the decisions themselves, the wording, and the command line.
"""

import asyncio
import concurrent.futures
import contextlib
import importlib.util
import threading
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal, TypeVar, assert_never

from thena_cli.dev import lines, loop
from thena_cli.dev.child import Child, Order
from thena_cli.dev.follow import follow
from thena_cli.dev.grounds import Grounds
from thena_cli.dev.interrupts import GRACE, interrupts
from thena_cli.dev.kept import KeptAnswers
from thena_cli.dev.keyboard import Keyboard
from thena_cli.dev.linter import Linter, Verdict
from thena_cli.dev.messages import (
    Asks,
    Cancelled,
    Died,
    Failed,
    Finished,
    Kept,
    Noted,
    Outcome,
    Printed,
    Spoken,
    Told,
    Used,
    exit_code,
)
from thena_cli.dev.reach import Reach, touches
from thena_cli.dev.screen import TICK, Screen
from thena_cli.dev.watch import SETTLE, Contents, Watched, saves
from thena_contract.frozen import frozen

T = TypeVar("T")

_CTRL_C: Final = 130


@frozen(kw_only=True)
class Ways:
    """How a session goes about its work.

    `lint` says whether faults keep code from running, are only shown, or aren't looked for; `settle` is how many
    seconds of quiet end a save, and `is_polling` looks for saves where the system reports none. `is_replaying` has
    calls of models that haven't changed answered as before. With `has_keys` a key on the terminal does something, and
    with `shows_speech` models are heard while they speak.
    """

    lint: Literal["error", "warn", "off"] = "error"
    is_once: bool = False
    is_replaying: bool = True
    has_keys: bool = False
    shows_speech: bool = False
    settle: float = SETTLE
    is_polling: bool = False


class Session:
    """Everything of one `thena dev`; it lives from the first check until `run` returns."""

    def __init__(
        self,
        *,
        order: Order,
        watched: Path,
        linter: Callable[[Callable[[Watched], None]], Linter],
        ways: Ways,
        screen: Screen,
        spare: Child,
    ) -> None:
        is_repeated = not ways.is_once
        self._order = replace(
            order, tells_files=is_repeated, asks=ways.has_keys and is_repeated, speaks=ways.shows_speech
        )
        self._ways = ways
        self._screen = screen
        self._spare: Child | None = spare
        self._is_once = ways.is_once
        # Taken before the first check reads the files, so that what is saved from here on is seen as new.
        self._contents = Contents(Watched(frozenset({watched})))
        self._linter = linter(self._contents.watch)
        self._queue: asyncio.Queue[loop.Happening] = asyncio.Queue()
        self._group = asyncio.TaskGroup()
        self._begun: set[asyncio.Task[None]] = set()
        self._child: Child | None = None
        self._verdict: Verdict | None = None
        self._unstarted: frozenset[Path] = frozenset()
        # Since a verdict was last shown, and what the run rested on then.
        self._unshown: frozenset[Path] = frozenset()
        self._reach_shown = self._linter.reach
        self._grounds = Grounds(self._contents, near=(order.folder, order.root))
        # What runs have written, which the linter hasn't read again.
        self._unread: frozenset[Path] = frozenset()
        self._answers = KeptAnswers()
        self._is_anew = False
        # Whether the next check was asked for itself, and not for a run.
        self._only_lints = self._has_only_linted = False
        self._is_target_gone = False
        self._keyboard: Keyboard | None = None
        self._failed: str | None = None
        self._is_resting = False
        # While saves wait, those that were made.
        self._is_paused = self._is_prompted = False
        self._waiting: frozenset[Path] = frozenset()
        self._is_stopping = False
        self._has_spoken = False
        self._interrupted_code = _CTRL_C
        # What the session would answer if it ended now.
        self._code = 0

    async def run(self) -> int:
        """Go on until a run is over, if only one is wanted, or until Ctrl-C; return the exit code."""
        try:
            with interrupts(self._interrupt):
                async with self._group:
                    if self._ways.has_keys and not self._is_once:
                        self._keyboard = Keyboard(self)
                    self._begin(self._tick())
                    if not self._is_once:
                        self._begin(self._watch())
                    await self._loop()
                    for task in self._begun:
                        task.cancel()
        except BaseExceptionGroup as group:
            if len(group.exceptions) > 1:
                raise
            # What one task raised is what happened; that it was a task is of no interest.
            raise group.exceptions[0] from None
        finally:
            for child in (self._child, self._spare):
                if child is not None:
                    child.kill()
            if self._keyboard is not None:
                self._keyboard.close()
            self._screen.close()
        return self._code

    async def _loop(self) -> None:
        state, actions = loop.begin()
        while True:
            for action in actions:
                if isinstance(action, loop.Rest) and self._is_once:
                    return
                if isinstance(action, loop.Quit):
                    self._code = self._interrupted_code
                    return
                self._do(action)
            state, actions = loop.step(state, await self._queue.get())

    def _do(self, action: loop.Action) -> None:
        self._is_resting = isinstance(action, loop.Rest)
        match action:
            case loop.Check(saved):
                self._unstarted |= saved
                self._unshown |= saved
                if saved:
                    self._screen.saved(saved, gone=frozenset(path for path in saved if not path.exists()))
                else:
                    self._screen.checking()
                self._begin(self._check(saved))
            case loop.ShowVerdict():
                self._screen.touched(touches(self._unshown, self._reach_shown, self._reach))
                self._unshown, self._reach_shown = frozenset(), self._reach
                if self._verdict is not None:
                    self._screen.checked(self._verdict)
            case loop.ShowUnchanged():
                missing = self._order.file if self._is_target_gone else None
                self._screen.unchanged(is_only_linted=self._has_only_linted, missing=missing)
            case loop.ShowFaults(in_flight):
                self._code = 1
                self._grounds.forget_run()
                if self._verdict is not None:
                    self._screen.refused(self._verdict, in_flight=in_flight)
            case loop.Start(run):
                self._start(run)
            case loop.Stop(run):
                self._is_stopping = True
                if self._child is not None:
                    self._child.interrupt()
                asyncio.get_running_loop().call_later(GRACE, self._queue.put_nowait, loop.GraceOver(run))
            case loop.Kill():
                if self._child is not None:
                    self._child.kill()
            case loop.Rest():
                self._screen.resting(is_clean=self._is_clean and not self._is_target_gone and self._code == 0)
            case loop.Quit():
                return
            case _:
                assert_never(action)

    def _start(self, run: int) -> None:
        for path in self._unstarted:
            _forget_bytecode(path)
        self._unstarted = frozenset()
        self._grounds.run()
        child = self._spare if self._spare is not None and self._spare.is_alive else Child.spare()
        self._child = child
        self._is_stopping = self._has_spoken = False
        self._spare = None
        self._screen.started()
        answers = self._answers.begin() if self._ways.is_replaying and not self._is_once else None
        child.send(replace(self._order, answers=[] if self._is_anew and answers else answers))
        self._is_anew = False
        self._begin(self._follow(child, run))

    async def _check(self, saved: frozenset[Path]) -> None:
        linter, before, read = self._linter, self._reach, saved | self._unread
        self._unread = frozenset()
        self._grounds.check()
        if self._ways.lint != "off":
            self._verdict = await _in_thread(lambda: linter.check(read))
        else:
            await _in_thread(lambda: linter.look(read))
        now = self._reach
        is_due = await _in_thread(lambda: self._grounds.is_due(before, now))
        self._has_only_linted, self._only_lints = self._only_lints, False
        # What isn't there can't be run; where only one run is wanted, the run says so.
        self._is_target_gone = not self._is_once and not self._order.file.exists()
        is_due = is_due and not self._has_only_linted and not self._is_target_gone
        self._queue.put_nowait(loop.Checked(self._is_clean, is_due))

    @property
    def _reach(self) -> Reach:
        return self._grounds.completed(self._linter.reach)

    @property
    def _is_clean(self) -> bool:
        return self._ways.lint != "error" or self._verdict is None or self._verdict.summary.is_clean

    async def _follow(self, child: Child, run: int) -> None:
        def known(outcome: Outcome) -> None:
            self._end(child, outcome)
            # A session of one run is over when nothing of the run is left.
            if not self._is_once:
                self._queue.put_nowait(loop.Known(run))

        outcome = await follow(child, self._say, known=known)
        self._child = None
        self._warm_up()
        if isinstance(outcome, Died):
            self._end(child, outcome)
        elif self._keyboard is not None:
            self._keyboard.forget(child)
        self._queue.put_nowait(loop.Ended(run))

    def _end(self, child: Child, outcome: Outcome) -> None:
        if self._is_stopping and isinstance(outcome, Died | Failed):
            # It had no time for a last word, or its last word is about being interrupted.
            outcome = Cancelled(at=None)
        if self._keyboard is not None:
            self._keyboard.forget(child)
        if not isinstance(outcome, Cancelled):
            self._note_failure(outcome)
        self._code = exit_code(outcome)
        self._screen.ended(outcome)
        # What Python says of a process that is stopped from here on is about being interrupted.
        self._has_spoken = False

    def _say(self, message: Told | Printed) -> None:
        if isinstance(message, Used):
            self._grounds.use(message)
            return
        if isinstance(message, Kept):
            self._answers.hear(message.answer)
            return
        if isinstance(message, Asks):
            if self._keyboard is not None:
                self._keyboard.ask_for(self._child)
            return
        # Not before this run has shown signs of life: until then the next one's warming up would slow it down.
        self._warm_up()
        if isinstance(message, Noted):
            self._screen.noted(message.event)
        elif isinstance(message, Spoken):
            self._screen.spoken(message)
        elif isinstance(message, Printed) and (self._has_spoken or not self._is_stopping):
            self._screen.printed(message.text)
        else:
            # Its first word came after it was stopped: Python complains that it was interrupted while it started.
            return
        self._has_spoken = True

    def _warm_up(self) -> None:
        if self._spare is None and not self._is_once:
            self._spare = Child.spare()

    async def _watch(self) -> None:
        async for batch in saves(self._contents, settle=self._ways.settle, is_polling=self._ways.is_polling):
            own = self._grounds.own(batch, self._reach)
            self._unread |= own
            self._waiting |= batch - own
            self._let_count()

    def _let_count(self) -> None:
        """Let the saves count that were made, unless they are to wait."""
        if self._waiting and not self._is_paused and not self._is_prompted:
            saved, self._waiting = self._waiting, frozenset()
            self._save(saved)

    def _save(self, paths: frozenset[Path]) -> None:
        self._only_lints = False
        self._queue.put_nowait(loop.Saved(paths))

    def _note_failure(self, outcome: Outcome) -> None:
        """Keep the prompt of a run that failed, until it goes well."""
        if not isinstance(outcome, Finished):
            self._failed = self._order.prompt
        elif self._failed == self._order.prompt:
            self._failed = None

    # -- what keys ask for

    @property
    def prompt(self) -> str:
        """What runs are asked to do."""
        return self._order.prompt

    @property
    def failed_prompt(self) -> str | None:
        """The prompt whose run failed last, and hasn't gone well since."""
        return self._failed

    @property
    def is_linting(self) -> bool:
        """Whether there is a linter."""
        return self._ways.lint != "off"

    def run_again(self, *, prompt: str | None = None, is_anew: bool = False) -> None:
        """Check and run what is on disk; anew, so that nothing is replayed."""
        if prompt is not None:
            self._order = replace(self._order, prompt=prompt)
        self._is_anew = is_anew
        self._grounds.forget_run()
        self._save(frozenset())

    def lint(self) -> None:
        """Check what is on disk, what waits included, and run nothing."""
        self._only_lints = True
        self._queue.put_nowait(loop.Saved(self._waiting))

    def pause(self) -> bool:
        """Let saves wait, or have those that waited count; return whether they wait."""
        self._is_paused = not self._is_paused
        self._let_count()
        return self._is_paused

    def leave(self) -> None:
        """End the session as it was meant to end."""
        self._interrupt(0)

    def tell(self, *rows: lines.Line) -> None:
        """Show an answer to a key."""
        self._screen.told(*rows)

    def hold(self, is_held: bool, *, is_prompt: bool = False) -> None:
        """Redraw nothing while a line is typed; while it is a prompt, let saves wait too."""
        self._screen.hold(is_held)
        self._is_prompted = is_held and is_prompt
        self._let_count()

    def clear(self) -> None:
        """Clear the screen, but for what is waited for."""
        self._screen.clear()
        if self._is_resting:
            self._do(loop.Rest())

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            self._screen.tick()

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        task = self._group.create_task(work)
        self._begun.add(task)
        task.add_done_callback(self._begun.discard)

    def _interrupt(self, code: int) -> None:
        if code == _CTRL_C and self._keyboard is not None and self._keyboard.give_up():
            return
        self._interrupted_code = code
        self._queue.put_nowait(loop.Interrupted())


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


def _forget_bytecode(path: Path) -> None:
    """Delete the compiled form: Python takes it for fresh when a save changed neither second nor size of the file."""
    if path.suffix == ".py":
        with contextlib.suppress(OSError):
            Path(importlib.util.cache_from_source(path)).unlink(missing_ok=True)

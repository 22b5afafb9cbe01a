"""One session of `thena dev`: it does what the loop (`loop.py`) decides and tells it what came of that.

Left out on purpose: the decisions themselves, the wording, and the command line.
"""

import asyncio
import contextlib
import importlib.util
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Final, Literal, assert_never

from thena_cli.dev import lines, loop
from thena_cli.dev.checks import Checks
from thena_cli.dev.child import Child, Order
from thena_cli.dev.children import Children
from thena_cli.dev.flight import Flight
from thena_cli.dev.gate import Gate
from thena_cli.dev.grounds import Grounds
from thena_cli.dev.interrupts import GRACE, interrupts
from thena_cli.dev.keyboard import Keyboard
from thena_cli.dev.linter import Linter
from thena_cli.dev.messages import Asks, Kept, Noted, Outcome, Printed, Reported, Spoken, Told, Used, exit_code
from thena_cli.dev.orders import Orders
from thena_cli.dev.screen import TICK, Screen
from thena_cli.dev.watch import SETTLE, Contents, Watched, saves
from thena_contract.frozen import frozen

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
        self._ways = ways
        self._screen = screen
        # Taken before the first check reads the files, so that what is saved from here on is seen as new.
        self._contents = Contents(Watched(frozenset({watched})))
        self._grounds = Grounds(self._contents, near=(order.folder, order.root))
        # Where only one run is wanted, it is the run that says that its target is gone.
        target = order.file if is_repeated else None
        self._checks = Checks(linter(self._contents.watch), self._grounds, lint=ways.lint, target=target)
        self._gate = Gate(self._count)
        self._orders = Orders(
            replace(order, tells_files=is_repeated, asks=ways.has_keys and is_repeated, speaks=ways.shows_speech),
            is_replaying=ways.is_replaying and is_repeated,
        )
        self._children = Children(spare, is_once=ways.is_once)
        self._keyboard: Keyboard | None = None
        self._queue: asyncio.Queue[loop.Happening] = asyncio.Queue()
        self._group = asyncio.TaskGroup()
        self._begun: set[asyncio.Task[None]] = set()
        self._is_resting = False
        self.report: Path | None = None
        """The page about the last run that has one."""
        # What the session would answer if it ended now, and if it were interrupted.
        self._code = 0
        self._interrupted_code = _CTRL_C

    async def run(self) -> int:
        """Go on until a run is over, if only one is wanted, or until Ctrl-C; return the exit code."""
        try:
            with interrupts(self._interrupt):
                async with self._group:
                    if self._ways.has_keys and not self._ways.is_once:
                        self._keyboard = Keyboard(self)
                    self._begin(self._tick())
                    if not self._ways.is_once:
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
            self._children.kill()
            if self._keyboard is not None:
                self._keyboard.close()
            self._screen.close()
        return self._code

    async def _loop(self) -> None:
        state, actions = loop.begin()
        while True:
            for action in actions:
                if isinstance(action, loop.Rest) and self._ways.is_once:
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
                if saved:
                    self._screen.saved(saved, gone=frozenset(path for path in saved if not path.exists()))
                else:
                    self._screen.checking()
                self._begin(self._check(saved))
            case loop.ShowVerdict():
                self._screen.touched(self._checks.touches())
                if self._checks.verdict is not None:
                    self._screen.checked(self._checks.verdict)
            case loop.ShowUnchanged():
                self._screen.unchanged(is_only_linted=self._checks.is_only_linted, missing=self._checks.missing)
            case loop.ShowFaults(in_flight):
                self._code = 1
                self._grounds.forget_run()
                if self._checks.verdict is not None:
                    self._screen.refused(self._checks.verdict, in_flight=in_flight)
            case loop.Start(run):
                self._start(run)
            case loop.Stop(run):
                self._children.stop()
                asyncio.get_running_loop().call_later(GRACE, self._queue.put_nowait, loop.GraceOver(run))
            case loop.Kill():
                self._children.kill_running()
            case loop.Rest():
                is_clean = self._checks.is_clean and self._checks.missing is None and self._code == 0
                self._screen.resting(is_clean=is_clean)
            case loop.Quit():
                return
            case _:
                assert_never(action)

    async def _check(self, saved: frozenset[Path]) -> None:
        self._queue.put_nowait(await self._checks.check(saved))

    def _start(self, run: int) -> None:
        for path in self._checks.take_off():
            _forget_bytecode(path)
        flight = self._children.take_off()
        self._screen.started()
        flight.child.send(self._orders.next())
        self._begin(self._follow(flight, run))

    async def _follow(self, flight: Flight, run: int) -> None:
        def end(outcome: Outcome) -> None:
            if self._keyboard is not None:
                self._keyboard.forget(flight.child)
            self._orders.end(outcome)
            self._code = exit_code(outcome)
            self._screen.ended(outcome)
            # A session of one run is over when nothing of the run is left.
            if not self._ways.is_once:
                self._queue.put_nowait(loop.Known(run))

        await flight.follow(self._say, known=end)
        if self._keyboard is not None:
            self._keyboard.forget(flight.child)
        self._children.land()
        self._queue.put_nowait(loop.Ended(run))

    def _say(self, message: Told | Printed) -> None:
        match message:
            case Used():
                self._grounds.use(message)
                return
            case Kept(answer):
                self._orders.keep(answer)
                return
            case Asks():
                if self._keyboard is not None and self._children.running is not None:
                    self._keyboard.ask_for(self._children.running)
                return
            case Reported(page):
                self.report = page
                self._screen.reported(page)
            case Noted(event):
                self._screen.noted(event)
            case Spoken():
                self._screen.spoken(message)
            case Printed(text):
                self._screen.printed(text)
            case _:
                assert_never(message)
        # Not before this run has shown signs of life: until then the next one's warming up would slow it down.
        self._children.warm_up()

    async def _watch(self) -> None:
        async for batch in saves(self._contents, settle=self._ways.settle, is_polling=self._ways.is_polling):
            self._gate.save(self._checks.without_own(batch))

    def _count(self, saved: frozenset[Path], *, only_lints: bool = False) -> None:
        self._checks.want(only_lints=only_lints)
        self._queue.put_nowait(loop.Saved(saved))

    # -- what keys ask for

    @property
    def prompt(self) -> str:
        """What runs are asked to do."""
        return self._orders.prompt

    @property
    def failed_prompt(self) -> str | None:
        """The prompt whose run failed last, and hasn't gone well since."""
        return self._orders.failed_prompt

    @property
    def is_linting(self) -> bool:
        """Whether there is a linter."""
        return self._checks.is_linting

    def run_again(self, *, prompt: str | None = None, is_anew: bool = False) -> None:
        """Check and run what is on disk; anew, so that nothing is replayed."""
        self._orders.change(prompt=prompt, is_anew=is_anew)
        self._grounds.forget_run()
        self._count(frozenset())

    def lint(self) -> None:
        """Check what is on disk, what waits included, and run nothing."""
        self._count(self._gate.waiting, only_lints=True)

    def pause(self) -> bool:
        """Let saves wait, or have those that waited count; return whether they wait."""
        return self._gate.pause()

    def leave(self) -> None:
        """End the session as it was meant to end."""
        self._interrupt(0)

    def tell(self, *rows: lines.Line) -> None:
        """Show an answer to a key."""
        self._screen.told(*rows)

    def hold(self, is_held: bool, *, is_prompt: bool = False) -> None:
        """Redraw nothing while a line is typed; while it is a prompt, let saves wait too."""
        self._screen.hold(is_held)
        self._gate.hold(is_held and is_prompt)

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


def _forget_bytecode(path: Path) -> None:
    """Delete the compiled form: Python takes it for fresh when a save changed neither second nor size of the file."""
    if path.suffix == ".py":
        with contextlib.suppress(OSError):
            Path(importlib.util.cache_from_source(path)).unlink(missing_ok=True)

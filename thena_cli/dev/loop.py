"""The dev loop as a state machine: what has happened in, what is to be done out, no I/O of its own.

    watching --saved--> checking --clean, due--> running --ended--> watching
                            |                      |
                            +--faults, or not due--> watching
                                                   +--saved--> checking --clean, due--> stopping --ended--> running

A save while a run is in flight is checked first. Clean code stops the run and starts the next; faults leave the run
of the last good code alone, because stopping it would throw away calls that were paid for, for code that cannot run.
What would run as before isn't due: it starts nothing and stops nothing.

A run is over when its outcome is known. Its process may take longer to end; what comes next ends it, like a run in
flight.

Left out on purpose: how a check is made, what a process is, what is shown, and when a session that runs only once
is over (it is over at the first `Rest`).
"""

from dataclasses import replace
from pathlib import Path
from typing import assert_never

from thena_contract.frozen import frozen

NOTHING: frozenset[Path] = frozenset()


# States. `run` is the number of the last run that was started, 0 before the first.


@frozen
class Watching:
    """Nothing runs; the next thing that happens is a save."""

    run: int


@frozen
class Checking:
    """The linter is at work. `saved` is what was saved since it began, so that its verdict is already old.

    `in_flight` means that the process of a run is there, `is_over` that the run itself is over.
    """

    run: int
    in_flight: bool
    saved: frozenset[Path] = NOTHING
    is_over: bool = False


@frozen
class Running:
    """A run is in flight and its code is what is on disk; or it `is_over`, but for its process."""

    run: int
    is_over: bool = False


@frozen
class Stopping:
    """A run has been told to end; what comes next waits until it has."""

    run: int
    quitting: bool
    saved: frozenset[Path] = NOTHING


@frozen
class Done:
    """Nothing runs and nothing will."""


State = Watching | Checking | Running | Stopping | Done


# What happens.


@frozen
class Saved:
    """Files have new content, are new, or are gone."""

    paths: frozenset[Path]


@frozen
class Checked:
    """The check that was asked for last has ended. A run is due if it wouldn't be the last one once more."""

    is_clean: bool
    is_due: bool = True


@frozen
class Known:
    """The outcome of a run is known; its process may still be there."""

    run: int


@frozen
class Ended:
    """The process of a run is gone."""

    run: int


@frozen
class GraceOver:
    """A run that was told to stop has had its time."""

    run: int


@frozen
class Interrupted:
    """The user pressed Ctrl-C."""


Happening = Saved | Checked | Known | Ended | GraceOver | Interrupted


# What is to be done.


@frozen
class Check:
    """Lint, given what was saved since the last check (nothing: everything is read for the first time)."""

    saved: frozenset[Path]


@frozen
class Start:
    """Start a run of what was checked last."""

    run: int


@frozen
class ShowVerdict:
    """Show what the check found; nothing was saved while it was made."""


@frozen
class ShowFaults:
    """Show why what was saved is not run."""

    in_flight: bool


@frozen
class ShowUnchanged:
    """Show why what was saved starts no run."""


@frozen
class Stop:
    """Ask a run to end, and say `GraceOver` when its time is up."""

    run: int


@frozen
class Kill:
    """End a run that does not end by itself."""

    run: int


@frozen
class Rest:
    """Say that the next save is awaited."""


@frozen
class Quit:
    """Leave."""


Action = Check | Start | ShowVerdict | ShowFaults | ShowUnchanged | Stop | Kill | Rest | Quit
Step = tuple[State, tuple[Action, ...]]


def begin() -> Step:
    """The first step: check everything."""
    return Checking(run=0, in_flight=False), (Check(NOTHING),)


def step(state: State, happening: Happening) -> Step:
    """Say what comes of `happening` in `state`."""
    match happening:
        case Saved(paths):
            return _saved(state, paths)
        case Checked(is_clean, is_due):
            return _checked(state, is_clean, is_due)
        case Known(run):
            return _known(state, run)
        case Ended(run):
            return _ended(state, run)
        case GraceOver(run):
            return state, (Kill(run),) if isinstance(state, Stopping) and state.run == run else ()
        case Interrupted():
            return _interrupted(state)
        case _:
            assert_never(happening)


def _saved(state: State, paths: frozenset[Path]) -> Step:
    match state:
        case Watching(run):
            return Checking(run, in_flight=False), (Check(paths),)
        case Running(run, is_over):
            return Checking(run, in_flight=True, is_over=is_over), (Check(paths),)
        case Checking(saved=saved):
            return replace(state, saved=saved | paths), ()
        case Stopping(run, quitting, saved):
            return Stopping(run, quitting, saved | paths), ()
        case Done():
            return state, ()
        case _:
            assert_never(state)


def _checked(state: State, is_clean: bool, is_due: bool) -> Step:
    if not isinstance(state, Checking):
        return state, ()
    if state.saved:
        return replace(state, saved=NOTHING), (Check(state.saved),)
    goes_on = state.in_flight and not state.is_over
    rest = () if goes_on else (Rest(),)
    after = Running(state.run, state.is_over) if state.in_flight else Watching(state.run)
    if is_clean and not is_due:
        return after, (ShowVerdict(), ShowUnchanged(), *rest)
    if is_clean and state.in_flight:
        return Stopping(state.run, quitting=False), (ShowVerdict(), Stop(state.run))
    if is_clean:
        return Running(state.run + 1), (ShowVerdict(), Start(state.run + 1))
    return after, (ShowVerdict(), ShowFaults(in_flight=goes_on), *rest)


def _known(state: State, run: int) -> Step:
    match state:
        case Running(current) if current == run:
            return Running(run, is_over=True), (Rest(),)
        case Checking(current, True) if current == run:
            return replace(state, is_over=True), ()
        case _:
            return state, ()


def _ended(state: State, run: int) -> Step:
    match state:
        case Running(current, is_over) if current == run:
            return Watching(run), () if is_over else (Rest(),)
        case Checking(current, True, saved) if current == run:
            return Checking(run, False, saved), ()
        case Stopping(current, True) if current == run:
            return Done(), (Quit(),)
        case Stopping(current, False, saved) if current == run and saved:
            return Checking(run, in_flight=False), (Check(saved),)
        case Stopping(current, False) if current == run:
            return Running(run + 1), (Start(run + 1),)
        case _:
            return state, ()


def _interrupted(state: State) -> Step:
    match state:
        case Running(run) | Checking(run, True):
            return Stopping(run, quitting=True), (Stop(run),)
        case Stopping(run, quitting):
            # A second Ctrl-C: the user will not wait for the grace to pass.
            return Stopping(run, quitting=True), (Kill(run),) if quitting else ()
        case Watching() | Checking():
            return Done(), (Quit(),)
        case Done():
            return state, ()
        case _:
            assert_never(state)

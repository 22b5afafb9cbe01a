"""The dev loop as a state machine: lists of happenings in, states and actions out."""

from pathlib import Path

import pytest

from thena_cli.dev.loop import (
    Check,
    Checked,
    Checking,
    Done,
    Ended,
    GraceOver,
    Happening,
    Interrupted,
    Kill,
    Known,
    Quit,
    Rest,
    Running,
    Saved,
    ShowFaults,
    ShowUnchanged,
    ShowVerdict,
    Start,
    State,
    Stop,
    Stopping,
    Watching,
    begin,
    step,
)

FLOW = Path("/project/flow.py")
PROMPT = Path("/project/writer.agent.md")
CLEAN, FAULTY = Checked(is_clean=True), Checked(is_clean=False)
SAME = Checked(is_clean=True, is_due=False)


def saved(*paths: Path) -> Saved:
    return Saved(frozenset(paths))


def play(*happenings: Happening) -> tuple[State, list[object]]:
    """Begin, let everything happen in order, and return the last state and every action."""
    state, actions = begin()
    done: list[object] = list(actions)
    for happening in happenings:
        state, actions = step(state, happening)
        done.extend(actions)
    return state, done


def test_clean_code_is_checked_run_and_then_watched() -> None:
    """The first check starts a run, and its end leads to the next save."""
    state, done = play(CLEAN, Ended(1))
    assert Watching(1) == state
    assert [Check(frozenset()), ShowVerdict(), Start(1), Rest()] == done


def test_a_save_starts_the_next_run() -> None:
    """A save while nothing runs is checked and run."""
    state, done = play(CLEAN, Ended(1), saved(FLOW), CLEAN)
    assert Running(2) == state
    assert [Check(frozenset({FLOW})), ShowVerdict(), Start(2)] == done[-3:]


def test_faults_start_no_run() -> None:
    """Code with faults is shown and not run; the next save is awaited."""
    state, done = play(FAULTY)
    assert Watching(0) == state
    assert [Check(frozenset()), ShowVerdict(), ShowFaults(in_flight=False), Rest()] == done


def test_mended_faults_start_a_run() -> None:
    """The save that mends the faults starts the first run."""
    state, done = play(FAULTY, saved(FLOW), CLEAN)
    assert Running(1) == state
    assert Start(1) == done[-1]


def test_a_save_cancels_the_run_in_flight_and_the_next_waits_for_its_end() -> None:
    """The old run is stopped once the new code is known to be clean; the new one starts when the old one is gone."""
    state, done = play(CLEAN, saved(FLOW), CLEAN)
    assert Stopping(1, quitting=False) == state
    assert [Check(frozenset({FLOW})), ShowVerdict(), Stop(1)] == done[-3:]
    assert (Running(2), (Start(2),)) == step(state, Ended(1))


def test_faults_leave_the_run_in_flight_alone() -> None:
    """A run of the last good code goes on while the faults of the new code are shown."""
    state, done = play(CLEAN, saved(FLOW), FAULTY)
    assert Running(1) == state
    assert [ShowVerdict(), ShowFaults(in_flight=True)] == done[-2:]


def test_what_would_run_as_before_starts_nothing() -> None:
    """It is said why, and the next save is awaited."""
    state, done = play(CLEAN, Ended(1), saved(FLOW), SAME)
    assert Watching(1) == state
    assert [Check(frozenset({FLOW})), ShowVerdict(), ShowUnchanged(), Rest()] == done[-4:]


def test_what_would_run_as_before_leaves_the_run_in_flight_alone() -> None:
    """That run is the one that would be started."""
    state, done = play(CLEAN, saved(FLOW), SAME)
    assert Running(1) == state
    assert [ShowVerdict(), ShowUnchanged()] == done[-2:]


def test_a_save_during_a_check_makes_its_verdict_old() -> None:
    """The old verdict is neither shown nor acted on; what was saved meanwhile is checked."""
    state, done = play(CLEAN, Ended(1), saved(FLOW), saved(PROMPT), FAULTY)
    assert Checking(1, in_flight=False) == state
    assert [Check(frozenset({FLOW})), Check(frozenset({PROMPT}))] == done[-2:]


def test_a_save_while_a_run_is_stopping_is_checked_before_the_next() -> None:
    """What is saved during the stopping is not run unchecked."""
    state, done = play(CLEAN, saved(FLOW), CLEAN, saved(PROMPT), Ended(1))
    assert Checking(1, in_flight=False) == state
    assert Check(frozenset({PROMPT})) == done[-1]


def test_a_run_that_ends_during_a_check_is_not_stopped() -> None:
    """When the check is done the old run is gone already, so the new one starts at once."""
    state, done = play(CLEAN, saved(FLOW), Ended(1), CLEAN)
    assert Running(2) == state
    assert Stop(1) not in done


def test_a_run_that_does_not_stop_is_killed() -> None:
    """When the grace is over the run that is still there is killed."""
    state, done = play(CLEAN, saved(FLOW), CLEAN, GraceOver(1))
    assert Stopping(1, quitting=False) == state
    assert Kill(1) == done[-1]


def test_the_grace_of_an_earlier_run_kills_nothing() -> None:
    """A timer that outlives its run has no effect on the next."""
    state, done = play(CLEAN, saved(FLOW), CLEAN, Ended(1), saved(FLOW), CLEAN, GraceOver(1))
    assert Stopping(2, quitting=False) == state
    assert Stop(2) == done[-1]


@pytest.mark.parametrize("before", [(), (FAULTY,), (CLEAN, Ended(1)), (CLEAN, Ended(1), saved(FLOW))])
def test_ctrl_c_leaves_at_once_when_nothing_runs(before: tuple[Happening, ...]) -> None:
    """Without a run in flight there is nothing to wait for, even in the middle of a check."""
    state, done = play(*before, Interrupted())
    assert Done() == state
    assert Quit() == done[-1]


@pytest.mark.parametrize("before", [(CLEAN,), (CLEAN, saved(FLOW)), (CLEAN, saved(FLOW), CLEAN)])
def test_ctrl_c_stops_the_run_before_it_leaves(before: tuple[Happening, ...]) -> None:
    """A run in flight gets its grace, whatever else is going on, and no other run follows."""
    state, done = play(*before, Interrupted())
    assert Stopping(1, quitting=True) == state
    assert 1 == done.count(Stop(1))
    assert (Done(), (Quit(),)) == step(state, Ended(1))


def test_a_second_ctrl_c_does_not_wait_for_the_grace() -> None:
    """Whoever presses Ctrl-C twice wants the run to be gone now."""
    state, done = play(CLEAN, Interrupted(), Interrupted())
    assert Stopping(1, quitting=True) == state
    assert Kill(1) == done[-1]


@pytest.mark.parametrize("late", [saved(FLOW), CLEAN, Ended(1), GraceOver(1), Interrupted()])
def test_nothing_happens_after_the_end(late: Happening) -> None:
    """What is still in the queue when the session is over changes nothing."""
    assert (Done(), ()) == step(Done(), late)


def test_a_run_is_over_when_its_outcome_is_known() -> None:
    """The next save is awaited although the process is still there, and its end is no news."""
    state, done = play(CLEAN, Known(1))
    assert (Running(1, is_over=True), Rest()) == (state, done[-1])
    assert (Watching(1), ()) == step(state, Ended(1))


def test_what_is_left_of_a_run_that_is_over_is_ended_by_what_comes_next() -> None:
    """The next run and leaving both ask it to end, and wait for that."""
    state, done = play(CLEAN, Known(1), saved(FLOW), CLEAN)
    assert (Stopping(1, quitting=False), Stop(1)) == (state, done[-1])
    assert (Running(2), (Start(2),)) == step(state, Ended(1))
    state, done = play(CLEAN, Known(1), Interrupted())
    assert (Stopping(1, quitting=True), Stop(1)) == (state, done[-1])


def test_what_is_left_of_a_run_that_is_over_is_no_run_that_goes_on() -> None:
    """Faults and what isn't due are shown as while nothing runs, also where the run was over only during the check."""
    for order in ([Known(1), saved(FLOW)], [saved(FLOW), Known(1)]):
        state, done = play(CLEAN, *order, FAULTY)
        assert (Running(1, is_over=True), [ShowFaults(in_flight=False), Rest()]) == (state, done[-2:])
        state, done = play(CLEAN, *order, SAME)
        assert (Running(1, is_over=True), [ShowUnchanged(), Rest()]) == (state, done[-2:])

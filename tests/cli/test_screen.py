"""Both screens, driven by hand: what a person sees, whole."""

import io
import re
import time
from pathlib import Path

import pytest
from rich.console import Console

from tests.cli.test_tree import Story, turn
from thena_cli.dev.lines import LintSummary
from thena_cli.dev.linter import Verdict
from thena_cli.dev.messages import Cancelled, Failed, Finished, Outcome, Refused, StartFault
from thena_cli.dev.screen import PlainScreen, Screen
from thena_cli.dev.terminal import TerminalScreen

HERE = Path("/home/user/project")
WATCHED = HERE / "flow"
CLEAN = Verdict(summary=LintSummary(files=5, faults=0, is_clean=True, seconds=0.2), report="")
FAULTY = Verdict(
    summary=LintSummary(files=5, faults=1, is_clean=False, seconds=0.2),
    report="flow/a.py:3:1: THN201 `A` asks. Add it.\n3 | class A\n  | ^^^^^^^\n\n",
)


def play_one_run(screen: Screen, outcome: Outcome) -> None:
    """A check, a run of one turn, and its end."""
    story = Story().start("workflow", "Flow").start("loop")
    turn(story, "Writer").end(iterations=1, stopped_by="until").end()
    screen.checking()
    screen.checked(CLEAN)
    screen.started()
    for event in story.events:
        screen.noted(event)
    screen.ended(outcome)


def test_plain_lines_of_a_run() -> None:
    """The verdict, the tree, the output and the end, an empty line between them."""
    stream = io.StringIO()
    screen = PlainScreen(stream, watched=WATCHED, folder=HERE)
    play_one_run(screen, Finished("All good.\n", None))
    screen.resting(is_clean=True)
    assert """\
✓ lint  5 files, no faults  200ms

▸ workflow Flow
  ▸ loop
    ✓ agent Writer  5.00s
      ✓ chat  3.00s
        ✓ tool read  1.00s
  ✓ loop  7.00s  1 iteration, stopped by until
✓ workflow Flow  9.00s

All good.

✓ done  every step ran  9.00s

● watching flow  save a file to run again, Ctrl-C to leave
""" == stream.getvalue()


def test_plain_lines_of_faults() -> None:
    """The faults stand above their count, which is where the eye is."""
    stream = io.StringIO()
    screen = PlainScreen(stream, watched=WATCHED, folder=HERE)
    screen.saved(frozenset({WATCHED / "a.py"}))
    screen.checked(FAULTY)
    screen.refused(FAULTY, in_flight=False)
    screen.resting(is_clean=False)
    assert """\

▸ saved  flow/a.py
flow/a.py:3:1: THN201 `A` asks. Add it.
3 | class A
  | ^^^^^^^

✗ lint  5 files, 1 fault  200ms

● watching flow  waiting for changes, Ctrl-C to leave
""" == stream.getvalue()


def test_plain_lines_of_a_refusal() -> None:
    """What start-up refuses is shown as the linter would, as far as its place is known."""
    stream = io.StringIO()
    fault = StartFault(code="THN201", name="x", severity="error", message="`A` asks. Add it.", path=None, line=None)
    screen = PlainScreen(stream, watched=WATCHED, folder=HERE)
    screen.started()
    screen.ended(Refused((fault,)))
    assert "THN201 `A` asks. Add it.\n\n✗ start-up  1 fault\n" == stream.getvalue()


def terminal() -> tuple[io.StringIO, TerminalScreen]:
    """A screen on a terminal of 60 columns and 20 lines that shows no colours."""
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, color_system=None, width=60, height=20, highlight=False)
    return stream, TerminalScreen(console, watched=WATCHED, folder=HERE, is_clearing=True)


def last_page(stream: io.StringIO) -> str:
    """What stands on the screen: after the last clearing, without control sequences."""
    page = stream.getvalue().rpartition("\x1b[H\x1b[J")[2]
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", page).replace("\r", "")


def test_the_last_good_result_stays_on_a_page_of_faults() -> None:
    """It is shortened, and above the faults, which stay where the eye is."""
    stream, screen = terminal()
    play_one_run(screen, Finished("\n".join(f"line {number}" for number in range(12)), None))
    screen.saved(frozenset({WATCHED / "a.py"}))
    screen.checked(FAULTY)
    screen.refused(FAULTY, in_flight=False)
    screen.resting(is_clean=False)
    page = last_page(stream)
    assert """\
▸ saved  flow/a.py
│ last good result  <when>
│ line 0
│ line 1
│ line 2
│ line 3
│ line 4
│ line 5
│ … 6 lines more

flow/a.py:3:1: THN201 `A` asks. Add it.
3 | class A
  | ^^^^^^^

✗ lint  5 files, 1 fault  200ms

● watching flow  waiting for changes, Ctrl-C to leave
""" == re.sub(r"result  .*", "result  <when>", page)


def test_the_last_good_result_stays_on_the_page_of_a_failed_run() -> None:
    """A run that fails at once leaves room for it."""
    stream, screen = terminal()
    play_one_run(screen, Finished("All good.", None))
    screen.saved(frozenset({WATCHED / "a.py"}))
    screen.checked(CLEAN)
    screen.started()
    screen.ended(Failed("import", "ImportError: no", ""))
    assert "│ All good.\n\n✗ import  ImportError: no\n" in last_page(stream)


def test_a_cancelled_run_is_told_on_the_page_of_the_next() -> None:
    """Its own page is turned before anybody could read it."""
    stream, screen = terminal()
    screen.checking()
    screen.checked(CLEAN)
    screen.started()
    screen.noted(Story().start("agent", "Writer").events[0])
    screen.saved(frozenset({WATCHED / "a.py"}))
    screen.checked(CLEAN)
    screen.ended(Cancelled(None))
    screen.started()
    screen.close()
    told = ["▸ saved  flow/a.py", "■ cancelled at agent Writer", "✓ lint  5 files, no faults"]
    assert told == [re.sub(r"  \d\S* ?\S*$", "", line) for line in last_page(stream).splitlines()[:3]]


def test_a_tree_that_is_too_long_is_shown_from_its_end() -> None:
    """While it is redrawn only what fits is drawn; the whole tree is there at the end."""
    stream, screen = terminal()
    story = Story().start("workflow", "Flow")
    for _ in range(10):
        turn(story, "Writer")
    screen.checking()
    screen.checked(CLEAN)
    screen.started()
    for event in story.events:
        screen.noted(event)
    screen.tick()
    drawn = last_page(stream)
    screen.ended(Finished(None, None))
    assert "… 14 lines above" in drawn
    assert 5 == drawn.count("agent Writer")
    assert 10 == last_page(stream).removeprefix(drawn).count("agent Writer")


def test_orders_to_a_terminal_are_spelt_out() -> None:
    """What a model answers and an error says clears no screen, paints nothing and sets no title; tabs stay."""
    answer, error = "\x1b[2J\x1b]0;title\x07red\tflag\x9b1m", "boom \x1b[31m"
    plain = io.StringIO()
    terminal = io.StringIO()
    console = Console(file=terminal, force_terminal=True, color_system=None, width=80, height=24, legacy_windows=False)
    for screen in (
        PlainScreen(plain, watched=WATCHED, folder=HERE),
        TerminalScreen(console, watched=WATCHED, folder=HERE, is_clearing=False),
    ):
        play_one_run(screen, Finished(answer, None))
        play_one_run(screen, Failed("run", error, "", None, None))
    for told in (plain.getvalue(), terminal.getvalue()):
        assert r"\x1b[2J\x1b]0;title\x07red" in told
        assert r"boom \x1b[31m" in told
        assert "\x1b[2J" not in told
        assert "\x1b[31m" not in told
    assert "red\tflag\\x9b1m" in plain.getvalue()


def test_a_lint_is_timed_from_its_own_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is asked for long after the last run began has taken no longer for that."""
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    stream, screen = terminal()
    play_one_run(screen, Finished(None, None))
    now = 60.0
    screen.checking()
    now = 62.0
    screen.tick()
    screen.close()
    assert "lint  2.00s" in last_page(stream)

"""The wording of the screens."""

from pathlib import Path

import pytest

from thena_cli.dev.lines import (
    LintSummary,
    duration,
    lint_line,
    outcome_lines,
    output_lines,
    resting_line,
    saved_lines,
    text_of,
)
from thena_cli.dev.messages import Cancelled, Died, Failed, Finished, Outcome

HERE = Path("/home/user/project")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0ms"),
        (0.0123, "12ms"),
        (0.9994, "999ms"),
        (0.9996, "1.00s"),
        (1.836, "1.84s"),
        (59.999, "1m 00s"),
        (125.2, "2m 05s"),
    ],
)
def test_durations_have_a_unit_that_fits(seconds: float, text: str) -> None:
    """Milliseconds, then seconds, then minutes, and never `1000ms` or `60.00s`."""
    assert text == duration(seconds)


def test_the_verdict_of_the_linter_is_counted() -> None:
    """One line says how much was linted and what came of it."""
    clean = LintSummary(files=5, faults=0, is_clean=True, seconds=0.212)
    warned = LintSummary(files=2, faults=1, is_clean=True, seconds=1.5)
    faulty = LintSummary(files=1, faults=2, is_clean=False, seconds=0.01)
    assert "✓ lint  5 files, no faults  212ms" == text_of(lint_line(clean))
    assert "! lint  2 files, 1 fault  1.50s" == text_of(lint_line(warned))
    assert "✗ lint  1 file, 2 faults  10ms" == text_of(lint_line(faulty))


@pytest.mark.parametrize(
    ("outcome", "stopped_at", "text"),
    [
        (Finished("x", None), None, ["✓ done  every step ran  1.50s"]),
        (Finished("x", "stop"), None, ["✓ done  the code asked to stop  1.50s"]),
        (Finished("x", "something new"), None, ["✓ done  stopped by something new  1.50s"]),
        (Cancelled("chat"), "agent Writer", ["■ cancelled at agent Writer  1.50s"]),
        (Cancelled(None), None, ["■ cancelled  1.50s"]),
        (Died(-9), None, ["✗ died  the process was ended by signal 9 and gave no result  1.50s"]),
        (Died(3), None, ["✗ died  the process left with code 3 and gave no result  1.50s"]),
        (
            Failed(
                "import",
                "ModuleNotFoundError: No module named 'x'",
                f'Traceback (most recent call last):\n  File "{HERE}/flow.py", line 1\n'
                "ModuleNotFoundError: No module named 'x'\n",
            ),
            None,
            ["✗ import  ModuleNotFoundError: No module named 'x'", '    File "flow.py", line 1'],
        ),
        (Failed("run", "ValueError: no", ""), None, ["✗ failed  ValueError: no  1.50s"]),
        (
            Failed("run", "RunAborted: [thena] THN705 no", "", "THN705"),
            None,
            ["✗ failed  RunAborted: [thena] THN705 no  1.50s", "  `thena explain THN705` says more"],
        ),
    ],
)
def test_each_way_to_end_has_its_own_words(outcome: Outcome, stopped_at: str | None, text: list[str]) -> None:
    """Done, cancelled, died and failed are never shown alike."""
    shown = outcome_lines(outcome, 1.5, stopped_at=stopped_at, folder=HERE)
    assert text == [text_of(line) for line in shown]


@pytest.mark.parametrize(
    ("output", "text"),
    [("a\nb\n", ["a", "b"]), (None, []), ({"ä": 1}, ["{", '  "ä": 1', "}"]), ("", [""]), (3, ["3"])],
)
def test_an_output_is_text_or_json(output: object, text: list[str]) -> None:
    """A string is shown as it is, anything else as JSON, nothing as nothing."""
    assert text == output_lines(output)


def test_many_saved_files_are_counted() -> None:
    """Three names are enough."""
    paths = [HERE / name for name in ("a.py", "b.py", "c.py", "d.py", "e.py")]
    assert "▸ saved  a.py, b.py, c.py and 2 more" == "\n".join(
        map(text_of, saved_lines(frozenset(paths), frozenset(), HERE))
    )
    both = saved_lines(frozenset({HERE / "a.py", HERE / "b.py"}), frozenset({HERE / "b.py"}), HERE)
    assert ["▸ gone  b.py", "▸ saved  a.py"] == list(map(text_of, both))


def test_what_is_waited_for_depends_on_the_last_verdict() -> None:
    """After clean code the next save is a choice, after faults it is needed."""
    clean = resting_line(HERE / "flow", HERE, is_clean=True)
    faulty = resting_line(HERE / "flow", HERE, is_clean=False)
    assert "● watching flow  save a file to run again, Ctrl-C to leave" == text_of(clean)
    assert "● watching flow  waiting for changes, Ctrl-C to leave" == text_of(faulty)

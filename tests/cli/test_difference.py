"""How a run differs from the one before."""

import pytest

from tests.cli.test_tree import Story, turn
from thena_cli.dev.difference import Result, difference_lines
from thena_cli.dev.lines import text_of
from thena_cli.dev.tree import RunTree

STEPS = ("agent Writer", "tool note", "agent Writer")


def result(*output: str, steps: tuple[str, ...] = STEPS, seconds: float = 1.0) -> Result:
    return Result(steps=steps, seconds=seconds, output=output or ("a", "b"))


@pytest.mark.parametrize(
    ("now", "told"),
    [
        (result(seconds=1.1), ["  as in the last run: steps and output"]),
        (result(seconds=1.5), ["  unlike the last run: 500ms slower"]),
        (result(seconds=0.5), ["  unlike the last run: 500ms quicker"]),
        (result(steps=STEPS[:2]), ["  unlike the last run: -1 agent Writer"]),
        (result(steps=(*STEPS, "tool x", "tool x")), ["  unlike the last run: +2 tool x"]),
        (result(steps=STEPS[::-1]), ["  as in the last run: steps and output"]),
        (result(steps=STEPS[1:] + STEPS[:1]), ["  unlike the last run: steps in another order"]),
        (result("a", "c"), ["  unlike the last run: output +1 -1 lines", "    - b", "    + c"]),
        (result("a", "b", "c"), ["  unlike the last run: output +1 -0 line", "    + c"]),
    ],
)
def test_what_is_otherwise_is_told(now: Result, told: list[str]) -> None:
    """Steps, a notable difference in time, and lines of the output."""
    assert told == [text_of(line) for line in difference_lines(result(), now)]


def test_how_long_a_replayed_run_took_says_nothing() -> None:
    """Nobody was asked, so it was quick."""
    quick = Result(steps=STEPS, seconds=0.1, output=("a", "b"), replayed=1)
    for before, now in ((result(), quick), (quick, result())):
        assert ["  as in the last run: steps and output"] == [text_of(line) for line in difference_lines(before, now)]


def test_a_long_difference_is_shortened() -> None:
    """Eight lines of the output and three kinds of steps are enough."""
    steps = tuple(f"agent {name}" for name in "ABCDE")
    shown = [text_of(line) for line in difference_lines(result(), result(*map(str, range(20)), steps=steps))]
    head = "  unlike the last run: +1 agent A, +1 agent B, +1 agent C, 4 more kinds of steps, output +20 -2 lines"
    assert (head, 10, "    … 14 lines more") == (shown[0], len(shown), shown[-1])


def test_a_result_has_the_named_steps_of_the_tree() -> None:
    """Loops and model calls have no name, and what was skipped wasn't done."""
    story = Story().start("workflow", "Flow").start("loop")
    turn(story, "Writer").start("tool", "skip").end("skipped").end().end()
    tree = RunTree()
    for event in story.events:
        tree.add(event)
    assert result("x", steps=("workflow Flow", "agent Writer", "tool read"), seconds=2.0) == Result.of(tree, 2.0, "x\n")

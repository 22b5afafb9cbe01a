"""How a run differs from the one before: its steps, how long it took, what came out. Pure."""

import difflib
from collections import Counter
from collections.abc import Iterable

from thena_cli.dev.lines import Line, counted, duration, output_lines
from thena_cli.dev.tree import RunTree
from thena_contract.frozen import frozen

_SHOWN_STEPS = 3
_SHOWN_LINES = 8
# A run that takes a little longer than the last one is the machine's doing.
_NOTABLE_SECONDS = 0.2
_NOTABLE_RATIO = 1.25


@frozen(kw_only=True)
class Result:
    """What is compared of a run that came to its end. How long it took says something if nothing was `replayed`."""

    steps: tuple[str, ...]
    seconds: float
    output: tuple[str, ...]
    replayed: int = 0

    @classmethod
    def of(cls, tree: RunTree, seconds: float, output: object) -> "Result":
        """Take it from the tree of the run."""
        steps = (f"{row.kind} {row.name}" for row in tree.rows(0.0) if row.name and row.status != "skipped")
        replayed = tree.spending.replayed
        return cls(steps=tuple(steps), seconds=seconds, output=tuple(output_lines(output)), replayed=replayed)


def difference_lines(before: Result, now: Result) -> list[Line]:
    """What is otherwise than in the run before, shortened; one line if nothing is."""
    output = [line for line in difflib.ndiff(before.output, now.output) if line[0] in "+-"]
    told = [*_steps(before, now), *_time(before, now), *_counts(output)]
    if not told:
        return [(("  as in the last run: steps and output", "quiet"),)]
    head: Line = ((f"  unlike the last run: {', '.join(told)}", "quiet"),)
    more = [f"… {counted(len(output) - _SHOWN_LINES, 'line')} more"] if len(output) > _SHOWN_LINES else []
    return [head, *(((f"    {text}", "quiet"),) for text in [*output[:_SHOWN_LINES], *more])]


def _steps(before: Result, now: Result) -> list[str]:
    more, less = Counter(now.steps) - Counter(before.steps), Counter(before.steps) - Counter(now.steps)
    told = [*_signed("+", more), *_signed("-", less)]
    if not told and before.steps != now.steps:
        return ["steps in another order"]
    left = len(told) - _SHOWN_STEPS
    return told if left <= 0 else [*told[:_SHOWN_STEPS], f"{left} more kinds of steps"]


def _signed(sign: str, steps: Counter[str]) -> Iterable[str]:
    return (f"{sign}{count} {step}" for step, count in steps.items())


def _time(before: Result, now: Result) -> list[str]:
    apart, low, high = abs(now.seconds - before.seconds), *sorted((now.seconds, before.seconds))
    if before.replayed or now.replayed or apart < _NOTABLE_SECONDS or high < low * _NOTABLE_RATIO:
        return []
    return [f"{duration(apart)} {'slower' if now.seconds > before.seconds else 'quicker'}"]


def _counts(output: list[str]) -> list[str]:
    if not output:
        return []
    more = sum(line[0] == "+" for line in output)
    return [f"output +{more} -{len(output) - more} {'line' if len(output) == 1 else 'lines'}"]

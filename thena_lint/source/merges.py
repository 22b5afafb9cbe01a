"""Lines of merges that aren't settled -> one side of each, and beside every line what the other side has there."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from thena_contract.frozen import frozen
from thena_lint.source.pieces import end_of

_MARKS: Final = tuple(7 * mark for mark in "<|=>")
_MARK: Final = re.compile(r"(<{7}|\|{7}|={7}|>{7})(?!\S)")


@frozen
class Settled:
    """Lines as if one side of every merge counted: what else there is in a merge is empty, so lines keep their numbers.

    `others` are `None` outside of merges. In one they are what the other sides have, and nothing for the lines of the
    side that counts and for those that mark the merge.
    """

    lines: Sequence[str]
    others: Sequence[str | None]

    @property
    def is_whole(self) -> bool:
        """Whether there was nothing to settle."""
        return self.others.count(None) == len(self.others)


def settled(lines: Sequence[str]) -> Settled:
    """Let the first side of every merge count.

    One whose first mark is gone already has no side that counts, and one that isn't ended goes on to the end.
    """
    left, others = list(lines), list[str | None]([None] * len(lines))
    for first, ours, after in _merges(lines):
        others[first:after] = [""] * (after - first)
        for number in (first, *range(ours, after)):
            left[number] = end_of(lines[number])
            if not _MARK.match(lines[number]):
                others[number] = lines[number]
    return Settled(left, others)


def _merges(lines: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """The first line of each merge, the line after the side that counts, and the line after the merge."""
    first = ours = None
    for number, line in enumerate(lines):
        # Most lines begin otherwise, which is seen in a tenth of the time.
        found = _MARK.match(line) if line.startswith(_MARKS) else None
        mark = None if found is None else found[1][0]
        if mark == "<":
            first, ours = number, None
        elif mark in ("|", "=") and ours is None:
            ours = number
        elif mark == ">" and ours is not None:
            yield ours if first is None else first, ours, number + 1
            first = ours = None
    if first is not None:
        yield first, len(lines) if ours is None else ours, len(lines)

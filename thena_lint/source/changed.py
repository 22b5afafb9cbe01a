"""Whether a text still parses when some of its characters are others, at the cost of the statements that they are in.

Each of many fixes of one file is asked about, so that to parse the file each time would take their product.
"""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate
from typing import Final

from thena_lint.edit import Edit, edited
from thena_lint.source.cuts import parts_of
from thena_lint.source.parse import parses, stands_alone
from thena_lint.source.pieces import lines_of

_REMEMBERED: Final = 16


def parses_with(text: str, edits: Collection[Edit]) -> bool:
    """Say whether a text parses with these edits of it, which don't meet."""
    return _pieces_parse_with(text, edits) or parses(edited(text, edits))


def _pieces_parse_with(text: str, edits: Collection[Edit]) -> bool:
    """Say whether the text parses, and each piece of it by itself with the edits that are in it.

    Where this is so, the whole does; where not, it may all the same.
    """
    starts = _starts(text)
    inside: dict[int, list[Edit]] = {}
    for edit in edits:
        number = bisect_right(starts, edit.start, hi=max(len(starts) - 1, 0)) - 1
        if number < 0 or edit.end > starts[number + 1]:
            return False
        above = starts[number]
        inside.setdefault(number, []).append(replace(edit, start=edit.start - above, end=edit.end - above))
    pieces = {number: edited(text[starts[number] : starts[number + 1]], some) for number, some in inside.items()}
    # One that ends within a line takes the next one into it.
    runs_on = any(piece and piece[-1] not in "\r\n" for number, piece in pieces.items() if number < len(starts) - 2)
    return bool(starts) and not runs_on and all(map(stands_alone, pieces.values()))


@lru_cache(maxsize=_REMEMBERED)
def _starts(text: str) -> Sequence[int]:
    """Where each piece of a text begins, and where the last one ends; nothing for a text that doesn't parse."""
    parts = [*parts_of(lines_of(text), lambda piece: stands_alone(piece) or None)]
    return () if any(part.read is None for part in parts) else [0, *accumulate(len(part.text) for part in parts)]

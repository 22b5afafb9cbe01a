"""A text -> the smallest parts of it of which something can be read by itself.

A text that is typed in is nearly the one before, so parts that an edit can't have changed are taken over as they are.
What a part is read as is no business of this module.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Generic, TypeVar

from thena_lint.source.pieces import end_of_string, joinable, lines_of, starts_of

Read = TypeVar("Read")

_JOINED: Final = 8
"""How many pieces may belong together: the lines of a long string can look like statements."""

_REMEMBERED: Final = 4
_TO_THE_END: Final = 1 << 60


@dataclass(frozen=True, eq=False, slots=True)
class Part(Generic[Read]):
    """Some lines of a text, and what is read of them; `None` where nothing is.

    `seen` counts the lines, from its own first one, that were looked at to find where it ends.
    """

    text: str
    count: int
    seen: int
    read: Read | None


_Parts = tuple[Part[Read], ...]


class Cuts(Generic[Read]):
    """Cuts texts, and remembers how the last ones were cut. What it gives rests on the text alone."""

    def __init__(self, read: Callable[[str], Read | None]) -> None:
        self._read = read
        self._last: tuple[tuple[str, _Parts[Read]], ...] = ()

    def parts(self, text: str) -> _Parts[Read]:
        """Cut a text into the smallest parts of which something is read."""
        last = self._last
        known = next((parts for before, parts in last if before == text), None)
        if known is not None:
            return known
        kept, before = max(((_kept(text, parts), parts) for _, parts in last), key=_first, default=(0, ()))
        parts = (*before[:kept], *self._below(text, sum(len(part.text) for part in before[:kept]), before))
        self._last = ((text, parts), *last[: _REMEMBERED - 1])
        return parts

    def _below(self, text: str, above: int, before: _Parts[Read]) -> Iterator[Part[Read]]:
        """The parts from an offset on; those at the end that are as before are cut as before, once one begins there."""
        same = _same_at_end(text, before, above)
        at = min(same, default=len(text))
        # Mostly all that is new is above the first of them.
        near = at + len(before[same[at]].text) if at in same else at
        made = _cut_until(text[above:near], above, same, self._read, is_end=near == len(text))
        if made is None:
            made = _cut_until(text[above:], above, same, self._read, is_end=True)
        assert made is not None, "at its end every text is cut"
        yield from made
        reached = above + sum(len(part.text) for part in made)
        if reached in same:
            yield from before[same[reached] :]


def _first(pair: tuple[int, object]) -> int:
    return pair[0]


def _kept(text: str, parts: _Parts[Read]) -> int:
    """How many parts a text begins with, of which nothing was looked at that is another now."""
    at = lines = alike = 0
    for part in parts:
        if not text.startswith(part.text, at):
            break
        at += len(part.text)
        lines += part.count
        alike += 1
    line = 0
    for number, part in enumerate(parts[:alike]):
        if line + part.seen > lines:
            return number
        line += part.count
    return alike


def _same_at_end(text: str, parts: _Parts[Read], above: int) -> Mapping[int, int]:
    """The parts that a text ends with: where each begins in it, and its number."""
    found: dict[int, int] = {}
    at = len(text)
    for number in range(len(parts) - 1, -1, -1):
        at -= len(parts[number].text)
        if at < above or not text.startswith(parts[number].text, at):
            break
        found[at] = number
    return found


def _cut_until(
    text: str, above: int, ends: Mapping[int, int], read: Callable[[str], Read | None], *, is_end: bool
) -> list[Part[Read]] | None:
    """The parts up to the first of some offsets; `None` where none is reached before what is below counts too."""
    made: list[Part[Read]] = []
    lines = lines_of(text)
    at, line = above, 0
    found = parts_of(lines, read)
    while at not in ends and (part := next(found, None)) is not None:
        if line + part.seen > len(lines) and not is_end:
            return None
        made.append(part)
        at, line = at + len(part.text), line + part.count
    return made


def cut(lines: Sequence[str], read: Callable[[str], Read | None]) -> Iterator[tuple[int, int, Read | None]]:
    """Cut a text into the smallest parts of which something is read: first line, line after the last, and that."""
    return numbered(parts_of(lines, read))


def numbered(parts: Iterable[Part[Read]]) -> Iterator[tuple[int, int, Read | None]]:
    """The parts of a text as the first line of each, the line after its last, and what is read of it."""
    line = 0
    for part in parts:
        yield line, line + part.count, part.read
        line += part.count


def parts_of(lines: Sequence[str], read: Callable[[str], Read | None]) -> Iterator[Part[Read]]:
    """Cut the lines of a text into the smallest parts of which something is read."""
    starts = [*starts_of(lines), len(lines)]
    number, last = 0, len(starts) - 1
    while number < last:
        first = starts[number]
        for tried, end in enumerate(_ends(lines, starts, number)):
            text = "".join(lines[first : starts[end]])
            found = read(text)
            if found is not None:
                # Where the next one begins is seen by its first line. What comes after several others may have been
                # looked for anywhere.
                is_near = end < last and (tried == 0 or (tried == 1 and end == _below_string(lines, starts, number)))
                yield Part(text, starts[end] - first, starts[end] + 1 - first if is_near else _TO_THE_END, found)
                number = end
                break
        else:
            # What doesn't parse by itself below an open string is text of it.
            below = _below_string(lines, starts, number)
            is_text = below > number + 1 and read("".join(lines[starts[number + 1] : starts[number + 2]])) is None
            end = below if is_text else number + 1
            yield Part("".join(lines[first : starts[end]]), starts[end] - first, _TO_THE_END, None)
            number = end


def _ends(lines: Sequence[str], starts: Sequence[int], number: int) -> Iterator[int]:
    """Where a part may end: before the next one, below a string that goes on over others, or some pieces later."""
    yield number + 1
    below = _below_string(lines, starts, number)
    if below > number + 1:
        yield below
    pieces = ("".join(lines[starts[end - 1] : starts[end]]) for end in range(number + 1, len(starts)))
    yield from (number + count for count in joinable(islice(pieces, _JOINED)) if number + count != below)


def _below_string(lines: Sequence[str], starts: Sequence[int], number: int) -> int:
    """The piece below the string that is open where this one ends; the next one, if none is, or nothing closes it."""
    closed = end_of_string(lines, starts[number], starts[number + 1])
    return number + 1 if closed is None else bisect_left(starts, closed)

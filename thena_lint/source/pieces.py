"""Where a text can be cut so that each piece is Python by itself: before the statements of the first column.

This looks at lines, not at tokens, so a piece may turn out to be part of a string or a bracket that spans lines. The
parser knows, and joins it with what comes next. Decorators stay with what they decorate, comments and empty lines with
what stands above them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

_LINES: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_GOES_ON: Final = re.compile(r"[\s#)\]}\ufeff]|(?:else|elif|except|finally)\b")
_DECORATOR: Final = "@"
_OPENING: Final = re.compile(
    r"""#[^\r\n]*|(?P<quote>\"{3}|'{3})(?:(?:\\.|(?!(?P=quote))[^\\])*+(?P<closed>(?P=quote)))?"""
    r"""|"(?:\\.|[^"\\\r\n])*"?|'(?:\\.|[^'\\\r\n])*'?""",
    re.DOTALL,
)
"""Comments and strings; one in triple quotes isn't `closed` where the text ends in it."""

_BRACKET: Final = re.compile(
    rf"""{_OPENING.pattern}|(?P<opened>[(\[{{])|(?P<closing>[)\]}}])|(?P<unsure>\\(?:\r\n|\n|\r|\Z))""", re.DOTALL
)
"""Comments, strings, brackets, and lines that are joined."""


def lines_of(text: str) -> list[str]:
    """The lines of a text, each with its end."""
    if "\r" in text:
        return _LINES.findall(text)
    # Nearly every text has newlines of one kind, which takes a fifth of the time.
    *ended, last = text.split("\n")
    lines = [f"{line}\n" for line in ended]
    return [*lines, last] if last else lines


def end_of(line: str) -> str:
    """The end of a line."""
    return line[len(line.rstrip("\r\n")) :]


def starts_of(lines: Sequence[str]) -> Iterator[int]:
    """The indexes of the lines before which the text can be cut; the first line is always one."""
    is_decorated = False
    for number, line in enumerate(lines):
        begins = number == 0 or not _GOES_ON.match(line)
        # Nobody leaves two empty lines below a decorator, unless what it decorates is still to be written.
        if begins and not (is_decorated and "".join(lines[max(number - 2, 0) : number]).strip()):
            yield number
        if begins:
            is_decorated = line.startswith(_DECORATOR)


def joinable(pieces: Iterable[str]) -> Iterator[int]:
    """How many pieces, beginning with the first, may be a statement together where the first isn't one by itself.

    It goes on below where a bracket is open, a decorator has nothing to decorate yet, or nobody can tell by its tokens.
    """
    depth: int | None = 0
    for count, piece in enumerate(pieces, start=1):
        opened = _left_open(piece)
        depth = None if depth is None or opened is None else depth + opened
        if count == 1 and depth == 0 and not piece.startswith(_DECORATOR):
            return
        if count > 1 and depth in (0, None):
            yield count


def _left_open(piece: str) -> int | None:
    """How many more brackets are opened in a piece than closed; `None` where that isn't certain."""
    depth = 0
    for found in _BRACKET.finditer(piece):
        match found.lastgroup:
            case "opened":
                depth += 1
            case "closing":
                depth -= 1
            case "quote" | "unsure":
                return None
            case None if found[0][0] != "#" and (len(found[0]) == 1 or found[0][0] != found[0][-1]):
                return None
    return depth


def end_of_string(lines: Sequence[str], first: int, after: int) -> int | None:
    """The line after the string in triple quotes that is open where a piece ends; `None` where none is."""
    for found in _OPENING.finditer("".join(lines[first:after])):
        if found["quote"] and found["closed"] is None:
            closing = (number for number in range(after, len(lines)) if found["quote"] in lines[number])
            return next((number + 1 for number in closing), None)
    return None

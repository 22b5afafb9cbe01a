"""A text that doesn't parse -> one that does, with the same lines: what is broken is blank, the rest is untouched.

The text is cut where a statement begins in the first column, and each piece is parsed alone. So half-typed code hides
nothing but the statement it stands in. Names that such a statement would bind are told, as nothing is known of them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from thena_lint.source.parse import Problem, SyntaxProblem, parse, whole_pieces
from thena_lint.source.pieces import lines_of

_DECORATOR: Final = re.compile(r"@")
_DEFINES: Final = re.compile(r"(?:async\s+)?(?:class|def|type)\s+(\w+)")
_IMPORTS: Final = re.compile(r"(?:from\s.*?\s)?import\b(.*)", re.DOTALL)
_ASSIGNS: Final = re.compile(r"([\w\s,.()\[\]*]+?)\s*[:=]")
_WORD: Final = re.compile(r"[^\W\d]\w*")
_OPEN_STRING: Final = "unterminated triple-quoted"


@dataclass(frozen=True, slots=True)
class Mended:
    """A text that parses, and the names whose statements were blanked."""

    text: str
    lost: frozenset[str]


def mend(text: str, problem: Problem) -> Mended | None:
    """Blank the statements that don't parse; `None` where that doesn't help."""
    lines = lines_of(text)
    kept: list[str] = []
    lost: set[str] = set()
    for piece, is_whole in _pieces(lines, _end_of_code(lines, problem)):
        if is_whole:
            kept += piece
        else:
            kept += (line[len(line.rstrip("\r\n")) :] for line in piece)
            lost.update(_names(piece))
    mended = "".join(kept)
    return None if isinstance(parse(mended), Problem) else Mended(mended, frozenset(lost))


def _end_of_code(lines: Sequence[str], problem: Problem) -> int:
    """The index of the first line after which all is text: a string that is never closed takes the rest with it."""
    is_open = isinstance(problem, SyntaxProblem) and _OPEN_STRING in problem.reason
    return problem.line - 1 if is_open else len(lines)


def _pieces(lines: Sequence[str], end: int) -> Iterator[tuple[Sequence[str], bool]]:
    """The text in pieces, and whether each parses. A piece that holds line `end` is the last, and doesn't."""
    for first, after, tree in whole_pieces(lines):
        if after > end:
            yield lines[first:], False
            return
        yield lines[first:after], tree is not None


def _names(piece: Sequence[str]) -> Iterator[str]:
    """The names that a statement would bind, by what its lines look like. Those in a class or function are its own."""
    own = [line for line in piece if not line.startswith((" ", "\t"))]
    lines = own if any(map(_DEFINES.match, own)) else [line.lstrip(" \t") for line in piece]
    for number, line in enumerate(lines):
        if (defines := _DEFINES.match(line)) is not None:
            yield defines[1]
        elif _IMPORTS.match(line) is not None:
            # The names of an import may go on over the lines below.
            imports = _IMPORTS.match("".join(lines[number:]))
            yield from _WORD.findall(imports[1] if imports is not None else line)
            return
        elif not _DECORATOR.match(line) and (assigns := _ASSIGNS.match(line)) is not None:
            yield from _WORD.findall(assigns[1])

"""Text -> libcst tree, remembered by text. Never raises: a text that is no Python gives a `SyntaxProblem`.

libcst knows newer grammar than the interpreter that runs it, so it is the authority on what is Python. Where both
reject a text, Python's own words are used, since they are the better ones. What would fill libcst's stack is never
shown to it, and is `TooDeep`.
"""

import ast
import re
import threading
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import libcst

from thena_contract.frozen import frozen
from thena_lint.source.cuts import Cuts, Part, numbered
from thena_lint.source.depth import too_deep
from thena_lint.source.tables import without_rows

_REMEMBERED: Final = 16
_REMEMBERED_CHARACTERS: Final = 600_000
_ALONE_REMEMBERED: Final = 512
_PLACE: Final = re.compile(r"error at (\d+):\d+")
OPEN_STRING: Final = "unterminated triple-quoted"
"""What Python says of a string that takes the rest of a text with it."""

_SURE: Final = ("was never closed", "unterminated", "unindent", "expected an indented block", "expected ':'")


@frozen
class SyntaxProblem:
    """Why a text isn't Python, and where (line and column from 1)."""

    reason: str
    line: int
    column: int


@frozen
class TooDeep:
    """A text that may be Python, but is nested deeper than is read; and at which line (from 1)."""

    line: int


Problem = SyntaxProblem | TooDeep


@dataclass(frozen=True, eq=False, slots=True)
class Piece:
    """Statements that parse alone, and their tree. Two texts that share a piece share its tree."""

    text: str
    tree: libcst.Module


_Part = Part[Piece]


class _Memory:
    """The pieces that were parsed last, up to so many characters; `None` for one that is no Python by itself.

    In a file that is being typed in all pieces but one are the same as before, so a keystroke costs one piece.
    It is bounded by characters, as a tree takes more than a hundred times the memory of its text.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0
        self._pieces: OrderedDict[str, Piece | None] = OrderedDict()
        self._lock = threading.Lock()

    def piece(self, text: str) -> Piece | None:
        """Parse a piece, unless it is remembered."""
        with self._lock:
            if text in self._pieces:
                self._pieces.move_to_end(text)
                return self._pieces[text]
        tree = _tree(text)
        piece = None if tree is None else Piece(text, tree)
        with self._lock:
            if text not in self._pieces:
                self._size += len(text)
                self._pieces[text] = piece
            while self._size > self._limit and len(self._pieces) > 1:
                self._size -= len(self._pieces.popitem(last=False)[0])
        return piece


_MEMORY: Final = _Memory(_REMEMBERED_CHARACTERS)
_CUTS: Final = Cuts(_MEMORY.piece)


@lru_cache(maxsize=_REMEMBERED)
def parse(text: str) -> libcst.Module | Problem:
    """Parse a whole file. The statements are in the tree's body; the comments between them may be missing."""
    pieces = pieces_of(text)
    if isinstance(pieces, Problem):
        return pieces
    return libcst.Module(body=[statement for _, piece in pieces for statement in piece.tree.body])


@lru_cache(maxsize=_REMEMBERED)
def pieces_of(text: str) -> tuple[tuple[int, Piece], ...] | Problem:
    """Parse a whole file piece by piece; beside each piece stands how many lines are above it."""
    parts = _CUTS.parts(text)
    broken = [number for number, part in enumerate(parts) if part.read is None]
    if not broken:
        return tuple(_pieces(parts, 0))
    # All above and below is Python. Python's own words may rest on what comes next.
    first, after = broken[0], broken[-1] + 2
    above = _count(parts[:first])
    together = _at_once(parts[first:after], above)
    if _is_left_open(together):
        # Where a string ends, and what is the first that isn't closed, nobody knows before the end of the text.
        after = len(parts)
        together = _at_once(parts[first:], above)
    if not isinstance(together, Piece):
        return together
    below = _pieces(parts[after:], _count(parts[:after]))
    return (*_pieces(parts[:first], 0), (above, together), *below)


def _pieces(parts: Iterable[_Part], above: int) -> Iterator[tuple[int, Piece]]:
    for part in parts:
        assert part.read is not None, "only parts that parse are asked for"
        yield above, part.read
        above += part.count


def _count(parts: Iterable[_Part]) -> int:
    return sum(part.count for part in parts)


def whole_pieces(text: str) -> Iterator[tuple[int, int, Piece | None]]:
    """Cut a text into the smallest pieces that parse: first line, line after the last, and the piece if it parses."""
    return numbered(_CUTS.parts(text))


def parses(text: str) -> bool:
    """Say whether a text parses, as cheaply as can be: Python's own parser takes a tenth of libcst's time."""
    return _words(text) is None or isinstance(parse(text), libcst.Module)


@lru_cache(maxsize=_ALONE_REMEMBERED)
def stands_alone(text: str) -> bool:
    """Say whether a piece of a text parses, as cheaply as can be."""
    return _words(text) is None or _tree(text) is not None


def _at_once(parts: Sequence[_Part], above: int) -> Piece | Problem:
    """Parse parts of a text as one piece, and say why if that fails, by the lines of the text."""
    text = "".join(part.text for part in parts)
    if (null := text.find("\0")) >= 0:
        line = 1 + len(re.findall(r"\r\n|\n|\r", text[:null]))
        return SyntaxProblem("source code cannot contain null bytes", above + line, 1)
    rest = without_rows(text)
    if (deep := too_deep(rest)) is not None:
        return _explain_deep(parts, text, deep, above)
    try:
        return Piece(text, libcst.parse_module(rest))
    except libcst.ParserSyntaxError as error:
        return _explain(text, error, above)
    except RecursionError:
        return TooDeep(above + 1)
    except ValueError as error:
        return SyntaxProblem(str(error) or type(error).__name__, above + 1, 1)


def _tree(text: str) -> libcst.Module | None:
    """Parse a piece, without a word about why it fails."""
    text = without_rows(text)
    if "\0" in text or too_deep(text) is not None:
        return None
    try:
        return libcst.parse_module(text)
    except (libcst.ParserSyntaxError, RecursionError, ValueError):
        return None


def parse_expression(text: str) -> libcst.BaseExpression | None:
    """Parse one expression, such as an annotation written as a string."""
    if "\0" in text or too_deep(text) is not None:
        return None
    try:
        return libcst.parse_expression(text.strip())
    except (libcst.ParserSyntaxError, RecursionError, ValueError):
        return None


def _explain(text: str, error: libcst.ParserSyntaxError, above: int) -> SyntaxProblem:
    ours = _PLACE.search(error.message)
    line = 0 if ours is None else above + int(ours[1])
    theirs = _words("\n" * above + text)
    if isinstance(theirs, SyntaxError):
        # An older Python stops at newer syntax, which is no fault. Ours stops at the next token, maybe a line below.
        is_same = ours is None or (theirs.lineno or 1) in (line, line - 1)
        if is_same or any(phrase in theirs.msg for phrase in _SURE):
            return _problem(theirs)
    return SyntaxProblem("unexpected syntax", max(line, above + 1), 1)


def _explain_deep(parts: Iterable[_Part], text: str, line: int, above: int) -> Problem:
    """A text that libcst mustn't see, unless Python says that it is wrong anyway, where libcst says so too."""
    theirs = _words("\n" * above + text)
    if not isinstance(theirs, SyntaxError):
        return TooDeep(above + line)
    at = (theirs.lineno or 1) - 1 - above
    is_wrong = any(piece is None and first <= at < after for first, after, piece in numbered(parts))
    return _problem(theirs) if is_wrong else TooDeep(above + line)


def _is_left_open(problem: Piece | Problem) -> bool:
    return isinstance(problem, SyntaxProblem) and OPEN_STRING in problem.reason


def python_tree(text: str | bytes) -> ast.Module | None:
    """The tree of a text, by Python's own parser; `None` for what is no Python to it."""
    tree = _by_python(text)
    return tree if isinstance(tree, ast.Module) else None


def _words(text: str) -> SyntaxError | RecursionError | MemoryError | ValueError | None:
    """What Python's own parser says against a text, if anything; that the text is too deep for it isn't against it."""
    tree = _by_python(text)
    return None if isinstance(tree, ast.Module) else tree


def _by_python(text: str | bytes) -> ast.Module | SyntaxError | RecursionError | MemoryError | ValueError:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, "<text>")
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        return error


def _problem(error: SyntaxError) -> SyntaxProblem:
    return SyntaxProblem(error.msg, error.lineno or 1, max(error.offset or 1, 1))

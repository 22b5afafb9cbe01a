"""Text -> libcst tree, remembered by text. Never raises: a text that is no Python gives a `SyntaxProblem`.

libcst knows newer grammar than the interpreter that runs it, so it is the authority on what is Python. Where both
reject a text, Python's own words are used, since they are the better ones.
"""

import ast
import io
import re
import threading
import tokenize
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import libcst

from thena_lint.source.pieces import lines_of, starts_of

_REMEMBERED: Final = 16
_REMEMBERED_CHARACTERS: Final = 600_000
_JOINED: Final = 8
"""How many pieces may belong together: the lines of a long string can look like statements."""

_DEEPEST: Final = 200
"""Python's own limit for nested brackets. libcst has none, and ends the process when its stack is full."""

_BRACKET: Final = re.compile(r"[()\[\]{}]")
_PLACE: Final = re.compile(r"error at (\d+):\d+")
_SURE: Final = ("was never closed", "unterminated", "unindent", "expected an indented block", "expected ':'")


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """Why a text isn't Python, and where (line and column from 1)."""

    reason: str
    line: int
    column: int


@dataclass(frozen=True, eq=False, slots=True)
class Piece:
    """Statements that parse alone, and their tree. Two texts that share a piece share its tree."""

    text: str
    tree: libcst.Module


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


@lru_cache(maxsize=_REMEMBERED)
def parse(text: str) -> libcst.Module | SyntaxProblem:
    """Parse a whole file. The statements are in the tree's body; the comments between them may be missing."""
    pieces = pieces_of(text)
    if isinstance(pieces, SyntaxProblem):
        return pieces
    return libcst.Module(body=[statement for _, piece in pieces for statement in piece.tree.body])


@lru_cache(maxsize=_REMEMBERED)
def pieces_of(text: str) -> tuple[tuple[int, Piece], ...] | SyntaxProblem:
    """Parse a whole file piece by piece; beside each piece stands how many lines are above it."""
    found: list[tuple[int, Piece]] = []
    for first, _, piece in whole_pieces(lines_of(text)):
        if piece is None:
            return _at_once(text)
        found.append((first, piece))
    return tuple(found)


def whole_pieces(lines: Sequence[str]) -> Iterator[tuple[int, int, Piece | None]]:
    """Cut a text into the smallest pieces that parse: first line, line after the last, and the piece if it parses."""
    starts = [*starts_of(lines), len(lines)]
    number, last = 0, len(starts) - 1
    while number < last:
        first = starts[number]
        for end in range(number + 1, min(number + _JOINED, last) + 1):
            piece = _MEMORY.piece("".join(lines[first : starts[end]]))
            if piece is not None:
                yield first, starts[end], piece
                number = end
                break
        else:
            number += 1
            yield first, starts[number], None


def _at_once(text: str) -> tuple[tuple[int, Piece], ...] | SyntaxProblem:
    """Parse a text as one piece, and say why if that fails."""
    if (null := text.find("\0")) >= 0:
        line = 1 + len(re.findall(r"\r\n|\n|\r", text[:null]))
        return SyntaxProblem("source code cannot contain null bytes", line, 1)
    if (deep := _too_deep(text)) is not None:
        return SyntaxProblem("too many nested parentheses", deep, 1)
    try:
        return ((0, Piece(text, libcst.parse_module(text))),)
    except libcst.ParserSyntaxError as error:
        return _explain(text, error)
    except (RecursionError, ValueError) as error:
        return SyntaxProblem(str(error) or type(error).__name__, 1, 1)


def _tree(text: str) -> libcst.Module | None:
    """Parse a piece, without a word about why it fails."""
    if "\0" in text or _too_deep(text) is not None:
        return None
    try:
        return libcst.parse_module(text)
    except (libcst.ParserSyntaxError, RecursionError, ValueError):
        return None


def parse_expression(text: str) -> libcst.BaseExpression | None:
    """Parse one expression, such as an annotation written as a string."""
    if "\0" in text or _too_deep(text) is not None:
        return None
    try:
        return libcst.parse_expression(text.strip())
    except (libcst.ParserSyntaxError, RecursionError, ValueError):
        return None


def _explain(text: str, error: libcst.ParserSyntaxError) -> SyntaxProblem:
    ours = _PLACE.search(error.message)
    line = 0 if ours is None else int(ours[1])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as theirs:
        # An older Python stops at newer syntax, which is no fault. Ours stops at the next token, maybe a line below.
        is_same = ours is None or (theirs.lineno or 1) in (line, line - 1)
        if is_same or any(phrase in theirs.msg for phrase in _SURE):
            return SyntaxProblem(theirs.msg, theirs.lineno or 1, max(theirs.offset or 1, 1))
    except (RecursionError, ValueError, MemoryError):
        pass
    return SyntaxProblem("unexpected syntax", max(line, 1), 1)


def _too_deep(text: str) -> int | None:
    """The line on which brackets are nested deeper than Python allows, or `None`."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(text):
        depth = max(depth + (1 if bracket in "([{" else -1), 0)
        deepest = max(deepest, depth)
    if deepest <= _DEEPEST:
        return None
    depth = 0
    # Brackets in strings and comments don't count, which only the tokens can tell.
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.OP:
                depth += (token.string in "([{") - (token.string in ")]}")
                if depth > _DEEPEST:
                    return token.start[0]
    except (tokenize.TokenError, SyntaxError):
        pass
    return None

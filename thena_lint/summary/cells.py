"""The cells of a notebook as one module, in which a name stands for what it stands for when they run in order.

A definition that a later cell gives again, as one does when mending it, is left out: the later one counts. Where cells
can only have run in another order, or a definition was used before it was given again, nothing is known of the name.
A cell is Python by itself or it isn't: what is broken in one takes nothing of the others with it.
"""

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import libcst

from thena_contract.frozen import frozen
from thena_lint.source.mend import Mended, mend
from thena_lint.source.parse import Problem, parse, whole_pieces
from thena_lint.source.pieces import lines_of
from thena_lint.source.text import SourceText
from thena_lint.summary.collect import collect

_WORD: Final = re.compile(r"[^\W\d]\w*")
_LONG: Final = ('"""', "'''")


@frozen
class _Piece:
    """Lines of a cell that parse alone, the names that they bind, and those that they mention and how often."""

    cell: int
    lines: Sequence[str]
    bound: frozenset[str]
    words: Counter[str]
    is_definition: bool

    @property
    def definition(self) -> str | None:
        """The one name that it defines, if it does nothing else."""
        return next(iter(self.bound)) if self.is_definition and len(self.bound) == 1 else None


def settle(source: SourceText) -> tuple[Mended, Problem | None]:
    """What can be read of a notebook, with the same lines, and what is wrong with the first cell that is broken."""
    first: Problem | None = None
    lost: set[str] = set()
    words: set[str] = set()
    torn: set[str] = set()
    pieces: list[_Piece] = []
    for number, (above, text) in enumerate(_cells(source)):
        problem = parse(text)
        if isinstance(problem, Problem):
            mended = mend(text, problem) or _nothing_of(text)
            first = first or replace(problem, line=above + problem.line)
            lost |= mended.lost | mended.doubtful
            words |= mended.words
            torn |= mended.torn
            text = mended.text
        pieces += _pieces(number, text)
    kept = _without_superseded(pieces)
    text = "".join(line for piece, is_kept in zip(pieces, kept, strict=True) for line in _shown(piece, is_kept=is_kept))
    left = [piece for piece, is_kept in zip(pieces, kept, strict=True) if is_kept]
    return Mended(text, frozenset(lost | _used_before(left)), frozenset(words), frozenset(torn)), first


def _nothing_of(text: str) -> Mended:
    """A cell of which nothing can be read: what it mentions may be anything."""
    words = frozenset(_WORD.findall(text))
    return Mended("".join(map(_blank, lines_of(text))), words, words)


def _cells(source: SourceText) -> Iterator[tuple[int, str]]:
    """The text of each cell, and how many lines are above it."""
    lines = lines_of(source.text)
    ends = [cell.first - 1 for cell in source.cells[1:]] + [len(lines)]
    for cell, end in zip(source.cells, ends, strict=True):
        yield cell.first - 1, "".join(lines[cell.first - 1 : end])


def _pieces(cell: int, text: str) -> Iterator[_Piece]:
    lines = lines_of(text)
    whole = list(whole_pieces(text))
    if any(piece is None for _, _, piece in whole):
        # It parses, but not in pieces: nobody can tell what to leave out, so it stays as it is.
        tree = parse(text)
        bound = collect(tree).names if isinstance(tree, libcst.Module) else {}
        yield _Piece(cell, lines, frozenset(bound), _words(text), is_definition=False)
        return
    for first, after, piece in whole:
        if piece is not None:
            body = piece.tree.body
            yield _Piece(
                cell,
                lines[first:after],
                frozenset(collect(piece.tree).names),
                _words(piece.text),
                is_definition=len(body) == 1 and isinstance(body[0], libcst.ClassDef | libcst.FunctionDef),
            )


def _words(text: str) -> Counter[str]:
    """The names in a text, and those in its short strings, which may be annotations."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return Counter(_WORD.findall(text))
    return Counter(
        word
        for token in tokens
        if token.type == tokenize.NAME or (token.type == tokenize.STRING and not token.string.endswith(_LONG))
        for word in _WORD.findall(token.string)
    )


def _without_superseded(pieces: Sequence[_Piece]) -> list[bool]:
    """Which pieces are kept: all but a definition that a later cell gives again before anything has used it."""
    kept = [True] * len(pieces)
    for number in range(len(pieces) - 1, -1, -1):
        name = pieces[number].definition
        if name is None:
            continue
        for later in range(number + 1, len(pieces)):
            other = pieces[later]
            if kept[later] and name in other.words:
                is_again = other.definition == name and other.words[name] == 1
                kept[number] = not (is_again and other.cell != pieces[number].cell)
                break
    return kept


def _used_before(pieces: Sequence[_Piece]) -> frozenset[str]:
    """The names that a cell mentions and only a later one binds."""
    bound: set[str] = set()
    used: dict[str, int] = {}
    early: set[str] = set()
    for piece in pieces:
        early |= {name for name in piece.bound - bound if used.get(name, piece.cell) != piece.cell}
        bound |= piece.bound
        for word in piece.words:
            used.setdefault(word, piece.cell)
    return frozenset(early)


def _shown(piece: _Piece, *, is_kept: bool) -> Sequence[str]:
    return piece.lines if is_kept else [_blank(line) for line in piece.lines]


def _blank(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :]

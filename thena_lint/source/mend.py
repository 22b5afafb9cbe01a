"""A text that doesn't parse -> one that does, with the same lines: what is broken is blank, the rest is untouched.

The text is cut where a statement begins in the first column, and each piece is parsed alone. So half-typed code hides
nothing but the statement it stands in. Names that such a statement would bind are told, as nothing is known of them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from thena_contract.frozen import frozen
from thena_lint.source.parse import Problem, SyntaxProblem, parse, whole_pieces
from thena_lint.source.pieces import lines_of

_DECORATOR: Final = re.compile(r"@")
_DEFINES: Final = re.compile(r"(?:async\s+)?(?:class|def|type)\s+(\w+)")
_IMPORTS: Final = re.compile(r"(?:from\s.*?\s)?import\b(.*)", re.DOTALL)
_ASSIGNS: Final = re.compile(r"([\w\s,.()\[\]*]+?)\s*[:=]")
_BEGINS: Final = re.compile(r"([^\W\d]\w*)\s*(?:[^\s\w(:]|$)")
_WORD: Final = re.compile(r"[^\W\d]\w*")
_CLASS: Final = re.compile(r"class\b")
_BLOCK: Final = re.compile(r"(?:async|def|elif|else|except|finally|for|if|match|try|while|with)\b")
_INDENTED: Final = re.compile(r"[ \t]+[^\s#]")
_MEMBER: Final = re.compile(r"[ \t]+(?:@|(?:async\s+)?def\b|class\b|\w+\s*:\s*\S)")
STAR: Final = "*"
"""Stands among names for all that a star import would bind."""

_OPEN_STRING: Final = "unterminated triple-quoted"


@frozen
class Mended:
    """A text that parses, the names whose statements were blanked, and all words in what was blanked.

    What those words name may have been changed in place there.
    """

    text: str
    lost: frozenset[str]
    words: frozenset[str] = frozenset()


_Cut = tuple[Sequence[str], bool]
"""A piece of a text, and whether it parses."""


def mend(text: str, problem: Problem) -> Mended | None:
    """Blank the statements that don't parse; `None` where that doesn't help."""
    lines = lines_of(text)
    kept: list[str] = []
    lost: set[str] = set()
    words: set[str] = set()
    pieces = tuple(_pieces(lines, _end_of_code(lines, problem)))
    for (piece, _), is_hidden in zip(pieces, _hidden(pieces), strict=True):
        if is_hidden:
            kept += (line[len(line.rstrip("\r\n")) :] for line in piece)
            lost.update(_names(piece))
            words.update(_WORD.findall("".join(piece)))
        else:
            kept += piece
    mended = "".join(kept)
    return None if isinstance(parse(mended), Problem) else Mended(mended, frozenset(lost), frozenset(words))


def _hidden(pieces: Sequence[_Cut]) -> Sequence[bool]:
    """Which pieces nothing is known of: those that don't parse, and those that lack what stands in one that doesn't."""
    hidden: list[bool] = []
    is_decorating = False
    for number, (piece, is_whole) in enumerate(pieces):
        hidden.append(not is_whole or (is_decorating and any(map(_DEFINES.match, piece))))
        is_decorating = _leaves_open(piece, is_whole=is_whole, before=is_decorating)
        if not is_whole and number > 0 and any(map(_DEFINES.match, pieces[number - 1][0])) and _goes_on(piece):
            hidden[number - 1] = True
    return hidden


def _goes_on(piece: Sequence[str]) -> bool:
    """Say whether what doesn't parse may hold the rest of the body above, into which it was written."""
    head = next((line for line in piece if not line.startswith((" ", "\t", "#"))), "")
    if _CLASS.match(head):
        return False
    is_open = _BLOCK.match(head) or any(head.count(one) > head.count(other) for one, other in ("()", "[]", "{}"))
    inner = _MEMBER if is_open else _INDENTED
    return any(map(inner.match, piece))


def _leaves_open(piece: Sequence[str], *, is_whole: bool, before: bool) -> bool:
    """Say whether a decorator that doesn't parse stands above, and what it decorates hasn't come yet."""
    for line in piece:
        if _DEFINES.match(line):
            before = False
        elif _DECORATOR.match(line):
            before = not is_whole
    return before


def _end_of_code(lines: Sequence[str], problem: Problem) -> int:
    """The index of the first line after which all is text: a string that is never closed takes the rest with it."""
    is_open = isinstance(problem, SyntaxProblem) and _OPEN_STRING in problem.reason
    return problem.line - 1 if is_open else len(lines)


def _pieces(lines: Sequence[str], end: int) -> Iterator[_Cut]:
    """The text in pieces, and whether each parses. A piece that holds line `end` is the last, and doesn't."""
    for first, after, tree in whole_pieces(lines):
        if after > end:
            yield lines[first:], False
            return
        yield lines[first:after], tree is not None


def _names(piece: Sequence[str]) -> Iterator[str]:
    """The names that a statement would bind or change, by what its lines look like.

    Those in a class or function are its own.
    """
    own = [line for line in piece if not line.startswith((" ", "\t"))]
    lines = own if any(map(_DEFINES.match, own)) else [line.lstrip(" \t") for line in piece]
    yield from (begins[1] for line in own if (begins := _BEGINS.match(line)) is not None)
    for number, line in enumerate(lines):
        if (defines := _DEFINES.match(line)) is not None:
            yield defines[1]
        elif _IMPORTS.match(line) is not None:
            # The names of an import may go on over the lines below.
            imports = _IMPORTS.match("".join(lines[number:]))
            names = imports[1] if imports is not None else line
            yield from _WORD.findall(names)
            if STAR in names:
                yield STAR
            return
        elif not _DECORATOR.match(line) and (assigns := _ASSIGNS.match(line)) is not None:
            yield from _WORD.findall(assigns[1])

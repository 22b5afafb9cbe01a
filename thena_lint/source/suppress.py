"""`# thena: ignore[THN201]` and `# thena: ignore`, read from tokens, so that strings don't count.

A comment holds for its own line, and at the end of a statement's first line for the whole logical line.
"""

import io
import re
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from thena_lint.source.text import SourceText

_COMMENT: Final = re.compile(r"#\s*thena:\s*ignore\b(?:\[(?P<codes>[^\]]*)\])?")
_CODE: Final = re.compile(r"[^\s,][^,]*[^\s,]|[^\s,]")
_MENTION: Final = "thena:"
_REMEMBERED: Final = 64
_NO_START: Final = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})


@dataclass(frozen=True, slots=True)
class NamedCode:
    """A code as it is written in a comment, and where (the column from 1)."""

    text: str
    column: int


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment that ignores something: where it stands, and which codes it names (`None`: it ignores all)."""

    line: int
    column: int
    text: str
    codes: tuple[NamedCode, ...] | None


Ignored = tuple[int, str | None]
"""The line of a comment, and the code in it that counts (`None`: it ignores all)."""


@dataclass(frozen=True, slots=True)
class Suppressions:
    """The comments of a file by their lines, and on which line each logical line starts."""

    comments: Mapping[int, Comment]
    starts: Mapping[int, int]

    def covering(self, code: str, line: int) -> tuple[Ignored, ...]:
        """What says that a finding at this line is to be ignored; nothing if nothing does."""
        at = sorted({line, self.starts.get(line, line)})
        return tuple(found for one in at if (found := self._ignored(code, one)) is not None)

    def cover(self, code: str, line: int) -> bool:
        """Say whether a finding at this line is to be ignored."""
        return bool(self.covering(code, line))

    def _ignored(self, code: str, line: int) -> Ignored | None:
        comment = self.comments.get(line)
        if comment is None:
            return None
        if comment.codes is None:
            return (line, None)
        return (line, code) if any(one.text == code for one in comment.codes) else None


_NONE: Final = Suppressions({}, {})


def suppressions_in(source: SourceText) -> Suppressions:
    """The suppressions of a file."""
    return _read(source.text) if _MENTION in source.text else _NONE


@lru_cache(maxsize=_REMEMBERED)
def _read(text: str) -> Suppressions:
    comments: dict[int, Comment] = {}
    starts: dict[int, int] = {}
    first: int | None = None
    # The tokenizer of older versions knows one kind of newline only.
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(plain).readline):
            line = token.start[0]
            if token.type == tokenize.COMMENT:
                found = _COMMENT.search(token.string)
                if found is not None:
                    comments[line] = _comment(found, line, token.start[1] + 1)
            if token.type == tokenize.NEWLINE:
                starts.update(dict.fromkeys(range(line if first is None else first, line + 1), first or line))
                first = None
            elif token.type not in _NO_START and first is None:
                first = line
    except (tokenize.TokenError, SyntaxError):
        pass
    return Suppressions(comments, starts)


def _comment(found: re.Match[str], line: int, column: int) -> Comment:
    codes: tuple[NamedCode, ...] | None = None
    if found["codes"] is not None:
        first = column + found.start("codes")
        codes = tuple(NamedCode(one[0], first + one.start()) for one in _CODE.finditer(found["codes"]))
    return Comment(line, column + found.start(), found[0], codes)

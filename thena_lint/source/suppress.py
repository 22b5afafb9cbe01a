"""Comments that silence faults, read from tokens, so that strings don't count.

`# thena: ignore[THN201]`, `# thena: ignore` and `# noqa: THN201` hold for their own line, and at the end of a
statement's first line for the whole logical line; `# thena: ignore-file[THN201]` and `# thena: ignore-file` hold for
the file. A `# noqa` without a code of ours is meant for others.
"""

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from thena_contract.frozen import frozen
from thena_lint.source.text import SourceText

_COMMENT: Final = re.compile(r"#\s*thena:\s*ignore(?P<file>-file)?(?![\w-])(?:\[(?P<codes>[^\]]*)\])?")
_NOQA: Final = re.compile(r"#\s*(?i:noqa)\s*:\s*(?P<codes>[A-Za-z]+\d+(?:[\s,]+[A-Za-z]+\d+)*)(?!\w)")
_CODE: Final = re.compile(r"[^\s,][^,]*[^\s,]|[^\s,]")
_CODE_OF_NOQA: Final = re.compile(r"\w+")
_OURS: Final = "THN"
_MENTIONS: Final = ("thena:", _OURS)
_REMEMBERED: Final = 64
_NO_START: Final = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})


@frozen
class NamedCode:
    """A code as it is written in a comment, and where (the column from 1)."""

    text: str
    column: int


@frozen
class Comment:
    """One comment that ignores something: where it stands, and which codes it names (`None`: it ignores all)."""

    line: int
    column: int
    text: str
    codes: tuple[NamedCode, ...] | None
    is_of_file: bool = False
    is_noqa: bool = False

    @property
    def ours(self) -> tuple[NamedCode, ...]:
        """The codes that are meant for us; those of other linters may stand beside them in a `# noqa`."""
        codes = self.codes or ()
        return tuple(one for one in codes if one.text.startswith(_OURS)) if self.is_noqa else codes

    def naming(self, code: str) -> str:
        """The comment as it would be written for this code alone."""
        return f"# noqa: {code}" if self.is_noqa else f"# thena: ignore{'-file' if self.is_of_file else ''}[{code}]"


Ignored = tuple[int, int, str | None]
"""The line and column of a comment, and the code in it that counts (`None`: it ignores all)."""


@frozen
class Suppressions:
    """The comments of a file, in order, and on which line each logical line starts."""

    comments: tuple[Comment, ...]
    starts: Mapping[int, int]

    def covering(self, code: str, line: int) -> tuple[Ignored, ...]:
        """What says that a finding at this line is to be ignored; nothing if nothing does."""
        lines = {line, self.starts.get(line, line)}
        return tuple(_ignored(code, (one for one in self.comments if one.is_of_file or one.line in lines)))

    def cover(self, code: str, line: int) -> bool:
        """Say whether a finding at this line is to be ignored."""
        return bool(self.covering(code, line))

    def covering_file(self, code: str) -> tuple[Ignored, ...]:
        """What says that a finding anywhere in the file is to be ignored."""
        return tuple(_ignored(code, (one for one in self.comments if one.is_of_file)))

    def at(self, line: int, column: int) -> Comment | None:
        """The comment that this place is in."""
        return next(
            (one for one in self.comments if one.line == line and 0 <= column - one.column < len(one.text)), None
        )


def _ignored(code: str, comments: Iterable[Comment]) -> Iterator[Ignored]:
    for comment in comments:
        if comment.codes is None:
            yield (comment.line, comment.column, None)
        elif any(one.text == code for one in comment.ours):
            yield (comment.line, comment.column, code)


NONE: Final = Suppressions((), {})


def suppressions_in(source: SourceText) -> Suppressions:
    """The suppressions of a file."""
    return read_suppressions(source.text) if any(mention in source.text for mention in _MENTIONS) else NONE


@lru_cache(maxsize=_REMEMBERED)
def read_suppressions(text: str) -> Suppressions:
    """The suppressions of a text, and its logical lines, whether it mentions us or not."""
    comments: list[Comment] = []
    starts: dict[int, int] = {}
    first: int | None = None
    # The tokenizer of older versions knows one kind of newline only.
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(plain).readline):
            line = token.start[0]
            if token.type == tokenize.COMMENT:
                comments += _comments(token.string, line, token.start[1] + 1)
            if token.type == tokenize.NEWLINE:
                starts.update(dict.fromkeys(range(line if first is None else first, line + 1), first or line))
                first = None
            elif token.type not in _NO_START and first is None:
                first = line
    except (tokenize.TokenError, SyntaxError):
        pass
    return Suppressions(tuple(comments), starts)


def _comments(text: str, line: int, column: int) -> Iterator[Comment]:
    """What a comment says; it may say several things."""
    for found in _COMMENT.finditer(text):
        named = None if found["codes"] is None else tuple(_named(found, column, _CODE))
        yield Comment(line, column + found.start(), found[0], named, is_of_file=found["file"] is not None)
    for found in _NOQA.finditer(text):
        comment = Comment(
            line, column + found.start(), found[0], tuple(_named(found, column, _CODE_OF_NOQA)), is_noqa=True
        )
        if comment.ours:
            yield comment


def _named(found: re.Match[str], column: int, code: re.Pattern[str]) -> Iterator[NamedCode]:
    for one in code.finditer(found["codes"]):
        yield NamedCode(one[0], column + found.start("codes") + one.start())

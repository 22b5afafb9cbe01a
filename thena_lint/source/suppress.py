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
_MENTION: Final = "thena:"
_REMEMBERED: Final = 64
_NO_START: Final = frozenset({tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})


@dataclass(frozen=True, slots=True)
class Suppressions:
    """Which codes are ignored at which line (`None`: all), and on which line each logical line starts."""

    codes: Mapping[int, frozenset[str] | None]
    starts: Mapping[int, int]

    def cover(self, code: str, line: int) -> bool:
        """Say whether a finding at this line is to be ignored."""
        return any(self._names(code, at) for at in {line, self.starts.get(line, line)})

    def _names(self, code: str, line: int) -> bool:
        if line not in self.codes:
            return False
        codes = self.codes[line]
        return codes is None or code in codes


_NONE: Final = Suppressions({}, {})


def suppressions_in(source: SourceText) -> Suppressions:
    """The suppressions of a file."""
    return _read(source.text) if _MENTION in source.text else _NONE


@lru_cache(maxsize=_REMEMBERED)
def _read(text: str) -> Suppressions:
    codes: dict[int, frozenset[str] | None] = {}
    starts: dict[int, int] = {}
    first: int | None = None
    # The tokenizer of older versions knows one kind of newline only.
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        for token in tokenize.generate_tokens(io.StringIO(plain).readline):
            line = token.start[0]
            if token.type == tokenize.COMMENT:
                comment = _COMMENT.search(token.string)
                if comment is not None:
                    codes[line] = _codes(comment["codes"])
            if token.type == tokenize.NEWLINE:
                starts.update(dict.fromkeys(range(line if first is None else first, line + 1), first or line))
                first = None
            elif token.type not in _NO_START and first is None:
                first = line
    except (tokenize.TokenError, SyntaxError):
        pass
    return Suppressions(codes, starts)


def _codes(listed: str | None) -> frozenset[str] | None:
    return None if listed is None else frozenset(code.strip() for code in listed.split(",") if code.strip())

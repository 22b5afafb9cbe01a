"""A text with comments that silence what is found on its lines, put where they hold. Nothing is written here."""

import io
import tokenize
from collections.abc import Mapping, Sequence, Set
from typing import Final

from thena_lint.source.suppress import Comment, Suppressions, read_suppressions
from thena_lint.source.text import SourceText

_ENDS: Final = frozenset({tokenize.NEWLINE, tokenize.NL})
_BLANK: Final = " \t\f"


def ignoring(source: SourceText, found: Mapping[int, Set[str]]) -> tuple[str, Set[int]]:
    """The text that ignores these codes on these lines (from 1), and on which of those lines it does.

    Where a line can hold no comment, in a text of several lines or before a backslash, the statement's first line does.
    """
    suppressions = read_suppressions(source.text)
    ends = _lines_that_end(source.text)
    wanted: dict[int, set[str]] = {}
    held: set[int] = set()
    for line, codes in found.items():
        place = next((one for one in (line, suppressions.starts.get(line, line)) if one in ends), None)
        if place is not None:
            held.add(line)
            wanted.setdefault(place, set()).update(codes)
    text = source.text
    starts = _starts(source)
    for line in sorted(wanted, reverse=True):
        start = starts[line - 1]
        before = text[start : start + len(source.lines[line - 1])]
        after = _with_codes(before, sorted(wanted[line]), _last_of(suppressions, line))
        text = text[:start] + after + text[start + len(before) :]
    return text, held


def _lines_that_end(text: str) -> Set[int]:
    """The lines whose end is no part of a text and isn't escaped."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        return {
            token.start[0] for token in tokenize.generate_tokens(io.StringIO(plain).readline) if token.type in _ENDS
        }
    except (tokenize.TokenError, SyntaxError):
        return frozenset()


def _starts(source: SourceText) -> Sequence[int]:
    """Where each line begins in the text."""
    starts = [0]
    for line in source.lines[:-1]:
        end = starts[-1] + len(line)
        starts.append(end + (2 if source.text.startswith("\r\n", end) else 1))
    return starts


def _last_of(suppressions: Suppressions, line: int) -> Comment | None:
    """The comment that more codes can be added to."""
    ours = [one for one in suppressions.comments if one.line == line and not (one.is_noqa or one.is_of_file)]
    return ours[-1] if ours and ours[-1].codes else None


def _with_codes(line: str, codes: Sequence[str], comment: Comment | None) -> str:
    if comment is not None and comment.codes:
        last = comment.codes[-1]
        end = last.column - 1 + len(last.text)
        return f"{line[:end]}, {', '.join(codes)}{line[end:]}"
    return f"{line.rstrip(_BLANK)}  # thena: ignore[{', '.join(codes)}]"

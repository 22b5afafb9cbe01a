"""Positions and values of the protocol, to and from ours: the only module that knows UTF-16.

A `Place` counts lines and columns from 1 and columns in code points. The protocol counts both from 0, and columns in
the units of the encoding that the client chose. Line ends here are the protocol's three (`\\n`, `\\r\\n`, `\\r`):
a form feed or U+2028 ends no line, whatever `str.splitlines` thinks.
"""

import os
import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from lsprotocol import types as lsp

from thena_contract.anchor import Place
from thena_contract.fault import Severity
from thena_contract.frozen import frozen
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Edit
from thena_lint.pages import PageError, page_file
from thena_lsp.client import Client

SOURCE: Final = "thena"

_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_DRIVE: Final = re.compile(r"/[A-Za-z]:")
_MARK: Final = "\ufeff"

_UNNECESSARY: Final = frozenset({"THN502", "THN902"})
"""What is told of code that never has an effect."""

_SEVERITIES: Final = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.INFORMATION: lsp.DiagnosticSeverity.Information,
    Severity.HINT: lsp.DiagnosticSeverity.Hint,
}


class Encoding(StrEnum):
    """What a client counts columns in; the values are the protocol's."""

    UTF8 = "utf-8"
    UTF16 = "utf-16"
    UTF32 = "utf-32"

    def units(self, text: str) -> int:
        """Count the units of this text."""
        if self is Encoding.UTF32 or text.isascii():
            return len(text)
        if self is Encoding.UTF8:
            return len(text.encode("utf-8", "surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2

    def code_points(self, line: str, units: int) -> int:
        """Count the code points of `line` that fit wholly into its first `units` units."""
        if self is Encoding.UTF32 or line.isascii():
            return min(max(units, 0), len(line))
        spent = 0
        for index, character in enumerate(line):
            spent += self.units(character)
            if spent > units:
                return index
        return len(line)


@frozen
class TextLines:
    """A text and where its lines begin."""

    text: str
    starts: tuple[int, ...]

    @staticmethod
    def of(text: str) -> "TextLines":
        """Find the lines of this text."""
        return TextLines(text, (0, *(match.end() for match in _LINE_END.finditer(text))))

    @property
    def body(self) -> str:
        """The text as Python reads it: without a byte order mark, which an editor may keep in it."""
        return self.text.removeprefix(_MARK)

    @property
    def mark(self) -> int:
        """The length of the byte order mark, which no `Place` and no offset into the body counts."""
        return len(self.text) - len(self.body)

    @property
    def whole(self) -> list[str]:
        """Every line with its end."""
        ends = (*self.starts[1:], len(self.text))
        return [self.text[start:end] for start, end in zip(self.starts, ends, strict=True)]

    def line(self, index: int) -> str:
        """The line at this index from 0, without its line end; empty past the last."""
        if not 0 <= index < len(self.starts):
            return ""
        end = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[index] : end].rstrip("\r\n")

    def offset(self, position: lsp.Position, encoding: Encoding) -> int:
        """The offset of a position; one past the end of its line or of the text is drawn back to that end."""
        if position.line >= len(self.starts):
            return len(self.text)
        return self.starts[position.line] + encoding.code_points(self.line(position.line), position.character)

    def position(self, offset: int, encoding: Encoding) -> lsp.Position:
        """The position of an offset."""
        # Not bisect alone: an offset between \r and \n belongs to the line that they end, and to its end.
        index = _last_start(self.starts, offset)
        content = self.line(index)[: offset - self.starts[index]]
        return lsp.Position(index, encoding.units(content))

    def edited(self, change: lsp.TextDocumentContentChangeEvent, encoding: Encoding) -> "TextLines":
        """This text after one change that the client reports."""
        if not isinstance(change, lsp.TextDocumentContentChangePartial):
            return TextLines.of(change.text)
        start = self.offset(change.range.start, encoding)
        end = max(start, self.offset(change.range.end, encoding))
        return self._replaced(start, end, change.text)

    def _replaced(self, start: int, end: int, new: str) -> "TextLines":
        """This text with something else from one offset to another; only the lines there are looked at."""
        text = self.text[:start] + new + self.text[end:]
        # A line end may come to be, or cease to be one, where a `\r` and a `\n` meet.
        first = max(_last_start(self.starts, start) - 1, 0)
        below = _last_start(self.starts, end) + 2
        further = len(new) - (end - start)
        left = [one + further for one in self.starts[below:]]
        after = left[0] if left else len(text) + 1
        ends = (match.end() for match in _LINE_END.finditer(text, self.starts[first], after))
        between = [end for end in ends if end < after]
        return TextLines(text, (*self.starts[: first + 1], *between, *left))


def _last_start(starts: tuple[int, ...], offset: int) -> int:
    """The index of the last line that begins at or before this offset."""
    low, high = 0, len(starts) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if starts[middle] <= offset:
            low = middle
        else:
            high = middle - 1
    return low


LinesAt = Callable[[Place], TextLines]
"""Gives the text that a place is in, as the client or the disk has it; empty when there is none."""


def path_of(uri: str) -> Path | None:
    """The path of a `file:` URI; `None` for any other, such as a document that was never saved."""
    parts = urlsplit(uri)
    path = unquote(parts.path)
    if parts.scheme != "file" or "\0" in path:
        return None
    if os.name == "nt" and _DRIVE.match(path):
        path = path[1:]
    if parts.netloc and parts.netloc != "localhost":
        path = f"//{parts.netloc}{path}"
    return Path(os.path.normpath(path))


def uri_of(path: str | Path) -> str:
    """The `file:` URI of an absolute path."""
    return Path(path).as_uri()


Key = Path | str
"""What tells one text that a client shows from another: the path of a file, or the URI of what is none."""


def key_of(uri: str) -> Key:
    """The key of a text; a file has one, however a client spells its URI."""
    return path_of(uri) or uri


def to_range(place: Place, lines: TextLines, encoding: Encoding) -> lsp.Range:
    """A place as the client counts it."""
    return lsp.Range(
        _to_position(place.line, place.column, lines, encoding),
        _to_position(place.end_line, place.end_column, lines, encoding),
    )


def _to_position(line: int, column: int, lines: TextLines, encoding: Encoding) -> lsp.Position:
    return lsp.Position(line - 1, encoding.units(lines.line(line - 1)[: column - 1 + _mark(line, lines)]))


def _mark(line: int, lines: TextLines) -> int:
    """The length of a byte order mark at the beginning of this line."""
    return lines.mark if line == 1 else 0


def from_position(position: lsp.Position, lines: TextLines, encoding: Encoding) -> tuple[int, int]:
    """Line and column of a position, as a `Place` counts them."""
    line = position.line + 1
    column = encoding.code_points(lines.line(position.line), position.character) + 1 - _mark(line, lines)
    return line, max(column, 1)


def to_diagnostic(
    diagnostic: Diagnostic, uri_at: Callable[[Place], str], lines_at: LinesAt, encoding: Encoding, client: Client
) -> lsp.Diagnostic:
    """A diagnostic with as much of its chain, its page and its tags as the client can show."""
    chain = [
        lsp.DiagnosticRelatedInformation(
            lsp.Location(uri_at(link.place), to_range(link.place, lines_at(link.place), encoding)),
            link.message,
        )
        for link in diagnostic.related
    ]
    return lsp.Diagnostic(
        range=to_range(diagnostic.place, lines_at(diagnostic.place), encoding),
        message=diagnostic.message,
        severity=_SEVERITIES[diagnostic.severity],
        code=diagnostic.code,
        source=SOURCE,
        code_description=_page(diagnostic.code) if client.shows_pages else None,
        tags=[lsp.DiagnosticTag.Unnecessary] if client.shows_tags and diagnostic.code in _UNNECESSARY else None,
        related_information=chain if client.shows_related and chain else None,
    )


@cache
def _page(code: str) -> lsp.CodeDescription | None:
    """The page of a fault, as it is shipped with the linter."""
    try:
        return lsp.CodeDescription(uri_of(page_file(code)))
    except PageError:
        return None


def to_text_edit(edit: Edit, lines: TextLines, encoding: Encoding) -> lsp.TextEdit:
    """An edit of the text that a client has so, or would read so from disk."""
    start, end = (lines.position(offset + lines.mark, encoding) for offset in (edit.start, edit.end))
    return lsp.TextEdit(lsp.Range(start, end), edit.text)


def to_hover(markdown: str, place: Place, lines: TextLines, encoding: Encoding) -> lsp.Hover:
    """A hover text over the place that it explains."""
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, markdown), to_range(place, lines, encoding))


def edit_all(lines: TextLines, changes: Iterable[lsp.TextDocumentContentChangeEvent], encoding: Encoding) -> TextLines:
    """A text after the changes of one notification, each counted in the text that the one before it left."""
    for change in changes:
        lines = lines.edited(change, encoding)
    return lines

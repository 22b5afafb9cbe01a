"""One file's text, decoded as Python decodes it, and its lines, split as Python and editors split them.

`str.splitlines` isn't used: it also splits at form feeds and at U+2028, which no line number counts.
"""

import codecs
import re
import tokenize
import warnings
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Final

from thena_contract.frozen import frozen
from thena_lint.source.disk import read

_NEWLINE: Final = re.compile(r"\r\n|\n|\r")
_NEWLINE_BYTES: Final = re.compile(rb"\r\n|\n|\r")
LARGEST: Final = 1_000_000
"""How many characters a file may have that is read without being asked for: larger ones are made by programs."""

_COOKIE: Final = b"coding"
_BYTE_FOR_BYTE: Final = frozenset({"utf-8", "utf-8-sig", "iso-8859-1", "ascii"})
"""Encodings, as `tokenize` calls them, in which no ASCII character is written otherwise than in ASCII."""

_HEAD: Final = 4096
"""How many bytes are looked at for a coding cookie."""

_WIDE: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


@frozen
class Cell:
    """A code cell of a notebook: its number among all cells (from 1), and its first line (from 1) in the text."""

    number: int
    first: int


@frozen(slots=False)
class SourceText:
    """The text of one file, as it is on disk or in an editor. Of a notebook it is the code of its `cells`, in order."""

    path: Path
    text: str
    cells: tuple[Cell, ...] = ()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """Every line without its end. A text that ends with a newline has an empty last line."""
        # Nearly every text has the newlines of one kind, which takes a twentieth of the time.
        return tuple(self.text.split("\n") if "\r" not in self.text else _NEWLINE.split(self.text))

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return (0, *(one.end() for one in _NEWLINE.finditer(self.text)))

    def offset(self, line: int, column: int) -> int:
        """Where a line and column (from 1) are in the text, counted from 0."""
        return min(self._starts[min(line, len(self._starts)) - 1] + column - 1, len(self.text))


@frozen
class Unreadable:
    """A file that can't be read or decoded: why, at which line (from 1), and what to do about it.

    `is_closed` where the disk refuses it.
    """

    path: Path
    reason: str
    line: int = 1
    is_closed: bool = False
    repair: str = "Save it as UTF-8, or name its encoding in a coding comment on its first line."

    @staticmethod
    def of(path: Path, error: OSError) -> "Unreadable":
        """What the disk refuses."""
        reason = error.strerror or type(error).__name__
        return Unreadable(path, reason, is_closed=True, repair="Allow it to be read, or lint only what can be.")


def read_source(path: Path) -> SourceText | Unreadable:
    """Read a file from disk. Never raises for what the file contains or for its being unreadable."""
    data = read_bytes(path)
    return decode(path, data) if isinstance(data, bytes) else data


def read_bytes(path: Path) -> bytes | Unreadable:
    """What is in a file on disk, or why it can't be read."""
    try:
        return read(path)
    except OSError as error:
        return Unreadable.of(path, error)


def may_mention(data: bytes, words: Iterable[bytes]) -> bool:
    """Say whether the text in these bytes may hold one of these words, without decoding it where that needn't be."""
    for word in words:
        if word in data:
            return True
    if data.startswith(_WIDE):
        return True
    head = data[:_HEAD]
    return _COOKIE in head and not _is_byte_for_byte(head)


def _is_byte_for_byte(head: bytes) -> bool:
    """Say whether a file that begins so has words as the same bytes as UTF-8 has them."""
    try:
        encoding, _ = tokenize.detect_encoding(_first_lines(head).__next__)
    except SyntaxError:
        return False
    return encoding in _BYTE_FOR_BYTE


def decode(path: Path, data: bytes) -> SourceText | Unreadable:
    """Decode bytes by their byte order mark or coding cookie, as UTF-8 without one."""
    if data.startswith(_WIDE):
        return Unreadable(path, "it is encoded as UTF-16 or UTF-32, which Python doesn't take for source")
    try:
        encoding, _ = tokenize.detect_encoding(_first_lines(data).__next__)
    except SyntaxError as error:
        return Unreadable(path, error.msg)
    try:
        with warnings.catch_warnings():
            # A codec that reads escapes warns of those that it doesn't know.
            warnings.simplefilter("ignore")
            text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = 1 + len(_NEWLINE_BYTES.findall(data, 0, error.start))
        return Unreadable(path, f"byte 0x{data[error.start]:02x} is not {encoding}", line)
    except (LookupError, ValueError):
        # A codec that isn't for text, such as rot13, or one that fails in words of its own.
        return Unreadable(path, f"it can't be decoded as {encoding}")
    return SourceText(path, text)


def _first_lines(data: bytes) -> Iterator[bytes]:
    """The two lines that may hold a coding cookie, and nothing after them."""
    yield from _NEWLINE_BYTES.split(data[:_HEAD], maxsplit=2)[:2]

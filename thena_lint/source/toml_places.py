"""Where the keys and values of a TOML document stand, which `tomllib` doesn't tell.

The document is known to be TOML: what is no TOML is `tomllib`'s to refuse.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from thena_contract.frozen import frozen

Key = tuple[str | int, ...]
"""The way to a value: names of tables and keys, and positions in arrays."""

_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE: Final = re.compile(r"[ \t]*")
_NAME: Final = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*'""")
_TEXT: Final = re.compile(
    r'''"""(?:[^\\]|\\.)*?"""(?:"{0,2})|\'\'\'.*?\'\'\'(?:'{0,2})|"(?:[^"\\]|\\.)*"|'[^']*\'''', re.DOTALL
)
_PLAIN: Final = re.compile(r"[^,\]}#\r\n]*[^,\]}#\s]")


@frozen
class Span:
    """Line and columns from 1; `end` is the column after the last character of the line."""

    line: int
    column: int
    end: int


def places_in(text: str) -> Mapping[Key, Span]:
    """The place of every key and of every element of an array, by the way to it."""
    reader = _Reader(text)
    reader.read()
    return reader.found


@dataclass
class _Reader:
    """One pass over one text, from its start to its end; `at` is how far it is."""

    text: str
    at: int = 0
    found: dict[Key, Span] = field(default_factory=dict)
    _counts: dict[Key, int] = field(default_factory=dict)

    def read(self) -> None:
        """Read the whole document."""
        table: Key = ()
        self._skip(_BLANK)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self._header()
            else:
                self._pair(table)
            self._skip(_BLANK)

    def _header(self) -> Key:
        is_array = self.text.startswith("[[", self.at)
        self.at += 2 if is_array else 1
        table = self._keys(())
        self._skip(_SPACE)
        self.at += 2 if is_array else 1
        if is_array:
            self._counts[table] = self._counts.get(table, -1) + 1
            table = (*table, self._counts[table])
        return table

    def _keys(self, table: Key) -> Key:
        """A key with dots. Of an array of tables the last one is meant."""
        while True:
            self._skip(_SPACE)
            start = self.at
            name = self._match(_NAME)
            table = (*table, _unquoted(name))
            self.found.setdefault(table, self._span(start))
            self._skip(_SPACE)
            if not self.text.startswith(".", self.at):
                return table
            self.at += 1
            if table in self._counts:
                table = (*table, self._counts[table])

    def _pair(self, table: Key) -> None:
        key = self._keys(table)
        self.at += 1
        self._skip(_SPACE)
        self._value(key)

    def _value(self, key: Key) -> None:
        if self.text.startswith("[", self.at):
            self._array(key)
        elif self.text.startswith("{", self.at):
            self._inline(key)
        else:
            self._match(_TEXT if self.text[self.at] in "\"'" else _PLAIN)

    def _array(self, key: Key) -> None:
        self.at += 1
        position = 0
        while not self._is_at_the_end("]"):
            start = self.at
            self._value((*key, position))
            self.found[(*key, position)] = self._span(start)
            position += 1

    def _inline(self, key: Key) -> None:
        self.at += 1
        while not self._is_at_the_end("}"):
            self._pair(key)

    def _is_at_the_end(self, bracket: str) -> bool:
        self._skip(_BLANK)
        if self.text.startswith(",", self.at):
            self.at += 1
            self._skip(_BLANK)
        if not self.text.startswith(bracket, self.at):
            return False
        self.at += 1
        return True

    def _skip(self, what: re.Pattern[str]) -> None:
        self._match(what)

    def _match(self, what: re.Pattern[str]) -> str:
        found = what.match(self.text, self.at)
        assert found is not None, f"this is no TOML at {self.at}"
        self.at = found.end()
        return found[0]

    def _span(self, start: int) -> Span:
        first = self.text.rfind("\n", 0, start) + 1
        end = self.text.find("\n", start, self.at)
        return Span(self.text.count("\n", 0, start) + 1, start - first + 1, (self.at if end == -1 else end) - first + 1)


def _unquoted(name: str) -> str:
    return str(tomllib.loads(f"it = {name}")["it"]) if name[0] in "\"'" else name

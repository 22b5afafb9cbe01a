"""An editor's own copy of a text, counted without any of the server's code: what is sent, and what the text is then.

It knows the protocol's three line ends and the encodings by their codecs alone, character by character.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

PIECES: Final = (
    *("a", "é", "ß", "あ", "😀", "🏳️‍🌈", "e\u0301", "\u200d", "\u05d0", " ", "\t", "\ufeff", "\x00"),
    *("\n", "\r\n", "\r", "\n\n", "\r\r\n"),
    *("\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"),
)
"""What is typed: characters of every width, line ends, and what only looks like a line end."""

WRITABLE: Final = tuple(piece for piece in PIECES if piece != "\x00")
"""What may stand in Python's source."""

_UNITS: Final = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


@dataclass
class EditorText:
    """A text that an editor has open. Owned by one test."""

    text: str
    encoding: str
    chance: random.Random
    pieces: Sequence[str] = PIECES

    def edit(self, low: int = 0, high: int | None = None) -> dict[str, Any]:
        """Replace a random piece between two offsets, and return the change as the protocol has it."""
        last = len(self.text) if high is None else high
        start = self._addressable(self.chance.randint(low, last))
        # More often a short piece than a long one, and as often nothing.
        end = self._addressable(min(last, start + self.chance.choice([0, 0, 1, 1, 2, 5, 40])))
        new = "".join(self.chance.choices(self.pieces, k=self.chance.choice([0, 1, 1, 2, 6])))
        change = {"range": {"start": self.position(start), "end": self.position(end)}, "text": new}
        self.text = self.text[:start] + new + self.text[end:]
        return change

    def position(self, offset: int) -> dict[str, int]:
        """The position of an offset, as the protocol has it."""
        line = begin = index = 0
        while index < offset:
            width = 2 if self.text[index : index + 2] == "\r\n" else 1
            index += width
            if self.text[index - 1] in "\r\n":
                line, begin = line + 1, index
        codec, width = _UNITS[self.encoding]
        return {"line": line, "character": len(self.text[begin:offset].encode(codec)) // width}

    def _addressable(self, offset: int) -> int:
        """This offset, or the one before where it lies between the two characters of a line end."""
        return offset - 1 if self.text[max(offset - 1, 0) : offset + 1] == "\r\n" else offset

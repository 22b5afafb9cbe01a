"""Tells a model's thinking from its answer; pure.

Models that were trained to think aloud wrap it in tags. Neither the conversation nor a hook is meant to see it. A block
that is closed is thinking wherever it stands; one that never closes is so only where it begins a line.
"""

import re
from typing import Final, Literal, TypeAlias

_FLAGS: Final = re.IGNORECASE | re.ASCII
_NAMES: Final = ("think", "thinking", "reasoning", "thought", "reasoning_scratchpad")
# The name ends at a space or at `>`, so that `<thinker>` is no thinking.
_OPENING: Final = re.compile(rf"<({'|'.join(_NAMES)})(?=[\s>])[^<>]*>", _FLAGS)
_OPENING_SO_FAR: Final = re.compile(rf"<(?:{'|'.join(_NAMES)})\s[^<>]*\Z", _FLAGS)
_CLOSING: Final = {name: re.compile(rf"</{name}\s*>", _FLAGS) for name in _NAMES}
_CLOSING_SO_FAR: Final = {name: re.compile(rf"</{name}\s*\Z", _FLAGS) for name in _NAMES}
_STARTS: Final = frozenset(f"<{name}"[:length] for name in _NAMES for length in range(1, len(name) + 2))
_ENDS: Final = {name: frozenset(f"</{name}"[:length] for length in range(1, len(name) + 3)) for name in _NAMES}

Piece: TypeAlias = tuple[Literal["text", "thinking"], str]


def strip_thinking(text: str) -> str:
    """Remove the thinking, and trim what is left."""
    if "<" not in text:
        return text.strip()
    splitter = ThinkSplitter()
    pieces = [*splitter.feed(text), *splitter.finish()]
    return "".join(piece for kind, piece in pieces if kind == "text").strip()


class ThinkSplitter:
    """Splits one answer while it comes in; where it is cut into chunks changes nothing.

    What can't be told yet is held back: the beginning of a tag, and a block that was opened in the middle of a line,
    until it closes or the answer ends.
    """

    def __init__(self) -> None:
        self._tail = ""
        self._begins_line = True
        self._block: str | None = None
        """The name of the block that the answer is in."""
        self._held: list[str] | None = None
        """The block from its opening tag on, while it may still turn out to be text."""

    def feed(self, chunk: str) -> list[Piece]:
        """Take what has come, and return what can be told."""
        pieces: list[Piece] = []
        rest = self._tail + chunk if self._tail else chunk
        self._tail = ""
        while rest:
            rest = self._text(rest, pieces) if self._block is None else self._inside(rest, self._block, pieces)
        return pieces

    def finish(self) -> list[Piece]:
        """Say that nothing more comes, and return what was held back."""
        pieces: list[Piece] = []
        rest, self._tail = self._tail, ""
        if self._held is not None:
            rest = "".join(self._held) + rest
        elif self._block is not None:
            _add(pieces, "thinking", rest)
            return pieces
        self._block = self._held = None
        self._all_the_rest(rest, pieces)
        return pieces

    def _text(self, text: str, pieces: list[Piece]) -> str:
        """Read text up to an opening tag, and return what is behind it."""
        opening = _OPENING.search(text)
        if opening is None:
            end = len(text) - _undecided(text, _STARTS, _OPENING_SO_FAR)
            self._say(text[:end], pieces)
            self._tail = text[end:]
            return ""
        self._say(text[: opening.start()], pieces)
        self._block = opening[1].lower()
        self._held = None if self._begins_line else [opening[0]]
        return text[opening.end() :]

    def _inside(self, text: str, name: str, pieces: list[Piece]) -> str:
        """Read a block up to its closing tag, and return what is behind it."""
        closing = _CLOSING[name].search(text)
        end = closing.start() if closing else len(text) - _undecided(text, _ENDS[name], _CLOSING_SO_FAR[name])
        if self._held is None:
            _add(pieces, "thinking", text[:end])
        else:
            self._held.append(text[:end])
        if closing is None:
            self._tail = text[end:]
            return ""
        if self._held is not None:
            _add(pieces, "thinking", "".join(self._held[1:]))
        self._block = self._held = None
        return text[closing.end() :]

    def _all_the_rest(self, text: str, pieces: list[Piece]) -> None:
        """Split what comes last, of which everything is known."""
        # A name without a closing tag ahead is not looked for again: the search stays linear, whatever a model writes.
        never_closed: set[str] = set()
        position = 0
        while opening := _OPENING.search(text, position):
            name = opening[1].lower()
            self._say(text[position : opening.start()], pieces)
            closing = None if name in never_closed else _CLOSING[name].search(text, opening.end())
            position = opening.end()
            if closing is not None:
                _add(pieces, "thinking", text[position : closing.start()])
                position = closing.end()
                continue
            if self._begins_line:
                _add(pieces, "thinking", text[position:])
                return
            never_closed.add(name)
            self._say(opening[0], pieces)
        self._say(text[position:], pieces)

    def _say(self, text: str, pieces: list[Piece]) -> None:
        line_start = text.rfind("\n") + 1
        self._begins_line = (self._begins_line or line_start > 0) and not text[line_start:].strip(" \t")
        _add(pieces, "text", text)


def _add(pieces: list[Piece], kind: Literal["text", "thinking"], text: str) -> None:
    if text:
        pieces.append((kind, text))


def _undecided(text: str, beginnings: frozenset[str], longer: re.Pattern[str]) -> int:
    """Count the last characters that may be the beginning of a tag."""
    start = text.rfind("<")
    if start < 0:
        return 0
    candidate = text[start:]
    return len(candidate) if candidate.lower() in beginnings or longer.match(candidate) else 0

"""Bytes as they come from a server, made into server-sent events; pure.

Where the bytes are cut changes nothing. Left out on purpose: what an event's data means, and reconnecting, for the
answer of a model can't be resumed.
"""

import re
from typing import Final, NamedTuple

_LINE_END: Final = re.compile(rb"\r\n|\n|\r")
_MARK: Final = "\ufeff"


class ServerSentEvent(NamedTuple):
    """One event: its data, several lines joined by line breaks, and its name."""

    data: str
    name: str = "message"


class SseReader:
    """Reads one stream. Owned by whoever reads the body."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._ended_in_return = False
        self._is_first_line = True
        self._data: list[str] = []
        self._name = ""

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """Take what has come, and return the events that it completes."""
        if self._ended_in_return and chunk.startswith(b"\n"):
            chunk = chunk[1:]  # the second half of a line end
            self._ended_in_return = False
        if not chunk:
            return []
        self._ended_in_return = chunk.endswith(b"\r")
        first, *others = _LINE_END.split(chunk)
        self._rest.append(first)
        events: list[ServerSentEvent] = []
        for other in others:
            self._line(b"".join(self._rest), events)
            self._rest = [other]
        return events

    def finish(self) -> list[ServerSentEvent]:
        """Say that nothing more comes. An event that lacks only its empty line is taken as whole."""
        events: list[ServerSentEvent] = []
        self._line(b"".join(self._rest), events)
        self._rest = []
        self._line(b"", events)
        return events

    def _line(self, raw: bytes, events: list[ServerSentEvent]) -> None:
        line = raw.decode("utf-8", "replace")
        if self._is_first_line:
            line = line.removeprefix(_MARK)
            self._is_first_line = False
        if not line:
            if self._data:
                events.append(ServerSentEvent("\n".join(self._data), self._name or "message"))
            self._data = []
            self._name = ""
            return
        field, _, value = line.partition(":")
        match field:
            case "data":
                self._data.append(value.removeprefix(" "))
            case "event":
                self._name = value.removeprefix(" ")
            case _:
                pass  # a comment, which keeps the line open, or a field that says nothing about the data

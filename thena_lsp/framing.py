"""How messages stand in a stream of bytes: headers, an empty line, and as many bytes as the headers say.

What is in a message is no business of this module.
"""

import re
from collections.abc import Mapping
from typing import BinaryIO, Final

_LONGEST_HEADER: Final = 8192
"""Bytes: a longer line is no header."""

_NAME: Final = re.compile(rb"[A-Za-z0-9_-]+")
_LENGTH: Final = re.compile(rb"[0-9]{1,9}")
"""Below a gigabyte."""


class FramingError(Exception):
    """Nobody can tell where the next message begins. Its text says why, and how a message is sent."""

    def __init__(self, fact: str) -> None:
        super().__init__(f"{fact} Send each message after `Content-Length: <bytes>` and an empty line.")


def read_body(stream: BinaryIO) -> bytes | None:
    """Read the next message; `None` at the end of the stream, be it in the middle of one.

    Raises:
        FramingError: where no message begins, or one whose length isn't told.
    """
    headers: dict[bytes, bytes] = {}
    while line := stream.readline(_LONGEST_HEADER):
        if line.strip():
            name, value = _header(line)
            headers[name] = value
        elif headers:
            length = _length(headers)
            body = stream.read(length)
            return body if len(body) == length else None
    return None


def _header(line: bytes) -> tuple[bytes, bytes]:
    name, colon, value = line.partition(b":")
    if not colon or _NAME.fullmatch(name.strip()) is None:
        raise FramingError(f"`{_shown(line)}` is no header.")
    return name.strip().lower(), value.strip()


def _length(headers: Mapping[bytes, bytes]) -> int:
    value = headers.get(b"content-length")
    if value is None:
        raise FramingError("A message has no `Content-Length`.")
    if _LENGTH.fullmatch(value) is None:
        raise FramingError(f"The `Content-Length` of a message is `{_shown(value)}`.")
    return int(value)


def _shown(raw: bytes) -> str:
    return ascii(raw.strip()[:60])[2:-1]

"""Standard input of a child process whose parent has the terminal: it says when somebody is to type a line.

Left out on purpose: who types it, and what becomes of the prompt, which is printed like anything else.
"""

import io
import sys
from collections.abc import Callable
from typing import IO


class Asking(io.TextIOBase):
    """What `input()` and `sys.stdin` read from; it lives as long as the process."""

    def __init__(self, lines: IO[bytes], *, asks: Callable[[], None]) -> None:
        self._lines = lines
        self._asks = asks

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override] # as `TextIOWrapper` has it
        """Ask for a line, and wait until it is there; an empty text is the end."""
        # The prompt of `input()` is the beginning of a line, and a parent reads whole lines.
        sys.stderr.write("\n")
        sys.stderr.flush()
        self._asks()
        text = self._lines.readline().decode(errors="replace")
        return text if size is None or size < 0 else text[:size]

    def read(self, size: int | None = -1, /) -> str:
        """Ask for lines until there are no more, or enough."""
        text = ""
        while (size is None or size < 0 or len(text) < size) and (line := self.readline()):
            text += line
        return text if size is None or size < 0 else text[:size]

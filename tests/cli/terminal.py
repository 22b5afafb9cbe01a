"""A pseudo-terminal with the `thena` command in it, and what its user sees."""

import fcntl
import os
import pty
import re
import select
import subprocess
import termios
import time
from pathlib import Path

from tests.cli.thena_process import LONGEST_WAIT, command, environment, timeless

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A pseudo-terminal with `thena` in it; `has_keys` makes it the terminal's own program, as a shell does."""

    def __init__(self, *arguments: str, cwd: Path, has_keys: bool = False, **variables: str) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            command(*arguments),
            cwd=cwd,
            env={**environment(), "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30", **variables},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=has_keys,
            preexec_fn=(lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0)) if has_keys else None,
        )
        os.close(slave)
        self.written = ""

    def until(self, text: str) -> str:
        """Read until `text` was written; return everything since the last time."""
        began = len(self.written)
        deadline = time.monotonic() + LONGEST_WAIT
        while text not in self.written[began:]:
            assert time.monotonic() < deadline, f"waited in vain for {text!r} in:\n{self.written}"
            assert self._read(), f"ended before {text!r}:\n{self.written}"
        return self.written[began:]

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._master, text.encode())

    @property
    def is_echoing(self) -> bool:
        """Whether the terminal shows what is typed, as it does for a shell."""
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)

    def end(self) -> int:
        """Read what is left and return the exit code."""
        while self._read():
            pass
        os.close(self._master)
        return self.process.wait(LONGEST_WAIT)

    def hang_up(self) -> int:
        """Close the terminal, as one closes its window, and return the exit code."""
        os.close(self._master)
        return self.process.wait(LONGEST_WAIT)

    def _read(self) -> bool:
        if not select.select([self._master], [], [], LONGEST_WAIT)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # Linux's way to say that the other side is closed
            return False
        self.written += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)


def shown(written: str) -> str:
    """What was written, without colours, and without what was taken back."""
    # What is redrawn is followed by an order to erase it; only what stays is compared.
    return timeless(_CONTROL.sub("", written))

"""The keys of a terminal: read one by one, or as a line where somebody is asked to type one.

Only the foreground of a terminal has keys. Ctrl-C and Ctrl-Z stay what they are, and the terminal is given back as it
was. Left out on purpose: what a key does, and who gets a line (`keyboard.py`).
"""

import asyncio
import os
import select
import signal
import sys
import termios
import tty
from collections.abc import Callable
from typing import Final

_CHUNK: Final = 4096


class Keys:
    """Standard input of a session on a terminal; owned by the session, which must `close` it.

    `pressed` is called with each key, and `typed` with the line that was asked for last, `None` for none.
    """

    def __init__(self, *, pressed: Callable[[str], None], typed: Callable[[str | None], None]) -> None:
        self._pressed = pressed
        self._typed = typed
        self._number = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._number)
        self._is_asking = self._is_dropping = False
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._number, self._read)
        # After Ctrl-Z and `fg` the terminal is as the shell has it.
        self._loop.add_signal_handler(signal.SIGCONT, self._set)
        self._set()

    @staticmethod
    def are_there() -> bool:
        """Whether this process is in the foreground of a terminal, and reads from it."""
        try:
            return sys.stdin.isatty() and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
        except (AttributeError, OSError, ValueError):
            return False

    def ask(self) -> None:
        """Have the next line typed as in any program, and then go back to keys."""
        self._is_asking, self._is_dropping = True, False
        self._set()

    def stop_asking(self) -> bool:
        """Go back to keys at once; of a line that was begun there are none up to its end. Return whether one was."""
        if not self._is_asking:
            return False
        self._is_asking = False
        self._set()
        # As keys can be read one by one, so can what there is of the line.
        is_begun = self.are_there() and bool(select.select([self._number], [], [], 0)[0])
        self._is_dropping = is_begun and not self._take().endswith(("\n", "\r"))
        return self._is_dropping

    def close(self) -> None:
        """Give the terminal back."""
        self._loop.remove_reader(self._number)
        self._loop.remove_signal_handler(signal.SIGCONT)
        self._is_asking = True
        self._set()

    def _set(self) -> None:
        if not self.are_there():
            # In the background, where a change of the terminal would stop the process.
            return
        termios.tcsetattr(self._number, termios.TCSADRAIN, self._before)
        if not self._is_asking:
            tty.setcbreak(self._number, termios.TCSADRAIN)

    def _read(self) -> None:
        text = self._take()
        if not text and not self._is_asking:
            # The terminal is gone; the signal that tells of it ends the session.
            self._loop.remove_reader(self._number)
            return
        if self._is_asking:
            self._is_asking = False
            self._set()
            self._typed(text.rstrip("\r\n") if text else None)
            return
        if self._is_dropping:
            _, end, text = text.replace("\r", "\n").partition("\n")
            self._is_dropping = not end
        # An arrow and its like are several characters, none of which was pressed.
        if not text.startswith("\x1b"):
            for key in text:
                self._pressed(key)

    def _take(self) -> str:
        try:
            return os.read(self._number, _CHUNK).decode(errors="replace")
        except OSError:
            return ""

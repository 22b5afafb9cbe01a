"""Saves on their way to being checked, which wait while their user wants them to.

Left out on purpose: which saves there are (`watch.py`), and what comes of one (`loop.py`).
"""

from collections.abc import Callable
from pathlib import Path


class Gate:
    """What was saved counts at once or, while the gate is shut, together once it opens; owned by a session.

    It is shut while the session is paused, and while a prompt is typed.
    """

    def __init__(self, count: Callable[[frozenset[Path]], None]) -> None:
        self._count = count
        self._is_paused = self._is_prompted = False
        self.waiting: frozenset[Path] = frozenset()
        """What was saved and doesn't count yet."""

    def save(self, paths: frozenset[Path]) -> None:
        """Have saves count, now or later."""
        self.waiting |= paths
        self._let_through()

    def pause(self) -> bool:
        """Let saves wait, or have those that waited count; return whether they wait."""
        self._is_paused = not self._is_paused
        self._let_through()
        return self._is_paused

    def hold(self, is_prompted: bool) -> None:
        """Let saves wait while a prompt is typed."""
        self._is_prompted = is_prompted
        self._let_through()

    def _let_through(self) -> None:
        if self.waiting and not self._is_paused and not self._is_prompted:
            saved, self.waiting = self.waiting, frozenset()
            self._count(saved)

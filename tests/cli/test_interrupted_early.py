"""Ctrl-C while a command, or the process that it asks, is still starting."""

import asyncio
import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cli.thena_process import LONGEST_WAIT, environment
from thena_cli.dev.messages import Cancelled
from thena_cli.dev.screen import PlainScreen
from thena_cli.dev.single import follow_once

PRESSED = """
import runpy, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "thena_cli.main":
            raise KeyboardInterrupt

sys.meta_path.insert(0, Finder())
runpy.run_module("thena_cli", run_name="__main__")
"""


def test_a_command_that_is_still_being_imported_ends_without_a_word() -> None:
    """Python's own complaint is of no use to anybody."""
    done = subprocess.run(
        [sys.executable, "-c", PRESSED],
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        timeout=LONGEST_WAIT,
        check=False,
    )
    assert ("", "", 130) == (done.stdout, done.stderr, done.returncode)


class Starting:
    """A child that has said nothing yet, and complains when it is interrupted."""

    def listen(
        self, *, said: Callable[[str], None], printed: Callable[[str], None], exited: Callable[[int], None]
    ) -> None:
        self._printed, self._exited = printed, exited
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)

    def interrupt(self) -> None:
        for line in ("Traceback (most recent call last):", "KeyboardInterrupt"):
            self._printed(line)
        self._exited(1)

    def taken(self) -> None: ...

    def kill(self) -> None: ...


async def test_a_child_that_is_still_starting_is_not_heard() -> None:
    """It was cancelled, which the screen says in one line."""
    heard: list[object] = []
    screen = PlainScreen(io.StringIO(), watched=Path("flow"), folder=Path())
    child: Any = Starting()  # all that is used of one
    code = await follow_once(child, screen, say=heard.append, known=heard.append)
    assert ([Cancelled(at=None)], 130) == (heard, code)

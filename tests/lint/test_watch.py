"""`thena-lint --watch` as a process: it lints again after each change, until Ctrl-C."""

import os
import pty
import re
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.lint.test_cli import CLEAN, COMMAND, FAULTY
from tests.support.linting import write_files

END: Final = "Watching for changes. Ctrl-C ends it."
LONGEST: Final = 60


class Watching:
    """A watching linter, and what it has written. Owned by one test; ended by `watching`."""

    def __init__(self, process: subprocess.Popen[bytes], output: int) -> None:
        self.process = process
        self._output = output

    def round(self) -> str:
        """What is written until the linter waits for the next change."""
        text = b""
        until = time.monotonic() + LONGEST
        while not text.replace(b"\r", b"").endswith(f"{END}\n".encode()):
            ready, _, _ = select.select([self._output], [], [], until - time.monotonic())
            assert ready, f"nothing more was written after {text!r}"
            text += os.read(self._output, 65536)
        return text.decode().replace("\r\n", "\n")

    def rest(self) -> bytes:
        """What is still written before the end."""
        text = b""
        while more := os.read(self._output, 65536):
            text += more
        return text


@contextmanager
def watching(folder: Path, *paths: str, on_terminal: bool = False) -> Iterator[Watching]:
    """Watch a folder, or these paths in it."""
    reading, writing = pty.openpty() if on_terminal else os.pipe()
    process = subprocess.Popen(
        [*COMMAND, "--watch", "--output-format", "concise", *paths],
        cwd=folder,
        stdout=writing,
        stderr=writing,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(writing)
    try:
        yield Watching(process, reading)
    finally:
        process.kill()
        process.wait()
        os.close(reading)


def test_each_change_is_linted(tmp_path: Path) -> None:
    """An edit, a new file, a prompt that is deleted, and settings: each round says what a run would say then."""
    prompt = FAULTY.replace('Prompt("x")', '"./x.agent.md"').replace("steps=", "state=int, steps=")
    write_files(tmp_path, {"flow.py": FAULTY})
    with watching(tmp_path) as linter:
        first = linter.round()
        write_files(tmp_path, {"flow.py": CLEAN})
        second = linter.round()
        write_files(tmp_path, {"x.agent.md": "x"})
        linter.round()
        write_files(tmp_path, {"flow.py": prompt})
        third = linter.round()
        (tmp_path / "x.agent.md").unlink()
        fourth = linter.round()
        write_files(tmp_path, {".hidden/a.py": FAULTY, "pyproject.toml": '[tool.thena.lint]\nignore = ["THN1"]\n'})
        fifth = linter.round()
        linter.process.send_signal(signal.SIGINT)
        code = linter.process.wait(timeout=LONGEST)
        rest = linter.rest()

    clear = f"All clear: 1 file checked.\n\n{END}\n"
    assert ["THN201"] == re.findall(r"THN\d+", first)
    assert (clear, clear, ["THN105"], clear) == (second, third, re.findall(r"THN\d+", fourth), fifth)
    assert (130, b"") == (code, rest)


def test_the_screen_is_cleared_on_a_terminal(tmp_path: Path) -> None:
    """Each round begins on an empty screen, in colours; elsewhere nothing but text is written."""
    write_files(tmp_path, {"flow.py": FAULTY})
    with watching(tmp_path, on_terminal=True) as linter:
        assert linter.round().startswith("\x1b[2J\x1b[3J\x1b[H\x1b[1mflow.py")
    with watching(tmp_path) as linter:
        assert linter.round().startswith("flow.py:5:24: THN201")


def test_a_path_that_goes_away_is_told(tmp_path: Path) -> None:
    """It doesn't end the watch, and the file counts again when it is back."""
    write_files(tmp_path, {"flow.py": FAULTY})
    with watching(tmp_path, "flow.py") as linter:
        linter.round()
        (tmp_path / "flow.py").unlink()
        assert f"thena-lint: `{tmp_path / 'flow.py'}` doesn't exist. " in linter.round()
        write_files(tmp_path, {"flow.py": CLEAN})
        text = linter.round()

    assert "All clear: 1 file checked." in text

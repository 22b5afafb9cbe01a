"""The `thena` command as a real process, and what is left of it."""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.support.tools import require_tool

LONGEST_WAIT = 60.0
_DURATION = re.compile(r"\b(\d+ms|\d+\.\d\ds|\d+m \d\ds)\b")


def command(*arguments: str) -> list[str]:
    """How to start `thena` with those arguments."""
    return [sys.executable, "-m", "thena_cli", *arguments]


def environment() -> dict[str, str]:
    """This process's environment, without what would change how a screen looks."""
    return {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}


def thena(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    """Run a command of `thena` that ends by itself."""
    return subprocess.run(
        command(*arguments),
        cwd=cwd,
        env=environment(),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        timeout=LONGEST_WAIT,
        check=False,
    )


def timeless(text: str) -> str:
    """The text with every duration as `<t>`."""
    return _DURATION.sub("<t>", text)


class DevSession:
    """A `thena dev` under way; leaving it ends the process, whatever happened."""

    def __init__(self, *arguments: str, cwd: Path) -> None:
        self._process = subprocess.Popen(
            command("dev", *arguments),
            cwd=cwd,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self.seen: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(LONGEST_WAIT)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    @property
    def pid(self) -> int:
        """The process id of `thena` itself."""
        return self._process.pid

    def until(self, text: str) -> list[str]:
        """Wait for the line that holds `text`; return what came since the last wait, that line included."""
        since: list[str] = []
        deadline = time.monotonic() + LONGEST_WAIT
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"waited in vain for {text!r}; seen:\n" + "\n".join(self.seen)) from None
            if line is None:
                raise AssertionError(f"ended before {text!r}; seen:\n" + "\n".join(self.seen))
            self.seen.append(line)
            since.append(line)
            if text in line:
                return since

    def interrupt(self) -> int:
        """Press Ctrl-C; return the exit code."""
        self._process.send_signal(signal.SIGINT)
        return self._process.wait(LONGEST_WAIT)

    def end(self) -> int:
        """Wait for the end of a session that ends by itself; return the exit code."""
        return self._process.wait(LONGEST_WAIT)

    def rest(self) -> list[str]:
        """What was written after the last wait, once the process has ended."""
        lines: list[str] = []
        while (line := self._lines.get(timeout=LONGEST_WAIT)) is not None:
            lines.append(line)
        self.seen += lines
        return lines

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)


def descendants(pid: int) -> set[int]:
    """The processes that a process started, and those that they started."""
    children = {other for other, (parent, _) in _processes().items() if parent == pid}
    return children.union(*(descendants(child) for child in children))


def wait_until_gone(pids: set[int]) -> set[int]:
    """Wait until none of the processes is left; return those that are, when patience is at an end."""
    deadline = time.monotonic() + LONGEST_WAIT
    while True:
        left = {pid for pid, (_, state) in _processes().items() if pid in pids and state != "Z"}
        if not left or time.monotonic() > deadline:
            return left
        # A process that was killed is gone a moment later; nothing says when.
        time.sleep(0.01)


def _processes() -> dict[int, tuple[int, str]]:
    """Every process with its parent and its state."""
    if not Path("/proc/self/stat").exists():
        listing = subprocess.run(
            [require_tool("ps"), "-A", "-o", "pid=,ppid=,state="], capture_output=True, text=True, check=True
        )
        rows = (line.split() for line in listing.stdout.splitlines())
        return {int(pid): (int(parent), state[0]) for pid, parent, state in rows}
    found: dict[int, tuple[int, str]] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            # The name in parentheses may hold anything; what is wanted stands behind it.
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue  # it ended meanwhile
        found[int(entry.name)] = (int(parent), state)
    return found

"""The process that runs user code: start it, feed it, listen to it, end it together with everything it started.

Needs a POSIX system, for process groups. Left out on purpose: what its lines mean (`messages.py`), and asyncio, so that
a spare can be under way while this process is still importing.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

# How many lines may wait for the screen. Beyond it the child waits, as it would for any slow terminal.
_BACKLOG = 1000
# How long the pipes may stay open after the process is gone: something it started may hold them.
_DRAIN = 0.5


class Child:
    """One child process, from its start to its end; owned by whoever started it, who must `kill` it or see it exit."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process
        self._backlog = threading.Semaphore(_BACKLOG)

    @classmethod
    def spare(cls) -> "Child":
        """Start a child that warms itself up and waits to be told what to run (`send`)."""
        return cls(_spawn(["--wait"], stdin=subprocess.PIPE))

    @classmethod
    def running(cls, target: str, *, root: Path, prompt: str) -> "Child":
        """Start a child that runs `target` at once and reads this process's own standard input."""
        return cls(_spawn([target, "--root", str(root), "--prompt", prompt], stdin=None))

    @property
    def pid(self) -> int:
        """The process id, which is also its process group."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended yet."""
        return self._process.poll() is None

    def send(self, target: str, *, root: Path, prompt: str) -> None:
        """Tell a spare what to run, and close its standard input: nobody will type there."""
        pipe = self._process.stdin
        assert pipe is not None, "only a spare is told what to run"
        request = {"target": target, "root": str(root), "prompt": prompt, "cwd": str(Path.cwd())}
        try:
            pipe.write(json.dumps(request).encode() + b"\n")
            pipe.close()
        except BrokenPipeError:
            # It died while it waited. `listen` reports the exit, which says more than this error would.
            return

    def listen(
        self,
        *,
        said: Callable[[str], None],
        printed: Callable[[str], None],
        exited: Callable[[int], None],
    ) -> None:
        """Call back, from other threads, with each line of the protocol, each line printed, and at last the exit code.

        Every `said` and `printed` must be answered with `taken` once it has been dealt with.
        """
        assert self._process.stdout is not None and self._process.stderr is not None
        readers = (self._reader(self._process.stdout, said), self._reader(self._process.stderr, printed))
        threading.Thread(target=self._wait, args=(readers, exited), daemon=True).start()

    def taken(self) -> None:
        """Make room for one more line."""
        self._backlog.release()

    def interrupt(self) -> None:
        """Ask the run to end: what Ctrl-C does to everything in the process's group."""
        self._signal(signal.SIGINT)

    def kill(self) -> None:
        """End the process and everything it started, now."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            # Gone already; macOS answers EPERM for a group that holds only what nobody has waited for.
            return

    def _reader(self, pipe: IO[bytes], say: Callable[[str], None]) -> threading.Thread:
        def read() -> None:
            for line in pipe:
                self._backlog.acquire()
                say(line.decode(errors="replace").rstrip("\r\n"))

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        return thread

    def _wait(self, readers: tuple[threading.Thread, ...], exited: Callable[[int], None]) -> None:
        code = self._process.wait()
        # What a run started and left behind must not outlive it, nor hold its pipes open.
        self.kill()
        for reader in readers:
            reader.join(_DRAIN)
        exited(code)


def _spawn(arguments: list[str], *, stdin: int | None) -> "subprocess.Popen[bytes]":
    # -P: a file of the user's that is called `types.py` must not shadow the standard library.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "thena_runtime.child", *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"},
    )

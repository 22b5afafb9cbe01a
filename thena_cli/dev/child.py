"""The process that runs user code: start it, feed it, listen to it, end it together with everything it started.

Needs a POSIX system, for process groups. A child holds the reading end of a pipe whose writing end nobody has but this
process, so that it hears of this one's end however that comes, `kill -9` included. Left out on purpose: what its lines
mean (`messages.py`), and asyncio, so that a spare can be under way while this process is still importing.
"""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Literal

from thena_contract.frozen import frozen

# How many lines may wait for the screen. Beyond it the child waits, as it would for any slow terminal.
_BACKLOG = 1000
# How long the pipes may be silent after the process is gone: something that left its group may hold them open.
_DRAIN = 0.5
# How much is read at a time, and how often before what was read is told.
_CHUNK = 1 << 16
_CHUNKS = 2


@frozen(kw_only=True)
class Order:
    """What a child is to do. `guess` is a name in the module that nobody typed; `folder` is where the user stands.

    `act` and what a run begins with and may spend, JSON values, are those of the child's own orders; `speaks` asks for
    all that the models say, `traces` for whole tracebacks, `tells_files` for the files that the process uses. With
    `asks` the child says when its program reads from standard input, and is given lines (`type`).
    `answers` are those of earlier runs that stand for the same calls of models; with `None` none are told either.
    `report` is the folder of a report that is wanted in any case, empty for the app's own.
    """

    module: str
    name: str | None
    guess: str | None
    file: Path
    root: Path
    folder: Path
    behind: tuple[Path, ...] = ()
    prompt: str = ""
    act: Literal["run", "check", "graph"] = "run"
    state: object = None
    data: object = None
    budget: Mapping[str, object] | None = None
    speaks: bool = False
    traces: bool = False
    tells_files: bool = False
    asks: bool = False
    answers: Sequence[Mapping[str, object]] | None = None
    report: str | None = None

    @property
    def target(self) -> str:
        """What is imported, and the name that must be there."""
        return self.module if self.name is None else f"{self.module}:{self.name}"

    def to_json(self) -> bytes:
        """The order as the line of JSON that a child reads."""
        said = {
            "act": self.act,
            "target": self.target,
            "root": str(self.root),
            "behind": [str(folder) for folder in self.behind],
            "prompt": self.prompt,
            "cwd": str(self.folder),
            "guess": self.guess,
            "file": str(self.file),
            "state": self.state,
            "data": self.data,
            "budget": self.budget,
            "speaks": self.speaks,
            "traces": self.traces,
            "tells_files": self.tells_files,
            "asks": self.asks,
            "answers": self.answers,
            "report": self.report,
        }
        return json.dumps(said).encode() + b"\n"


class Child:
    """One child process, from its start to its end; owned by whoever started it, who must `kill` it or see it exit."""

    def __init__(self, *, stdin: int | None, order: Order | None = None) -> None:
        end, mine = os.pipe()
        # An object and no number, so that the pipe is closed with whatever is left of a child that nobody listens to.
        self._lifeline = os.fdopen(mine, "wb")
        # Not as an argument: those have a limit, and everybody on the machine can read them.
        told, telling = os.pipe() if order is not None else (None, None)
        arguments = ["--wait"] if told is None else ["--order", str(told)]
        kept = [number for number in (end, told) if number is not None]
        try:
            self._process = _spawn(["--lifeline", str(end), *arguments], stdin=stdin, kept=kept)
        finally:
            for number in kept:
                os.close(number)
        if order is not None and telling is not None:
            # A long order waits until the child reads it.
            threading.Thread(target=_write, args=(os.fdopen(telling, "wb"), order), daemon=True).start()
        self._backlog = threading.Semaphore(_BACKLOG)
        self._is_gone = threading.Event()

    @classmethod
    def spare(cls) -> "Child":
        """Start a child that warms itself up and waits to be told what to run (`send`)."""
        return cls(stdin=subprocess.PIPE)

    @classmethod
    def running(cls, order: Order) -> "Child":
        """Start a child that obeys at once and reads this process's own standard input."""
        return cls(stdin=None, order=order)

    @property
    def pid(self) -> int:
        """The process id, which is also its process group."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended yet."""
        return self._process.poll() is None

    def send(self, order: Order) -> None:
        """Tell a spare what to run, and close its standard input unless somebody will type there."""
        pipe = self._process.stdin
        assert pipe is not None, "only a spare is told what to run"
        if not order.asks:
            _write(pipe, order)
            return
        with contextlib.suppress(BrokenPipeError):
            pipe.write(order.to_json())
            pipe.flush()

    def type(self, text: str | None) -> None:
        """Give the program a line to read, or with `None` the end of its input."""
        pipe = self._process.stdin
        if pipe is None or pipe.closed:
            return
        with contextlib.suppress(BrokenPipeError):
            if text is None:
                pipe.close()
            else:
                pipe.write(text.encode() + b"\n")
                pipe.flush()

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
        reader = threading.Thread(target=self._read, args=(said, printed), daemon=True)
        reader.start()
        threading.Thread(target=self._wait, args=(reader, exited), daemon=True).start()

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

    def _read(self, said: Callable[[str], None], printed: Callable[[str], None]) -> None:
        assert self._process.stdout is not None and self._process.stderr is not None
        protocol, prints = _Pipe(self._process.stdout), _Pipe(self._process.stderr)
        with selectors.DefaultSelector() as selector:
            for pipe in (protocol, prints):
                selector.register(pipe.number, selectors.EVENT_READ, pipe)
            while selector.get_map():
                if not selector.select(_DRAIN) and self._is_gone.is_set():
                    return
                # The protocol is read first and told last: what was printed before an event is told before it.
                events = protocol.lines()
                for line in prints.lines():
                    self._tell(line, printed)
                for line in events:
                    self._tell(line, said)
                for pipe in (protocol, prints):
                    if pipe.is_at_end and pipe.number in selector.get_map():
                        selector.unregister(pipe.number)

    def _tell(self, line: str, tell: Callable[[str], None]) -> None:
        self._backlog.acquire()
        tell(line)

    def _wait(self, reader: threading.Thread, exited: Callable[[int], None]) -> None:
        code = self._process.wait()
        # What a run started and left behind must not outlive it, nor hold its pipes open.
        self.kill()
        self._lifeline.close()
        self._is_gone.set()
        reader.join()
        exited(code)


class _Pipe:
    """The reading end of a pipe, cut into lines; owned by the one thread that reads it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.number = stream.fileno()
        self.is_at_end = False
        self._rest = b""
        os.set_blocking(self.number, False)

    def lines(self) -> list[str]:
        """Every line that is there by now; at the end of the pipe also one that was not finished."""
        for _ in range(_CHUNKS):
            try:
                data = os.read(self.number, _CHUNK)
            except BlockingIOError:
                break
            self._rest += data
            self.is_at_end = not data
            if self.is_at_end:
                break
        *lines, self._rest = self._rest.split(b"\n")
        if self.is_at_end and self._rest:
            lines.append(self._rest)
            self._rest = b""
        return [line.decode(errors="replace").rstrip("\r") for line in lines]


def _write(pipe: IO[bytes], order: Order) -> None:
    # A child that died while it waited: `listen` reports its exit, which says more than this error would.
    with contextlib.suppress(BrokenPipeError), pipe:
        pipe.write(order.to_json())


def _spawn(arguments: list[str], *, stdin: int | None, kept: Sequence[int]) -> "subprocess.Popen[bytes]":
    # -P: a file of the user's that is called `types.py` must not shadow the standard library.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "thena_runtime.child", *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        pass_fds=tuple(kept),
        start_new_session=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8"},
    )

"""From a save to the first line of the new code, and from a save to the end of the run in flight, in `thena dev`.

`python benchmarks/dev/compare.py [--saves N] [--peers VENV/bin]` keeps one session of each entry alive over a project
of its own, saves a file of each in turn, again and again, and prints a table. `--peers` is the folder of programs of an
environment that has `watchfiles`, `uvicorn` and `fastapi[standard]`; their programs import what an agent's would (httpx
and pydantic) and print a line. Every entry really runs the new code: the line that is waited for holds the number of
the save. Machines are noisy, so the saves take turns within one run: read the rows against each other.
"""

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue

EXAMPLES = Path(__file__).parents[2] / "examples"
SAVES = 20
CANCELS = 5
PAUSE = 1.5
LONGEST_WAIT = 60.0
RESTING = "● watching"

SCRIPT = """\
import httpx
from pydantic import BaseModel


class Warm(BaseModel):
    number: int = 0


print("code", {number}, flush=True)
"""
APP = (
    SCRIPT
    + """
from fastapi import FastAPI

app = FastAPI()
"""
)

AGENT = """\
from thena_runtime import Agent, Prompt, ScriptedProvider, Thena, Workflow

print("code", {number})


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("p"))
class A: ...


@Workflow(steps=[A])
class Flow: ...


app = Thena(Flow)
"""

STUCK = """\
import asyncio
import signal
import subprocess
import sys

from thena_runtime import Agent, Context, Prompt, ScriptedProvider, Thena, Tool, Workflow, tool_call


@Tool(name="wait", description="Wait.")
class Wait:
    async def execute(self, ctx: Context) -> str:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
        print("code", {number})
        {wait}
        return "waited"


@Agent(provider=ScriptedProvider([tool_call("wait")]), prompt=Prompt("p"), tools=[Wait])
class A: ...


@Workflow(steps=[A])
class Flow: ...


app = Thena(Flow)
"""
KIND = "await asyncio.sleep(300)"
DEAF = "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT]); __import__('time').sleep(300)"


class Session:
    """A program that watches files, whose lines are timed as they arrive."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        self._lines: SimpleQueue[tuple[float, str]] = SimpleQueue()
        self._seen: list[str] = []
        threading.Thread(target=self._read, daemon=True).start()

    def wait_for(self, text: str) -> float:
        """Wait for a line that holds the text; return the clock's reading when it came."""
        while True:
            try:
                when, line = self._lines.get(timeout=LONGEST_WAIT)
            except Empty:
                raise SystemExit(
                    f"waited in vain for {text!r}; the last lines:\n" + "".join(self._seen[-20:])
                ) from None
            self._seen.append(line)
            if text in line:
                return when

    def end(self) -> None:
        """Press Ctrl-C."""
        self._process.send_signal(2)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put((time.perf_counter(), line))


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One row: what is started where, what is saved, and the line that shows that the new code runs.

    `rests` is the line after which it waits for the next save. With `follows` each save is made as soon as the run of
    another one is over, so that no spare process is warm yet.
    """

    title: str
    command: Sequence[str]
    folder: Path
    save: Callable[[int], None]
    shows: Callable[[int], str]
    rests: str | None = None
    follows: bool = False


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--saves", type=int, default=SAVES)
    parser.add_argument("--peers", type=Path, help="the folder of programs of an environment that has the peers")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _print_saves([*_ours(folder), *(_peers(folder, given.peers) if given.peers else ())], given.saves)
        print()
        _print_cancels(folder)


def _print_saves(entries: Sequence[Entry], count: int) -> None:
    sessions: list[Session] = []
    colds: list[float] = []
    for entry in entries:
        entry.save(0)
        session = Session(entry.command, entry.folder)
        colds.append(session.wait_for(entry.shows(0)) - session.began)
        if entry.rests:
            session.wait_for(entry.rests)
        sessions.append(session)
    taken: list[list[float]] = [[] for _ in entries]
    time.sleep(PAUSE)
    for number in range(1, count + 1):
        for entry, session, row in zip(entries, sessions, taken, strict=True):
            time.sleep(PAUSE)
            if entry.follows:
                _saved(entry, session, 1000 + number)
            row.append(_saved(entry, session, number))
    for session in sessions:
        session.end()
    print(f"{'from a save to the first line of the new code':48}{'p50':>9}{'p95':>9}{'cold start':>12}")
    for entry, row, cold in zip(entries, taken, colds, strict=True):
        p95 = statistics.quantiles(row, n=20, method="inclusive")[-1]
        print(f"{entry.title:48}{_ms(statistics.median(row))}{_ms(p95)}{_ms(cold):>12}")


def _saved(entry: Entry, session: Session, number: int) -> float:
    began = time.perf_counter()
    entry.save(number)
    taken = session.wait_for(entry.shows(number)) - began
    if entry.rests:
        session.wait_for(entry.rests)
    return taken


def _ours(folder: Path) -> list[Entry]:
    def project(name: str) -> Path:
        made = folder / name
        made.mkdir()
        return made

    def review(name: str) -> tuple[Path, Path]:
        made = project(name)
        shutil.copytree(EXAMPLES / "review", made / "review", ignore=shutil.ignore_patterns("__pycache__"))
        return made, made / "review"

    small, (code, code_files), (prompt, prompt_files) = project("small"), review("code"), review("prompt")
    rapid = project("rapid")
    state, agent = code_files / "state.py", prompt_files / "reviewer.agent.md"
    state_text, agent_text = state.read_text("utf-8"), agent.read_text("utf-8")

    def entry(
        title: str,
        target: str,
        made: Path,
        file: Path,
        text: Callable[[int], str],
        *,
        shows: str = "code {number}",
        follows: bool = False,
    ) -> Entry:
        return Entry(
            title=f"thena dev, {title}",
            command=[sys.executable, "-m", "thena_cli", "dev", target],
            folder=made,
            save=lambda number: _write(file, text(number)),
            rests=RESTING,
            shows=lambda number: shows.format(number=number),
            follows=follows,
        )

    def flow(number: int) -> str:
        return AGENT.format(number=number)

    return [
        entry("one file", "flow.py", small, small / "flow.py", flow),
        entry("the review example, code", "review", code, state, lambda n: f"{state_text}\nprint('code', {n})\n"),
        # The number is in what the model is sent alone.
        entry(
            "the review example, a prompt",
            "review",
            prompt,
            agent,
            lambda number: f"{agent_text}{number}\n",
            shows="▸ workflow",
        ),
        entry("one file, the spare not yet warm", "flow.py", rapid, rapid / "flow.py", flow, follows=True),
    ]


def _peers(folder: Path, programs: Path) -> list[Entry]:
    def entry(title: str, file: str, text: str, command: Callable[[Path], Sequence[str]]) -> Entry:
        made = folder / title.replace(" ", "-")
        made.mkdir()
        return Entry(
            title=title,
            command=command(made),
            folder=made,
            save=lambda number: _write(made / file, text.format(number=number)),
            shows=lambda number: f"code {number}",
        )

    python, port = programs / "python", str(_free_port())
    return [
        entry(
            "watchfiles",
            "script.py",
            SCRIPT,
            lambda made: [str(programs / "watchfiles"), f"{python} {made}/script.py", str(made)],
        ),
        entry(
            "uvicorn --reload",
            "app.py",
            APP,
            lambda _: [str(programs / "uvicorn"), "app:app", "--reload", "--port", "0"],
        ),
        entry("fastapi dev", "app.py", APP, lambda _: [str(programs / "fastapi"), "dev", "app.py", "--port", port]),
    ]


def _print_cancels(folder: Path) -> None:
    print(f"{'from a save to the end of the run in flight':48}{'median':>9}{'worst':>9}")
    for title, wait in (("one that ends when it is told", KIND), ("one that doesn't, with a process of its own", DEAF)):
        made = folder / title.replace(" ", "-")
        made.mkdir()
        _write(made / "flow.py", STUCK.format(number=0, wait=wait))
        session = Session([sys.executable, "-m", "thena_cli", "dev", "flow.py"], made)
        session.wait_for("code 0")
        taken = []
        for number in range(1, CANCELS + 1):
            time.sleep(PAUSE)
            began = time.perf_counter()
            _write(made / "flow.py", STUCK.format(number=number, wait=wait))
            taken.append(session.wait_for("■ cancelled") - began)
            session.wait_for(f"code {number}")
        session.end()
        print(f"{title:48}{_ms(statistics.median(taken))}{_ms(max(taken))}")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:6.0f} ms"


if __name__ == "__main__":
    main()

"""Random sequences of edits under a real `thena dev`: whatever happens, it ends where a fresh start would begin.

`THENA_DEV_SEQUENCES=200` plays that many, `THENA_DEV_SEED=7` others than usual. A sequence that fails is told by its
number and its steps.
"""

import json
import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.flow_project import FILES, write_project
from tests.cli.thena_process import LONGEST_WAIT, DevSession, command, descendants, environment, wait_until_gone

SEQUENCES = int(os.environ.get("THENA_DEV_SEQUENCES", "3"))
SEED = int(os.environ.get("THENA_DEV_SEED", "1"))
A_SESSION = 20
"""After so many sequences a session is left, and a new one is begun."""

TARGET = "flow/workflow.py"
STORM = 500

Row = dict[str, Any]


class Project:
    """The files of the project, and every way in which a person and their tools change them."""

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder = folder
        self.flow = write_project(folder)
        self.chance = chance
        self._number = 0
        self.steps: list[str] = []

    def step(self) -> None:
        """Change something, and then wait for nothing, a moment, or long enough for a run to be in flight."""
        name = self.chance.choice(sorted(_STEPS))
        pause = self.chance.choice([0.0, 0.0, 0.005, 0.05, 0.3, 0.8])
        self.steps.append(f"{name}, {pause}")
        _STEPS[name](self)
        time.sleep(pause)

    def settle(self, number: int) -> str:
        """Make sure that there is a target, save one more file, and return its name."""
        if not (self.folder / TARGET).exists():
            self._write("workflow.py", FILES["flow/workflow.py"])
        name = f"flow/sync_{number}.py"
        (self.folder / name).write_text("", encoding="utf-8")
        return name

    def save(self) -> None:
        """Another answer: what a person does all day."""
        self._edit("models.py", "answer one", self._next())

    def format(self) -> None:
        """Comments and blank lines."""
        self._edit("agents.py", "\n\n@Agent", f"\n# {self._next()}\n\n@Agent")

    def touch(self) -> None:
        """The time alone."""
        for path in self.flow.glob("*.py"):
            path.touch()

    def break_syntax(self) -> None:
        """Half a statement."""
        self._write("tools.py", FILES["flow/tools.py"] + "def broken(\n")

    def break_wiring(self) -> None:
        """A fault that the linter finds."""
        self._edit("workflow.py", "    state=FlowState,\n", "")

    def break_run(self) -> None:
        """A failure that only the run shows."""
        self._edit("tools.py", "        s.notes", "        raise OSError\n        s.notes")
        self._edit("models.py", "def answer", "import nowhere\n\n\ndef answer")

    def mend(self) -> None:
        """Everything as it was."""
        for name in FILES:
            self._write(name.removeprefix("flow/"), FILES[name])

    def delete(self) -> None:
        """A file is gone."""
        (self.flow / self.chance.choice(["tools.py", "state.py", "writer.agent.md", "models.py"])).unlink(
            missing_ok=True
        )

    def rename(self) -> None:
        """A module has another name, and some of those that import it don't know."""
        new = f"tools_{self._next().replace(' ', '_')}"
        if (self.flow / "tools.py").exists():
            (self.flow / "tools.py").rename(self.flow / f"{new}.py")
            if self.chance.random() < 0.7:
                self._edit("agents.py", "flow.tools", f"flow.{new}")

    def prompt(self) -> None:
        """Another prompt, saved the way many editors do."""
        beside = self.flow / ".writer.tmp"
        beside.write_text(f"Write {self._next()}.\n", encoding="utf-8")
        beside.rename(self.flow / "writer.agent.md")

    def slow(self) -> None:
        """A run that is still in flight when the next save comes."""
        self._edit("models.py", "delay=0.0", "delay=1.0")

    def switch(self) -> None:
        """Another branch: everything goes and comes back otherwise, within moments."""
        for path in self.flow.glob("*.py"):
            path.unlink()
        for name, text in FILES.items():
            other = text.replace("answer one", self._next()).replace("a note", "two notes")
            self._write(name.removeprefix("flow/"), other)

    def move_away(self) -> None:
        """The whole folder is gone for a moment."""
        away = self.folder / "away"
        self.flow.rename(away)
        time.sleep(self.chance.choice([0.0, 0.2]))
        away.rename(self.flow)

    def storm(self) -> None:
        """Hundreds of files are generated, one of them imported."""
        made = self.flow / "made"
        made.mkdir(exist_ok=True)
        for number in range(STORM):
            (made / f"part_{number}.py").write_text(f"NUMBER = {number}\nSAID = {self._number}\n", encoding="utf-8")
        (made / "__init__.py").write_text("", encoding="utf-8")
        self._edit("models.py", "def answer", "import flow.made.part_7\n\n\ndef answer")

    def clean(self) -> None:
        """What was generated goes."""
        shutil.rmtree(self.flow / "made", ignore_errors=True)

    def _next(self) -> str:
        self._number += 1
        return f"answer {self._number}"

    def _edit(self, name: str, old: str, new: str) -> None:
        path = self.flow / name
        text = path.read_text(encoding="utf-8") if path.exists() else FILES[f"flow/{name}"]
        if old not in text:
            text = FILES[f"flow/{name}"]
        path.write_text(text.replace(old, new), encoding="utf-8")

    def _write(self, name: str, text: str) -> None:
        (self.flow / name).write_text(text, encoding="utf-8")


_STEPS: dict[str, Callable[[Project], None]] = {
    name: getattr(Project, name)
    for name in (
        "save", "format", "touch", "break_syntax", "break_wiring", "break_run", "mend", "delete", "rename", "prompt",
        "slow", "switch", "move_away", "storm", "clean",
    )
}  # fmt: skip


class Shown:
    """What a session shows in the end: its last verdict, and how the last run ended unless faults came after it."""

    def __init__(self) -> None:
        self.verdict: Row | None = None
        self.run: Row | None = None
        self._is_refused = False

    def take(self, row: Row) -> None:
        """Take in what happened."""
        match row["type"]:
            case "lint":
                self.verdict = {name: row[name] for name in ("files", "faults", "elsewhere", "is_clean", "diagnostics")}
            case "started":
                self._is_refused = False
            # A run that was in flight when faults came may end after them.
            case "ended" if not self._is_refused:
                self.run = {name: row.get(name) for name in ("outcome", "output", "error", "faults", "kind")}
            case "refused":
                self.run, self._is_refused = None, True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shown) and (self.verdict, self.run) == (other.verdict, other.run)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return json.dumps([self.verdict, self.run], indent=1)


def fresh(folder: Path, caches: Path) -> Shown:
    """What a start shows that knows nothing of what was before, compiled modules included."""
    shutil.rmtree(caches, ignore_errors=True)
    done = subprocess.run(
        command("dev", TARGET, "--once", "--json"),
        cwd=folder,
        env={**environment(), "PYTHONPYCACHEPREFIX": str(caches)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=LONGEST_WAIT,
        check=False,
    )
    assert "" == done.stderr
    shown = Shown()
    for line in done.stdout.splitlines():
        shown.take(json.loads(line))
    return shown


def play(session: DevSession, project: Project, shown: Shown, number: int) -> Shown:
    """Play one sequence to its end, and return what is shown once nothing happens any more."""
    project.steps.clear()
    for _ in range(project.chance.randint(2, 7)):
        project.step()
    name = project.settle(number)
    for row in rows_until(session, lambda row: row["type"] == "saved" and name in row["paths"]):
        shown.take(row)
    for row in rows_until(session, lambda row: row["type"] == "resting"):
        shown.take(row)
    return shown


def rows_until(session: DevSession, is_last: Callable[[Row], bool]) -> Iterator[Row]:
    """What happens, up to and with the row that is waited for."""
    while True:
        for line in session.until("{"):
            row = json.loads(line)
            yield row
            if is_last(row):
                return


@pytest.mark.parametrize("first", range(0, SEQUENCES, A_SESSION))
def test_every_sequence_of_edits_ends_where_a_fresh_start_would(tmp_path: Path, first: int) -> None:
    """The verdict, the outcome and the output are the same, and no process is left when the session is."""
    folder = tmp_path / "project"
    folder.mkdir()
    project = Project(folder, random.Random(f"{SEED}-{first}"))
    with DevSession(TARGET, "--json", cwd=folder) as session:
        shown = Shown()
        for row in rows_until(session, lambda row: row["type"] == "resting"):
            shown.take(row)
        started: set[int] = set()
        for number in range(first, min(first + A_SESSION, SEQUENCES)):
            shown = play(session, project, shown, number)
            started |= descendants(session.pid)
            assert (number, project.steps, fresh(folder, tmp_path / "caches")) == (number, project.steps, shown)
        assert 130 == session.interrupt()
        assert set() == wait_until_gone(started)

"""How long the language server takes, beside the servers of others: the same client, the same files, in turns.

    python benchmarks/lsp/compare.py [--rounds 3] [--edits 40] [--peers FOLDER] [--only NAME,...]

`--peers` is an environment of its own with other servers:

    python -m venv FOLDER && FOLDER/bin/pip install ruff ty basedpyright python-lsp-server

Each server is started afresh in a project of a thousand files, opens an agents file, and is sent one edit after the
other, each of which changes what there is to tell; a time is counted until the diagnostics that name the edit are
there. Thena's own server is also asked what no other can tell: what an edit in a tool changes for the agent that uses
it. Machines are noisy, so read the times against each other, not against those of elsewhere.
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "lint"))

from project import write_project
from server import Server
from sources import LARGE, MEDIUM, Source, Written, write_agents

FILES, SHARE = 1_000, 0.04
MANY = 10_000
PAUSE = 0.03
"""Seconds between edits, in which a server may do what it puts off."""

PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Entry:
    """A server: how it is started, and what it is told when it begins and when it asks for its settings."""

    command: list[str]
    options: object = None
    settings: object = None


@dataclass(slots=True)
class Times:
    """What was measured of one server, in seconds and megabytes, over all rounds."""

    initialize: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    edits: dict[str, list[float]] = field(default_factory=dict)
    cpu: dict[str, list[float]] = field(default_factory=dict)
    hovers: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    failed: int = 0


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="how often each server is started (3)")
    parser.add_argument("--edits", type=int, default=40, help="how many edits of each kind a round has (40)")
    parser.add_argument("--peers", type=Path, help="an environment with ruff, ty, basedpyright, pylsp, or some of them")
    parser.add_argument("--only", help="names of servers, separated by commas")
    parser.add_argument("--many", action="store_true", help="measure the memory at ten thousand files, too")
    options = parser.parse_args()
    entries = dict(_entries(options.peers))
    wanted = options.only.split(",") if options.only else list(entries)
    times = {name: Times() for name in wanted}
    with tempfile.TemporaryDirectory() as name:
        written = write_agents(write_project(Path(name, "project"), FILES, SHARE).root)
        for each in wanted:
            # Once untimed: Python compiles what it hasn't seen yet.
            with Server(entries[each].command, written.root, entries[each].options, entries[each].settings) as server:
                server.initialize()
        for number in range(options.rounds):
            for each in random.Random(number).sample(wanted, len(wanted)):
                _measure(entries[each], written, times[each], options.edits, is_ours=each == OURS)
                print(f"round {number + 1}: {each}", file=sys.stderr)
        _print(times)
        if options.many and OURS in wanted:
            _measure_memory(entries[OURS], Path(name, "many"))


OURS = "thena-lsp"


def _entries(peers: Path | None) -> Iterator[tuple[str, Entry]]:
    yield OURS, Entry([sys.executable, "-P", "-m", "thena_lsp", "--stdio"])
    if peers is None:
        return
    here = peers / "bin"
    python = {"pythonPath": str(here / "python")}
    pylsp = {"pyflakes": {"enabled": True}, "pycodestyle": {"enabled": False}, "mccabe": {"enabled": False}}
    known = {
        "ruff": (["ruff", "server"], {"settings": {"lint": {"select": ["F"]}}}, None),
        "ty": (["ty", "server"], None, None),
        "basedpyright": (["basedpyright-langserver", "--stdio"], None, {"python": python, "basedpyright": _OPEN_FILES}),
        "pylsp": (["pylsp"], None, {"pylsp": {"plugins": pylsp}}),
    }
    for name, ((program, *arguments), begun, settings) in known.items():
        if (here / program).exists():
            yield name, Entry([str(here / program), *arguments], begun, settings)


_OPEN_FILES = {"analysis": {"diagnosticMode": "openFilesOnly"}}


def _measure(entry: Entry, written: Written, times: Times, edits: int, *, is_ours: bool) -> None:
    for size in (MEDIUM, LARGE):
        with Server(entry.command, written.root, entry.options, entry.settings) as server:
            times.initialize.append(server.initialize())
            source = written.agents[size]
            began = time.perf_counter()
            server.open(source.path, source.after(0))
            if server.wait_named(source.path, str(source.name(0)), PATIENCE) is None:
                times.failed += 1
                return
            if size == MEDIUM:
                times.first.append(time.perf_counter() - began + times.initialize[-1])
            _typed(server, source, source.path, times, f"edit, {size:,} lines", edits)
            if size == MEDIUM:
                times.hovers += [server.hover(source.path, *place) for place in source.places[:edits]]
                times.memory.append(server.memory())
                if is_ours:
                    _typed_elsewhere(server, written, times, edits)
            for row, way in written.ways.items() if is_ours else ():
                if way.path == source.path:
                    server.change_whole(way.path, way.after(0))
                    _typed(server, way, way.path, times, row, edits)


def _typed(server: Server, source: Source, told: Path, times: Times, row: str, edits: int) -> None:
    """Change the line again and again, and wait for what names it."""
    before = server.cpu()
    for number in range(1, edits + 1):
        time.sleep(PAUSE)
        taken = server.change_and_wait(source.path, source.change(number), told, source.name(number), PATIENCE)
        if taken is None:
            times.failed += 1
        else:
            times.edits.setdefault(row, []).append(taken)
    times.cpu.setdefault(row, []).append((server.cpu() - before) / edits)


def _typed_elsewhere(server: Server, written: Written, times: Times, edits: int) -> None:
    """Change a tool, and wait for the agent that is open beside it."""
    server.open(written.user, written.user.read_text(encoding="utf-8"))
    server.open(written.tool.path, written.tool.after(0))
    server.wait_named(written.user, str(written.tool.name(0)), PATIENCE)
    _typed(server, written.tool, written.user, times, "tool -> agent", edits)


def _measure_memory(entry: Entry, folder: Path) -> None:
    written = write_agents(write_project(folder, MANY, SHARE).root)
    with Server(entry.command, written.root, entry.options, entry.settings) as server:
        server.initialize()
        source = written.agents[MEDIUM]
        server.open(source.path, source.after(0))
        server.wait_named(source.path, str(source.name(0)), PATIENCE)
        server.settle()
        print(f"\n{MANY:,} files: {server.memory():.0f} MB")


def _print(times: dict[str, Times]) -> None:
    rows = list(dict.fromkeys(row for one in times.values() for row in one.edits))
    print(f"{'':36}" + "".join(f"{name:>22}" for name in times))
    for title, of in (
        ("start to `initialize`, s", lambda one: f"{_median(one.initialize):.2f}"),
        ("start to diagnostics, s", lambda one: f"{_median(one.first):.2f}"),
        *((f"{row}, ms", lambda one, row=row: _p50_p95(one.edits.get(row, []))) for row in rows),
        *((f"{row}, CPU ms", lambda one, row=row: f"{_median(one.cpu.get(row, [])) * 1000:.1f}") for row in rows),
        ("hover, ms", lambda one: _p50_p95(one.hovers)),
        ("memory, MB", lambda one: f"{_median(one.memory):.0f}"),
        ("edits not answered", lambda one: str(one.failed)),
    ):
        print(f"{title:36}" + "".join(f"{of(one):>22}" for one in times.values()))


def _median(values: list[float]) -> float:
    return statistics.median(values) if values else float("nan")


def _p50_p95(values: list[float]) -> str:
    if len(values) < 2:
        return "-"
    return f"{statistics.median(values) * 1000:.1f} / {statistics.quantiles(values, n=20)[-1] * 1000:.1f}"


if __name__ == "__main__":
    main()

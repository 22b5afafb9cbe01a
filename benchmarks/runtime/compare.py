"""What Thena's runtime adds to the work itself, beside the same work written by hand, and beside other frameworks.

No network and no key: each entry has a fake model in its own process. Every measurement has a process of its own, and
the entries take turns, so that a noisy machine disturbs all of them alike: compare CPU times within one run, by their
medians. `--entry NAME:PYTHON:FILE[:IMPORT]` adds a framework from another environment; `measure.py` says what the file
must have, and `IMPORT` is the statement whose CPU time is taken.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
SCENARIOS = ("one", "ten", "hundred", "thousand", "live", "stream")
BARE = "import asyncio, json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is measured, and by which Python."""

    name: str
    python: str
    file: Path
    statement: str = ""


OWN = (
    Entry(name="by hand", python=sys.executable, file=HERE / "floor.py"),
    Entry(name="by hand, typed", python=sys.executable, file=HERE / "typed_floor.py", statement="import pydantic.main"),
    Entry(name="Thena", python=sys.executable, file=HERE / "thena_entry.py", statement="import thena_runtime"),
    Entry(
        name="Thena, `observe=False`",
        python=sys.executable,
        file=HERE / "thena_unwatched.py",
        statement="from thena_runtime import Agent, Prompt, Thena, Tool, Workflow, loop",
    ),
)

Figures = dict[tuple[str, str], dict[str, float]]


def measured(entry: Entry, scenario: str, timeout: float) -> dict[str, float] | None:
    """Measure in a fresh process; `None`, and a line on stderr, where it didn't work."""
    command = [entry.python, str(HERE / "measure.py"), str(entry.file), scenario]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        print(f"{entry.name}, {scenario}: more than {timeout:.0f} s", file=sys.stderr)
        return None
    if done.returncode != 0:
        last = (done.stderr.strip() or "no output").splitlines()[-1]
        print(f"{entry.name}, {scenario}: {last}", file=sys.stderr)
        return None
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


def import_cpu(python: str, statement: str) -> float:
    """The CPU time of a process that does nothing else, in milliseconds."""
    process = subprocess.Popen([python, "-c", statement], cwd=HERE.parents[1])
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"`{python} -c {statement!r}` exited with {process.returncode}; see its error above.")
    return (used.ru_utime + used.ru_stime) * 1000


def take(entries: list[Entry], scenarios: list[str], rounds: int, timeout: float) -> Figures:
    """Let the entries take turns, and return the median of each figure."""
    found: dict[tuple[str, str], list[dict[str, float]]] = defaultdict(list)
    for number in range(rounds):
        for scenario in scenarios:
            for entry in entries:
                if number > 0 and (entry.name, scenario) not in found:
                    continue  # it didn't work in the first round
                figures = measured(entry, scenario, timeout)
                if figures is not None:
                    found[entry.name, scenario].append(figures)
        for entry in entries:
            if entry.statement:
                bare = import_cpu(entry.python, BARE)
                found[entry.name, "import"].append(
                    {"ms": import_cpu(entry.python, f"{BARE}; {entry.statement}") - bare}
                )
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
    return {
        key: {name: statistics.median(each[name] for each in many) for name in many[0] if name != "version"}
        for key, many in found.items()
    }


def table(entries: list[Entry], figures: Figures) -> str:
    """Write the tables: a line for each entry, ratios in brackets to what is written by hand with types."""
    head = [
        "", "one turn, µs", "ten tool turns, ms", "growth of a turn, 10 to 100 to 1,000", "KB a live run",
        "1,000 runs of 200 ms: CPU s", "a streamed token, µs",
    ]  # fmt: skip
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    floor = "by hand, typed"

    def cell(name: str, scenario: str, figure: str, digits: int, *, scale: float = 1.0, is_ratio: bool = False) -> str:
        value = figures.get((name, scenario), {}).get(figure)
        if value is None:
            return "-"
        text = f"{value * scale:,.{digits}f}"
        base = figures.get((floor, scenario), {}).get(figure)
        return f"{text} ({value / base:.0f}x)" if is_ratio and base and name not in ("by hand", floor) else text

    for entry in entries:
        name = entry.name
        ten, hundred, thousand = (
            figures.get((name, each), {}).get("cpu_us") for each in ("ten", "hundred", "thousand")
        )
        growth = [
            f"{longer / (turns + 1) / (ten / 11):.2f}" if ten and longer else "-"
            for longer, turns in ((hundred, 100), (thousand, 1000))
        ]
        cells = [
            name,
            cell(name, "one", "cpu_us", 1, is_ratio=True),
            cell(name, "ten", "cpu_us", 3, scale=1e-3, is_ratio=True),
            " ".join(growth),
            cell(name, "live", "kb_per_run", 1),
            cell(name, "live", "cpu_s", 3),
            cell(name, "stream", "cpu_us", 2),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", f"| CPU over `{BARE}` | ms |", "|---|---|"]
    for entry in entries:
        if entry.statement:
            lines.append(f"| `{entry.statement}` | {cell(entry.name, 'import', 'ms', 0)} |")
    return "\n".join(lines)


def added(text: str) -> Entry:
    """Read `--entry`."""
    name, python, file, *statement = text.split(":", 3)
    return Entry(name=name, python=python, file=Path(file), statement="".join(statement))


def main() -> None:
    """Read the options, measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured (5)")
    parser.add_argument("--only", default=",".join(SCENARIOS), help=f"of {','.join(SCENARIOS)}")
    parser.add_argument("--entry", action="append", type=added, default=[], metavar="NAME:PYTHON:FILE[:IMPORT]")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds for one measurement (60)")
    options = parser.parse_args()
    entries = [*OWN, *options.entry]
    print(table(entries, take(entries, options.only.split(","), options.rounds, options.timeout)))


if __name__ == "__main__":
    main()

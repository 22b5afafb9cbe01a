"""CPU time of `thena-lint` on generated projects: cold, warm, and with one file changed, beside ruff and other linters.

    python benchmarks/lint/compare.py [--rounds 7] [--sizes 1000:0.04,10000:0.04,1000:1] [--peers FOLDER]

`--peers` is an environment of its own with the linters for other frameworks:

    python -m venv FOLDER && FOLDER/bin/pip install fixit fastapi-lsp temporalint

The commands take turns within one run, each in a fresh process, so read the ratios, not the times. Before anything is
timed, every run of `thena-lint` must have found exactly the faults that were planted.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from project import Written, write_project

BASE = "ruff check --select F --no-cache"
BARE = "bare Python"
OLD_ENOUGH = 2.5
"""Seconds after which a file's times can be trusted, so that a cache needn't read it again."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A command to be timed, what is done before it each time, and which exit codes are no failure."""

    command: list[str]
    before: Callable[[], None] = lambda: None
    accepted: tuple[int, ...] = (0, 1)


def main() -> None:
    """Measure each project, and print a table for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="how often each command is run (7)")
    parser.add_argument("--sizes", default="1000:0.04,10000:0.04,1000:1", help="FILES:SHARE, separated by commas")
    parser.add_argument(
        "--peers", type=Path, help="an environment with fixit, fastapi-lsp and temporalint, or some of them"
    )
    options = parser.parse_args()
    for size in options.sizes.split(","):
        files, share = size.split(":")
        with tempfile.TemporaryDirectory() as name:
            written = write_project(Path(name, "project"), int(files), float(share))
            _measure(written, Path(name, "caches"), options.rounds, options.peers)


def _measure(written: Written, caches: Path, rounds: int, peers: Path | None) -> None:
    entries = dict(_entries(written, caches))
    if peers is not None:
        entries.update(_peers(written, peers))
    time.sleep(OLD_ENOUGH)
    for entry in entries.values():
        entry.before()
        _cpu(entry)
    _require_the_planted_faults(written, caches)
    times: dict[str, list[float]] = {name: [] for name in entries}
    for _ in range(rounds):
        for name, entry in entries.items():
            entry.before()
            times[name].append(_cpu(entry))
    print(
        f"\n{written.files:,} files, {written.lines:,} lines, {written.speaking:,} files use Thena; "
        f"CPU time, median of {rounds}"
    )
    print(f"{'':38} {'ms':>9} {'x ruff':>8}")
    base = statistics.median(times[BASE])
    for name, of_name in times.items():
        median = statistics.median(of_name)
        print(f"{name:38} {median * 1000:9.1f} {median / base:8.2f}")


def _entries(written: Written, caches: Path) -> Iterator[tuple[str, Entry]]:
    root = str(written.root)
    ruff = [shutil.which("ruff", path=str(Path(sys.executable).parent)) or "ruff"]
    check = [*ruff, "check", "--isolated", "--select", "F", "--quiet", "--exit-zero"]
    lint = [sys.executable, "-m", "thena_lint", root]
    edited = written.root.with_name("edited")
    shutil.copytree(written.root, edited)
    yield BARE, Entry([sys.executable, "-c", "pass"])
    yield "python -c 'import libcst'", Entry([sys.executable, "-c", "import libcst"])
    yield BASE, Entry([*check, "--no-cache", root])
    yield "ruff, warm", Entry([*check, "--cache-dir", str(caches / "ruff"), root])
    yield "thena-lint --no-cache", Entry([*lint, "--no-cache"])
    yield "thena-lint, warm", Entry([*lint, "--cache-dir", str(caches / "warm")])
    changed = [sys.executable, "-m", "thena_lint", str(edited), "--cache-dir", str(caches / "changed")]
    yield (
        "thena-lint, one file changed",
        Entry(changed, _edits(edited / written.workflows[0].relative_to(written.root))),
    )


def _edits(path: Path) -> Callable[[], None]:
    """Change a file at each call; the text is never the same twice."""
    text = path.read_text(encoding="utf-8")
    counter = iter(range(1_000_000))

    def edit() -> None:
        path.write_text(f"{text}\n\nEDITED = {next(counter)}\n", encoding="utf-8")

    return edit


def _peers(written: Written, environment: Path) -> Iterator[tuple[str, Entry]]:
    root = str(written.root)
    commands = {
        "fastapi-lsp": ["check", root],
        "temporalint": [root],
        "fixit": ["--quiet", "--rules", "fixit.rules.no_assert_true_for_comparison", "lint", root],
    }
    for name, arguments in commands.items():
        program = environment / "bin" / name
        if program.exists():
            yield name, Entry([str(program), *arguments], accepted=(0, 1, 2, 4))


def _cpu(entry: Entry) -> float:
    """Run a command and get the CPU time that it and its children took, user and system."""
    process = subprocess.Popen(entry.command, env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in entry.accepted:
        raise SystemExit(f"`{' '.join(entry.command)}` exited with {process.returncode}.")
    return used.ru_utime + used.ru_stime


def _environment() -> dict[str, str]:
    """This one, in which Python keeps its bytecode, as it does where a tool is installed."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _require_the_planted_faults(written: Written, caches: Path) -> None:
    for more in (["--no-cache"], ["--cache-dir", str(caches / "json")], ["--cache-dir", str(caches / "json")]):
        command = [sys.executable, "-m", "thena_lint", str(written.root), "--output-format", "json", *more]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = Counter(row["code"] for row in json.loads(done.stdout))
        if found != Counter(written.codes):
            raise SystemExit(f"`{' '.join(command)}` found {dict(found)}, and {written.codes} were planted.")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()

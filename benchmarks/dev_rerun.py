"""How long a save takes to become a run in `thena dev`: from the write to the first event of the new run.

`python benchmarks/dev_rerun.py [SAVES]` copies the review example, saves one of its files again and again while a real
session watches it, and prints a table: with a pause between the saves, as a person makes them, and without, so that the
spare process is still warming up. Machines are noisy, so each median is also set against the cold start of the same
session.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "examples"
SAVES = 20
PAUSE = 1.5
FIRST_EVENT = "▸ workflow"
RESTING = "● watching"


class Session:
    """A `thena dev` whose lines are timed as they arrive."""

    def __init__(self, folder: Path) -> None:
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "thena_cli", "dev", "examples/review"],
            cwd=folder,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def wait_for(self, start: str) -> float:
        """Wait for a line that begins so; return the clock's reading when it came."""
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(start):
                return time.perf_counter()
        raise SystemExit(f"thena dev ended before {start!r}")

    def end(self) -> None:
        """Press Ctrl-C."""
        self._process.send_signal(2)
        self._process.wait()


def main() -> None:
    """Measure and print the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else SAVES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copytree(EXAMPLES, folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
        review = folder / "examples" / "review"
        session = Session(folder)
        cold = session.wait_for(FIRST_EVENT) - session.began
        session.wait_for(RESTING)
        rows = [
            ("state.py saved", _series(session, review / "state.py", "# {}\n", count, PAUSE)),
            ("reviewer.agent.md saved", _series(session, review / "reviewer.agent.md", "Run {}.\n", count, PAUSE)),
            ("state.py saved, no pause", _series(session, review / "state.py", "# {}\n", count, 0.0)),
        ]
        session.end()
    print(f"{'save to first event':28}{'median':>9}{'p95':>9}{'cold : median':>16}   ({count} saves each)")
    for title, seconds in rows:
        median, p95 = statistics.median(seconds), statistics.quantiles(seconds, n=20, method="inclusive")[-1]
        print(f"{title:28}{median * 1000:6.0f} ms{p95 * 1000:6.0f} ms{cold / median:14.1f} x")
    print(f"{'cold start to first event':28}{cold * 1000:6.0f} ms")


def _series(session: Session, path: Path, line: str, count: int, pause: float) -> list[float]:
    text = path.read_text(encoding="utf-8")
    taken: list[float] = []
    for number in range(count):
        time.sleep(pause)
        began = time.perf_counter()
        path.write_text(text + line.format(number), encoding="utf-8")
        taken.append(session.wait_for(FIRST_EVENT) - began)
        session.wait_for(RESTING)
    return taken


if __name__ == "__main__":
    main()

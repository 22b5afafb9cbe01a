"""What a report adds to a run: CPU time until the answer is there and until the report is, and the size of its files.

Runs with and without one take turns in one process, each with an app of its own, whose closing is timed with it:
compare CPU times within one run, by their medians.
"""

import argparse
import asyncio
import gc
import statistics
import tempfile
import time
from pathlib import Path

from thena_entry import ManyTurns

from thena_runtime import ReportOptions, Thena, ThenaConfig


async def measured(turns: int, folder: Path | None) -> tuple[float, float, Path | None]:
    """The CPU time of a run until its answer, and until its app is closed, in ms; and the page of its report."""
    app = Thena(ManyTurns, ThenaConfig(report=False if folder is None else ReportOptions(folder=folder)))
    gc.collect()
    started = time.process_time()
    handle = app.run(f"{turns} 0.0")
    await handle
    answered = time.process_time()
    await app.close()
    return (answered - started) * 1000, (time.process_time() - started) * 1000, handle.report


async def table(turns: list[int], rounds: int) -> str:
    """Measure, and write the table."""
    lines = [
        "| turns | run, ms | with a report, ms | and its writing, ms | page, KB | JSON, KB |",
        "|---|---|---|---|---|---|",
    ]
    for count in turns:
        plain, answered, written = [], [], []
        for _ in range(rounds):
            plain.append((await measured(count, None))[1])
            with tempfile.TemporaryDirectory() as folder:
                until, whole, page = await measured(count, Path(folder))
                assert page is not None
                sizes = [path.stat().st_size / 1000 for path in (page, page.with_name("run.json"))]
            answered.append(until)
            written.append(whole)
        times = [statistics.median(each) for each in (plain, answered, written)]
        cells = [f"{count:,}", *[f"{value:.1f}" for value in times], *[f"{size:.0f}" for size in sizes]]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Read the options and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9, help="how often each is measured (9)")
    parser.add_argument("--turns", default="10,100,1000", help="how many turns a run takes (10,100,1000)")
    options = parser.parse_args()
    print(asyncio.run(table([int(each) for each in options.turns.split(",")], options.rounds)))


if __name__ == "__main__":
    main()

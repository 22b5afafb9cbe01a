"""One measurement of one entry, in a process of its own: `python measure.py ENTRY.py SCENARIO` prints a line of JSON.

An entry is a module with `make()`, whose result has `counters` (`{"model": 0, "tool": 0}`, counted by its fake model
and its tool) and these coroutine methods: `one(latency)` is a run of one turn, `tools(n, latency)` one of `n` turns
that call a tool and a last one that answers, both give `"done"`; `stream(n)`, if it has one, gives the number of pieces
that the caller saw of an answer of `n` pieces. That a run did what it says is checked before it is measured.
"""

import asyncio
import gc
import importlib.util
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any  # an entry is any framework's

TURNS = {"ten": (10, 60), "hundred": (100, 6), "thousand": (1000, 2)}
LIVE = 1000
LATENCY = 0.2
TOKENS = 1000


def resident() -> float:
    """The memory that this process holds, in KB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024


def peak() -> float:
    """The most that this process has held since `forget_peak`, in KB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line for line in lines if line.startswith("VmHWM")).split()[1])


def forget_peak() -> None:
    """Begin to look for the peak anew."""
    Path("/proc/self/clear_refs").write_text("5")


def require(is_so: bool, what: str) -> None:
    """End the process where a run didn't do what it says."""
    if not is_so:
        raise SystemExit(f"wrong result: {what}")


async def cpu_of(run: Callable[[], Awaitable[object]], times: int, warm: int) -> float:
    """The CPU time of one run, in microseconds, out of many in a row."""
    for _ in range(warm):
        await run()
    gc.collect()
    started = time.process_time()
    for _ in range(times):
        await run()
    return (time.process_time() - started) / times * 1e6


async def one_turn(entry: Any) -> dict[str, float]:
    """A run of one turn."""
    answer = await entry.one()
    require("done" in str(answer) and entry.counters["model"] == 1, f"{answer!r} {entry.counters}")
    return {"cpu_us": await cpu_of(entry.one, times=1000, warm=100)}


async def tool_turns(entry: Any, turns: int, times: int) -> dict[str, float]:
    """A run of many turns, each of which calls a tool."""
    answer = await entry.tools(turns)
    done = entry.counters == {"model": turns + 1, "tool": turns}
    require("done" in str(answer) and done, f"{answer!r} {entry.counters}")
    return {"cpu_us": await cpu_of(lambda: entry.tools(turns), times, warm=max(1, times // 10))}


async def live(entry: Any) -> dict[str, float]:
    """Many runs at the same time, all of which wait for their model."""
    for _ in range(20):
        await entry.one()
    entry.counters["model"] = 0
    gc.collect()
    before = resident()
    forget_peak()
    started, began = time.process_time(), time.perf_counter()
    answers = await asyncio.gather(*[entry.one(LATENCY) for _ in range(LIVE)])
    cpu, wall = time.process_time() - started, time.perf_counter() - began
    done = all("done" in str(answer) for answer in answers) and entry.counters["model"] == LIVE
    require(done, str(entry.counters))
    return {"cpu_s": cpu, "wall_s": wall, "kb_per_run": (peak() - before) / LIVE}


async def stream(entry: Any) -> dict[str, float]:
    """An answer that comes in pieces."""
    if getattr(entry, "stream", None) is None:
        return {}
    seen = await entry.stream(TOKENS)
    require(seen == TOKENS, f"{seen} pieces of {TOKENS}")
    return {"cpu_us": await cpu_of(lambda: entry.stream(TOKENS), times=20, warm=3) / TOKENS}


async def measure(entry: Any, scenario: str) -> dict[str, float]:
    """Take one scenario."""
    match scenario:
        case "one":
            return await one_turn(entry)
        case "live":
            return await live(entry)
        case "stream":
            return await stream(entry)
        case _:
            return await tool_turns(entry, *TURNS[scenario])


def load(path: Path) -> Any:
    """Make what an entry's file describes."""
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


async def main(file: str, scenario: str) -> None:
    """Measure and print."""
    module = load(Path(file))
    made = module.make()
    entry = await made if asyncio.iscoroutine(made) else made
    measured = await measure(entry, scenario)
    print(json.dumps({"version": str(getattr(module, "VERSION", "")), **measured}))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2]))

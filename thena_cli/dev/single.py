"""One run, followed to its end: what `thena run` does.

Left out on purpose: checks, saves, and a second run.
"""

import asyncio
import contextlib
from typing import TextIO

from thena_cli.dev import lines
from thena_cli.dev.child import Child
from thena_cli.dev.follow import follow
from thena_cli.dev.interrupts import GRACE, interrupts
from thena_cli.dev.messages import Cancelled, Died, Failed, Finished, Noted, Printed, exit_code
from thena_cli.dev.screen import TICK, Screen


async def run_once(child: Child, screen: Screen, output: TextIO, *, is_json: bool) -> int:
    """Show the run on `screen` and write its result, or all its events, to `output`; return the exit code."""
    answer: int | None = None
    running = asyncio.get_running_loop()

    def stop(code: int) -> None:
        nonlocal answer
        if answer is not None:
            child.kill()
        answer = code
        child.interrupt()
        running.call_later(GRACE, child.kill)

    def say(message: Noted | Printed) -> None:
        if isinstance(message, Printed):
            screen.printed(message.text)
        elif not is_json:
            screen.noted(message.event)

    def hear(line: str) -> None:
        if is_json:
            print(line, file=output, flush=True)

    ticking = asyncio.create_task(_tick(screen))
    try:
        with interrupts(stop):
            screen.started()
            outcome = await follow(child, say, heard=hear)
    finally:
        child.kill()
        ticking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ticking
        screen.close()
    if answer is not None and isinstance(outcome, Died | Failed):
        outcome = Cancelled(at=None)
    if not is_json or isinstance(outcome, Died):
        screen.ended(outcome)
    if isinstance(outcome, Finished) and not is_json:
        for text in lines.output_lines(outcome.output):
            print(text, file=output)
        output.flush()
    return exit_code(outcome) if answer is None else answer


async def _tick(screen: Screen) -> None:
    while True:
        await asyncio.sleep(TICK)
        screen.tick()

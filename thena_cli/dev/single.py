"""What a child does once, followed to its end: for `thena run`, `thena check` and `thena graph`.

Left out on purpose: what is done with its outcome, checks, saves, and a second run.
"""

import asyncio
import contextlib
from collections.abc import Callable

from thena_cli.dev.child import Child
from thena_cli.dev.flight import Flight
from thena_cli.dev.follow import ignore
from thena_cli.dev.interrupts import GRACE, interrupts
from thena_cli.dev.messages import Outcome, Printed, Told, exit_code
from thena_cli.dev.screen import TICK, Screen


async def follow_once(
    child: Child,
    screen: Screen,
    *,
    say: Callable[[Told | Printed], None],
    known: Callable[[Outcome], None],
    heard: Callable[[str], None] = ignore,
    is_ticking: bool = True,
) -> int:
    """Pass on what the child says and how it ends; return the exit code once its process is gone.

    Ctrl-C asks it to end and, a second time or after a second of grace, ends it.
    """
    flight = Flight(child)
    code = 0
    interrupted: int | None = None
    running = asyncio.get_running_loop()

    def stop(by: int) -> None:
        nonlocal interrupted
        if interrupted is not None:
            child.kill()
        interrupted = by
        flight.stop()
        running.call_later(GRACE, child.kill)

    def end(outcome: Outcome) -> None:
        nonlocal code
        code = exit_code(outcome)
        known(outcome)

    ticking = asyncio.create_task(_tick(screen)) if is_ticking else None
    try:
        with interrupts(stop):
            await flight.follow(say, known=end, heard=heard)
    finally:
        child.kill()
        if ticking is not None:
            ticking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ticking
        screen.close()
    return code if interrupted is None else interrupted


async def _tick(screen: Screen) -> None:
    while True:
        await asyncio.sleep(TICK)
        screen.tick()

"""What a child does once, followed to its end: for `thena run`, `thena check` and `thena graph`.

Left out on purpose: what is done with its outcome, checks, saves, and a second run.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import NamedTuple

from thena_cli.dev.child import Child
from thena_cli.dev.follow import follow, ignore
from thena_cli.dev.interrupts import GRACE, interrupts
from thena_cli.dev.messages import Cancelled, Died, Failed, Outcome, Printed, Told, exit_code
from thena_cli.dev.screen import TICK, Screen


class Ending(NamedTuple):
    """How it ended, and what the command answers its shell."""

    outcome: Outcome
    code: int


async def follow_once(
    child: Child,
    screen: Screen,
    *,
    say: Callable[[Told | Printed], None],
    heard: Callable[[str], None] = ignore,
    is_ticking: bool = True,
) -> Ending:
    """Pass on what the child says; Ctrl-C asks it to end and, a second time or after a second of grace, ends it."""
    answer: int | None = None
    has_spoken = False
    running = asyncio.get_running_loop()

    def stop(code: int) -> None:
        nonlocal answer
        if answer is not None:
            child.kill()
        answer = code
        child.interrupt()
        running.call_later(GRACE, child.kill)

    def tell(message: Told | Printed) -> None:
        nonlocal has_spoken
        if isinstance(message, Printed) and answer is not None and not has_spoken:
            # Python complains that it was interrupted while it started.
            return
        has_spoken = True
        say(message)

    ticking = asyncio.create_task(_tick(screen)) if is_ticking else None
    try:
        with interrupts(stop):
            outcome = await follow(child, tell, heard=heard)
    finally:
        child.kill()
        if ticking is not None:
            ticking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await ticking
        screen.close()
    if answer is not None and isinstance(outcome, Died | Failed):
        outcome = Cancelled(at=None)
    return Ending(outcome, exit_code(outcome) if answer is None else answer)


async def _tick(screen: Screen) -> None:
    while True:
        await asyncio.sleep(TICK)
        screen.tick()

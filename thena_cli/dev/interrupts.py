"""Ctrl-C and its relatives, for a process whose child runs in a group of its own and so does not hear them.

Left out on purpose: what is done about them.
"""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

GRACE = 1.0
"""Seconds that a run has to clean up after it was asked to end."""

_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}


@contextmanager
def interrupts(act: Callable[[int], None]) -> Iterator[None]:
    """Call `act` with the exit code that a signal calls for, whenever one arrives.

    That the terminal is gone counts once, however many tell of it: the system, the shell, and whoever wrote to it.
    """
    told: set[signal.Signals] = set()

    def arrive(number: signal.Signals) -> None:
        if number == signal.SIGHUP and number in told:
            return
        told.add(number)
        act(_CODES[number])

    running = asyncio.get_running_loop()
    # Under `nohup` the end of the terminal is to be ignored; a SIGINT that a shell ignored for us is still Ctrl-C.
    handled = [number for number in _CODES if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN]
    for number in handled:
        running.add_signal_handler(number, arrive, number)
    try:
        yield
    finally:
        for number in handled:
            running.remove_signal_handler(number)

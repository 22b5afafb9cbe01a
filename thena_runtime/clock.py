"""Time as the runtime sees it: what it is now, waiting, and being called later.

Whatever measures or waits takes a `Clock`, so that a test can give one that it moves itself
(`thena_runtime.testing.FakeClock`). What a user's own code does with time is the user's.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import perf_counter
from time import time as seconds_since_the_epoch
from typing import Final, Protocol, runtime_checkable


class Timer(Protocol):
    """A call that is to come."""

    def cancel(self) -> None:
        """Call it off. Nothing happens to one that has been made."""
        ...


@runtime_checkable
class Clock(Protocol):
    """Tells the time, and waits. Seconds, everywhere."""

    def time(self) -> float:
        """The date, as seconds since the epoch."""
        ...

    def monotonic(self) -> float:
        """Seconds since an unknown moment; this never goes back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...

    def call_later(self, seconds: float, function: Callable[[], object]) -> Timer:
        """Have a function called in the running event loop."""
        ...


class SystemClock:
    """The machine's clock."""

    # Reached without a call of ours in between: they are asked at each end of each node.
    time = staticmethod(seconds_since_the_epoch)
    monotonic = staticmethod(perf_counter)

    async def sleep(self, seconds: float) -> None:
        """Wait in the running event loop."""
        await asyncio.sleep(seconds)

    def call_later(self, seconds: float, function: Callable[[], object]) -> Timer:
        """Have a function called by the running event loop."""
        return asyncio.get_running_loop().call_later(seconds, function)


SYSTEM_CLOCK: Final = SystemClock()


@asynccontextmanager
async def deadline(clock: Clock, seconds: float | None) -> AsyncIterator[None]:
    """Cancel the block after some seconds of this clock and raise `TimeoutError`; `None` is no limit."""
    if seconds is None:
        yield
        return
    async with asyncio.timeout(None) as timeout:
        now = asyncio.get_running_loop().time
        timer = clock.call_later(seconds, lambda: timeout.reschedule(now()))
        try:
            yield
        finally:
            timer.cancel()

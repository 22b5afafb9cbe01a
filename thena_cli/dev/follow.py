"""From a child's threads to the event loop: follow one run from its start to its end.

Left out on purpose: when a run is stopped, and how long it may take to stop.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from thena_cli.dev.child import Child
from thena_cli.dev.messages import Asks, Died, Kept, Noted, Outcome, Printed, Reported, Spoken, Told, Used, read_message
from thena_contract.frozen import frozen

_AT_ONCE: Final = 64


@frozen
class _Line:
    text: str


@frozen
class _Exit:
    code: int


_Item = _Line | Printed | _Exit


class _Arrivals:
    """What comes from a child, on its way to the event loop; owned by whoever follows the child.

    The loop is woken once for all that waits: each waking is a byte in the pipe that signals come by, and what finds
    the pipe full is lost, Ctrl-C too.
    """

    def __init__(self) -> None:
        self._running = asyncio.get_running_loop()
        self._items: deque[_Item] = deque()
        self._is_waking = False
        self._woken = asyncio.Event()
        self._taken = 0

    def put(self, item: _Item) -> None:
        """Add something, from any thread."""
        self._items.append(item)
        if self._is_waking:
            return
        self._is_waking = True
        try:
            self._running.call_soon_threadsafe(self._wake)
        except RuntimeError:
            # The loop is closed: the session was left while the child still spoke.
            return

    def _wake(self) -> None:
        self._is_waking = False
        self._woken.set()

    async def next(self) -> _Item:
        """The next one."""
        self._taken += 1
        if self._taken % _AT_ONCE == 0:
            # However much comes, signals, keys and the screen have their turn.
            await asyncio.sleep(0)
        while not self._items:
            self._woken.clear()
            if not self._items:
                await self._woken.wait()
        return self._items.popleft()


def ignore(said: object) -> None:
    """Most want to know nothing more."""


async def follow(
    child: Child,
    say: Callable[[Told | Printed], None],
    *,
    known: Callable[[Outcome], None],
    heard: Callable[[str], None] = ignore,
) -> None:
    """Pass on what the child says until its process is gone; `heard` gets each line of its protocol as it was written.

    `known` gets the outcome once, as soon as the child tells it, which may be long before the process is gone. A line
    that is none of the protocol's is passed on as printed: something wrote to the pipe past Python.
    """
    arrivals = _Arrivals()
    child.listen(
        said=lambda text: arrivals.put(_Line(text)),
        printed=lambda text: arrivals.put(Printed(text)),
        exited=lambda code: arrivals.put(_Exit(code)),
    )
    is_known = False
    while True:
        item = await arrivals.next()
        if isinstance(item, _Exit):
            if not is_known:
                known(Died(item.code))
            return
        child.taken()
        if isinstance(item, Printed):
            say(item)
            continue
        try:
            message = read_message(item.text)
        except ValueError:
            say(Printed(item.text))
            continue
        heard(item.text)
        if isinstance(message, Noted | Spoken | Used | Kept | Asks | Reported):
            say(message)
        elif not is_known:
            is_known = True
            known(message)

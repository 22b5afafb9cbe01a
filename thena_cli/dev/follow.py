"""From a child's threads to the event loop: follow one run from its start to its end.

Left out on purpose: when a run is stopped, and how long it may take to stop.
"""

import asyncio
from collections.abc import Callable

from thena_cli.dev.child import Child
from thena_cli.dev.messages import Asks, Died, Kept, Noted, Outcome, Printed, Reported, Spoken, Told, Used, read_message
from thena_contract.frozen import frozen


@frozen
class _Line:
    text: str


@frozen
class _Exit:
    code: int


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
    running = asyncio.get_running_loop()
    queue: asyncio.Queue[_Line | Printed | _Exit] = asyncio.Queue()

    def put(item: _Line | Printed | _Exit) -> None:
        try:
            running.call_soon_threadsafe(queue.put_nowait, item)
        except RuntimeError:
            # The loop is closed: the session was left while the child still spoke.
            return

    child.listen(
        said=lambda text: put(_Line(text)),
        printed=lambda text: put(Printed(text)),
        exited=lambda code: put(_Exit(code)),
    )
    is_known = False
    while True:
        item = await queue.get()
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

"""The process around the server: the streams that it speaks over, the parent that it doesn't outlive, and its garbage.

Nothing here knows the protocol.
"""

import gc
import os
import sys
import threading
import time
from typing import BinaryIO, Final, NoReturn

_LOOK_EVERY: Final = 2.0
"""Seconds between two looks whether the parent is there."""

_COLLECT_AFTER: Final = (20_000, 10, 10)
"""How many objects may come before the garbage collector looks at the new ones, and how often before at older ones."""


def take_over_streams() -> tuple[BinaryIO, BinaryIO]:
    """Give what stdin and stdout are now to the protocol alone.

    From here on a `print` anywhere, in a library or a process that it starts too, goes to stderr, and who reads from
    stdin finds it empty. Neither breaks a message.

    Returns:
        The streams to read messages from and to write them to.
    """
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return requests, answers


def end_with_parent(process_id: int) -> None:
    """End this process soon after that one has ended, though its streams may be held open by another.

    One that isn't there to begin with is in another container, or on another machine: the end of the input ends this
    one then, as it does on Windows, where looking for a process would mean something else.
    """
    if os.name != "nt" and _is_there(process_id):
        threading.Thread(target=_end_after, args=(process_id,), name="parent", daemon=True).start()


def _end_after(process_id: int) -> None:
    while _is_there(process_id):
        time.sleep(_LOOK_EVERY)
    end(1)


def _is_there(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def collect_from_now_on() -> None:
    """Collect garbage for the first time, and from now on among what comes: what is there then stays.

    Texts are made into many small objects. To look through all of them each time that a few hundred have come would
    take a quarter of a second in the middle of typing.
    """
    if gc.isenabled():
        return
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)
    gc.enable()


def end(code: int) -> NoReturn:
    """End at once. The analysis may be in the middle of native code, which no thread can be taken out of safely."""
    sys.stderr.flush()
    os._exit(code)

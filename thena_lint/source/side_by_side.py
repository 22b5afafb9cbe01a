"""Two pieces of work at once: one here, and one in a copy of this process, where there is a second core for it.

The copy knows all that is known here, and hands back what it has found and what it has asked of the disk. Where there
is no copy, or it ends too early, its piece is done here as well: what is found doesn't depend on it.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import NoReturn, Protocol, TypeVar, cast

from thena_lint.source.disk import add_part, keep_a_part

Here = TypeVar("Here")
There = TypeVar("There")


class Both(Protocol):
    """Does two pieces of work of which neither needs the other, and gives what both give."""

    def __call__(self, here: Callable[[], Here], there: Callable[[], There]) -> tuple[Here, There]:
        """Do them."""
        ...


def in_turn(here: Callable[[], Here], there: Callable[[], There]) -> tuple[Here, There]:
    """Do one after the other."""
    return here(), there()


def side_by_side(here: Callable[[], Here], there: Callable[[], There]) -> tuple[Here, There]:
    """Do both at once, if that can be. What `there` gives must be fit for `pickle`.

    Raises:
        Exception: what either of them raises.
    """
    copy = _copy_at(there) if _is_possible() else None
    if copy is None:
        return in_turn(here, there)
    pid, readable = copy
    try:
        with os.fdopen(readable, "rb") as stream:
            done = here()
            answer = stream.read()
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        raise
    finally:
        os.waitpid(pid, 0)
    import pickle  # here and below, since a small project has no use for it

    try:
        found, part = pickle.loads(answer)
    except Exception:
        # It was ended, or it failed, which shows again here.
        return done, there()
    add_part(part)
    return done, cast(There, found)


def _is_possible() -> bool:
    """Say whether a copy is whole, has a core to itself, and can be waited for. Seen to work on Linux alone."""
    if sys.platform != "linux":
        return False
    is_alone = threading.active_count() == 1
    return is_alone and len(os.sched_getaffinity(0)) > 1 and signal.getsignal(signal.SIGCHLD) == signal.SIG_DFL


def _copy_at(work: Callable[[], object]) -> tuple[int, int] | None:
    """A copy of this process that does this work, and where its answer can be read; `None` where there can be none."""
    readable, writable = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(readable)
        os.close(writable)
        return None
    if pid == 0:
        _answer(work, readable, writable)
    os.close(writable)
    return pid, readable


def _answer(work: Callable[[], object], readable: int, writable: int) -> NoReturn:
    """Do the work and end, whatever comes: nothing but the answer may show that there was a copy."""
    with contextlib.suppress(BaseException):
        import pickle

        os.close(readable)
        part = keep_a_part()
        answer = pickle.dumps((work(), part), pickle.HIGHEST_PROTOCOL)
        with os.fdopen(writable, "wb") as stream:
            stream.write(answer)
    os._exit(0)

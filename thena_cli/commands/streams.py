"""Standard streams that are closed, full or left by their reader, and terminals that are gone: what is done then.

Left out on purpose: what is written to them.
"""

import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import Any, TextIO

_LEFT = frozenset({errno.EPIPE, errno.ESHUTDOWN})
_UNWRITABLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})


def is_output_closed() -> bool:
    """Say whether there is no standard output, and say so to the user; give the other streams a place to go to.

    A descriptor that is closed would be given to the next file or pipe that is opened, and prints would end up there.
    """
    is_closed = sys.stdout is None
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - open as long as the process
    if is_closed:
        print("thena: standard output is closed. Send it to a terminal, a file or a pipe.", file=sys.stderr)
    return is_closed


def outlive_terminal() -> None:
    """Have a terminal that is gone told by SIGHUP alone, and by no error of whoever writes to it.

    A shell passes the signal on a moment later than the terminal goes, and the clean-ups of a run come after both.
    """
    sys.stdout, sys.stderr = map(_outliving, (sys.stdout, sys.stderr))


def _outliving(stream: TextIO) -> TextIO:
    if not stream.isatty():
        return stream
    stream.flush()
    raw = _Terminal(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding=stream.encoding, errors=stream.errors, line_buffering=True)


class _Terminal(io.FileIO):
    """A terminal to write to, as long as it is there; then nothing is written, and SIGHUP is raised once."""

    def write(self, data: Any, /) -> int:  # whatever has bytes
        try:
            return super().write(data)
        except OSError as error:
            if error.errno != errno.EIO or self.isatty():
                raise
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)
        # Imported here, since nobody else needs it.
        import signal

        signal.raise_signal(signal.SIGHUP)
        return memoryview(data).nbytes


def answer_to_lost_output(error: BaseException) -> int | None:
    """The exit code where `error` says that output could not be written, told in one line; None for any other error."""
    numbers = [each.errno for each in _leaves(error) if isinstance(each, OSError)]
    if any(number in _LEFT for number in numbers):
        # Whoever read the output has left (`thena run x | head`), and needs no explanation.
        _forget_output()
        return 1
    number = next((number for number in numbers if number in _UNWRITABLE), None)
    if number is None:
        return None
    _forget_output()
    print(f"thena: the output can't be written: {os.strerror(number)}.", file=sys.stderr)
    return 2


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from _leaves(each)
    else:
        yield error


def _forget_output() -> None:
    """What is still in the buffer goes nowhere: Python would complain once more when it flushes at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)

"""`thena-lint`: a request in, exit code out. 0 is clean, 1 found something, 2 couldn't read all or failed.

What acts on a request is imported when it is asked for, so that nobody pays for what isn't.
"""

import os
import sys
from collections.abc import Sequence
from typing import Final, assert_never

from thena_lint.arguments import read_arguments
from thena_lint.request import Check, Request, ShowVersion
from thena_lint.source.discover import PathError
from thena_lint.source.failure import Failure
from thena_lint.streams import write

INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `thena-lint` and return its exit code."""
    request = read_arguments(arguments)
    try:
        return _act_on(request)
    except PathError as error:
        print(f"thena-lint: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has seen enough. The interpreter must not write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError:
        # What the system refuses is answered at the door.
        raise
    except Exception as error:
        failure = Failure.of(error)
        print(f"thena-lint: it failed: {failure.error}. This is a fault of thena-lint, so report it.", file=sys.stderr)
        return 2


def _act_on(request: Request) -> int:
    match request:
        case Check():
            from thena_lint.check import check

            return check(request)
        case ShowVersion():
            write(f"thena-lint {_version()}\n")
            return 0
        case _:
            assert_never(request)


def _version() -> str:
    # Imported here since it costs more than parsing the arguments does.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("thena")
    except PackageNotFoundError:
        return "(not installed)"

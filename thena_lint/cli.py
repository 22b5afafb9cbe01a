"""`thena-lint`: a request in, exit code out. 0 is clean, 1 found something, 2 couldn't read all or failed.

What acts on a request is imported when it is asked for, so that nobody pays for what isn't.
"""

import sys
from collections.abc import Sequence
from functools import partial
from typing import Final, assert_never

from thena_lint.arguments import read_arguments
from thena_lint.baseline import BaselineError
from thena_lint.cache.remember import remember
from thena_lint.pages import PageError
from thena_lint.request import Check, Explain, ListRules, Request, ShowSettings, ShowVersion
from thena_lint.source.discover import PathError
from thena_lint.source.failure import Failure
from thena_lint.streams import write

INTERRUPTED: Final = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `thena-lint` and return its exit code."""
    request = read_arguments(arguments)
    try:
        return _act_on(request, arguments)
    except (PathError, BaselineError, PageError) as error:
        print(f"thena-lint: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError:
        # What the system refuses is answered at the door.
        raise
    except Exception as error:
        failure = Failure.of(error)
        print(f"thena-lint: it failed: {failure.error}. This is a fault of thena-lint, so report it.", file=sys.stderr)
        return 2


def _act_on(request: Request, arguments: Sequence[str] | None) -> int:
    match request:
        case Check(watch=True):
            from thena_lint.watch import watch

            return watch(request)
        case Check():
            from thena_lint.check import check
            from thena_lint.source.side_by_side import side_by_side

            run = partial(check, request, side_by_side)
            return remember(arguments, run) if request.is_repeatable else run()
        case ShowSettings():
            from thena_lint.show_settings import render_settings

            write(render_settings(request.paths, request.settings))
        case Explain():
            from thena_lint.pages import explained

            write(explained(request.asked))
        case ListRules():
            from thena_lint.rules_list import render_rules

            write(render_rules(as_json=request.as_json))
        case ShowVersion():
            from thena_lint.version import version

            write(f"thena-lint {version()}\n")
        case _:
            assert_never(request)
    return 0

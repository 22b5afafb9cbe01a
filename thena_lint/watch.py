"""Lint again whenever a file changes, until Ctrl-C.

Each round is a whole run, so that it says what a run at that moment says. What lies outside the watched folders, such
as settings above them, counts at the next change inside; what changes in hidden folders never does.
"""

import gc
import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Final

from watchfiles import Change, DefaultFilter
from watchfiles import watch as changes

from thena_lint.baseline import BaselineError
from thena_lint.check import check
from thena_lint.request import Check
from thena_lint.source.discover import PathError, absolute
from thena_lint.streams import write

_CLEAR: Final = "\x1b[2J\x1b[3J\x1b[H"
_STEP: Final = 50
_DEBOUNCE: Final = 200
_LONGEST_LOOK: Final = 200
"""Milliseconds: without a change for one step a round begins, at the latest after the debounce."""


def watch(request: Check) -> int:
    """Lint now and after each change. It ends with `KeyboardInterrupt` alone."""
    folders = sorted({path if path.is_dir() else path.parent for path in map(absolute, request.paths)})
    seen = changes(
        *folders,
        watch_filter=_Filter(folders),
        step=_STEP,
        debounce=_DEBOUNCE,
        rust_timeout=_LONGEST_LOOK,
        yield_on_timeout=True,
    )
    # Watching begins before the first round, so that no change falls between.
    next(seen)
    while True:
        _round(replace(request, watch=False))
        while not next(seen):
            pass


class _Filter(DefaultFilter):
    """What watchfiles takes for changes of sources, but nothing in hidden folders, where caches are."""

    def __init__(self, folders: Collection[Path]) -> None:
        super().__init__()
        self._folders = folders

    def __call__(self, change: Change, path: str) -> bool:
        """Say whether a change counts."""
        below = [Path(path).relative_to(one).parts for one in self._folders if Path(path).is_relative_to(one)]
        is_hidden = all(any(part.startswith(".") for part in parts[:-1]) for parts in below)
        return not is_hidden and super().__call__(change, path)


def _round(request: Check) -> None:
    if sys.stdout.isatty():
        write(_CLEAR)
    try:
        check(request)
    except (PathError, BaselineError) as error:
        print(f"thena-lint: {error}", file=sys.stderr)
    # Standard output has the reports alone, for programs that read them.
    print("\nWatching for changes. Ctrl-C ends it.", file=sys.stderr, flush=True)
    # A run collects no garbage while it lasts; here there are many of them.
    gc.collect()

"""Run, and keep what was told together with all that was asked of the disk for it."""

import os
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final, TextIO, cast

from thena_lint.cache.answer import Answer, Folder
from thena_lint.cache.place import place_of_answer
from thena_lint.cache.shelf import put, take
from thena_lint.source import disk
from thena_lint.source.disk import ABSENT, FILE, NO_SIGNATURE, Journal, Signature, is_listed

_WHOLE: Final = (0, 1)
"""The exit codes of a run that could read all."""


def remember(arguments: Sequence[str] | None, run: Callable[[], int], now: int | None = None) -> int:
    """Run, and keep the answer, unless something was amiss: whatever is told on standard error is told each time.

    Args:
        arguments: what was typed; `None` for those of the process.
        run: what answers to them: it writes a report, and gives back the exit code.
        now: the time in nanoseconds, if it isn't that of the system.

    Returns:
        The exit code of the run.
    """
    place = place_of_answer(list(sys.argv[1:] if arguments is None else arguments))
    if place is None:
        return run()
    journal = _journal(place, time.time_ns() if now is None else now)
    out, err = _Heard(sys.stdout), _Heard(sys.stderr)
    sys.stdout, sys.stderr = cast(TextIO, out), cast(TextIO, err)
    disk.keep(journal)
    try:
        code = run()
    finally:
        disk.keep(None)
        sys.stdout, sys.stderr = out.stream, err.stream
    if code in _WHOLE and journal.is_whole and not err.text:
        put(place, _answer(code, out.text, journal))
    return code


class _Heard:
    """A stream that remembers what is written to it; it lives for one run."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.text = ""

    def write(self, text: str) -> int:
        self.text += text
        return self.stream.write(text)

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


def _journal(place: str, now: int) -> Journal:
    """A new journal, in which stands which files had nothing to say when the last answer was kept."""
    journal = Journal(now)
    last = take(place)
    if last is not None:
        journal.silent_words = frozenset(word.encode() for word in last.words)
        journal.silent = {
            path: signature
            for folder, held in last.folders.items()
            for name, signature in held.looked_at.items()
            if signature != NO_SIGNATURE and (path := os.path.join(folder, name)) not in last.contents
        }
    return journal


def _answer(code: int, text: str, journal: Journal) -> Answer:
    folders = {path: _folder(path, listing, journal) for path, listing in journal.listings.items()}
    return Answer(
        code=code,
        text=text,
        words=sorted(word.decode() for word in journal.words),
        kinds={path: kind for path, kind in journal.kinds.items() if not _is_listed(path, kind, folders)},
        contents=journal.contents,
        folders=folders,
    )


def _folder(path: str, listing: dict[str, Signature], journal: Journal) -> Folder:
    looked_at = {name: one for name, one in listing.items() if os.path.join(path, name) in journal.looked_at}
    return Folder(looked_at, [name for name in listing if name not in looked_at])


def _is_listed(path: str, kind: str, folders: dict[str, Folder]) -> bool:
    """Say whether what a folder held already says what is at a path."""
    above, name = os.path.split(path)
    folder = folders.get(above)
    if folder is None:
        # Nothing can be in a folder that isn't there.
        around = folders.get(os.path.dirname(above))
        return kind == ABSENT and around is not None and _has_none(around, os.path.basename(above))
    if name in folder.looked_at:
        return kind == FILE
    return kind == ABSENT and is_listed(name) and _has_none(folder, name)


def _has_none(folder: Folder, name: str) -> bool:
    return name[:1] != "." and name != "__pycache__" and not {name, f"{name}:"} & {*folder.others, *folder.looked_at}

"""A list of the faults that a project had when it began to be linted, so that only new ones are told.

A fault is known again by its file, code and text, and how many there are alike, so that moved lines change nothing.
"""

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from thena_contract.codes import ALWAYS_TOLD
from thena_contract.frozen import frozen
from thena_lint.diagnostic import Diagnostic
from thena_lint.source.discover import absolute
from thena_lint.source.disk import read

_VERSION: Final = 1


class BaselineError(Exception):
    """A file that should be a baseline can't be read or written, or is none."""


@frozen
class Known:
    """A fault as a baseline lists it. The path is that of the file from the baseline's folder, with slashes."""

    path: str
    code: str
    message: str


@frozen
class Compared:
    """What isn't in a baseline, and what is there in vain, with how often."""

    left: tuple[Diagnostic, ...]
    stale: Mapping[Known, int]


def read_baseline(file: Path) -> Counter[Known]:
    """What a file lists, and how often.

    Raises:
        BaselineError: where it can't be read or holds something else.
    """
    try:
        rows = _rows(json.loads(read(file)))
    except FileNotFoundError:
        raise BaselineError(f"`{file}` doesn't exist. Write it with --write-baseline.") from None
    except OSError as error:
        raise BaselineError(f"`{file}` can't be read: {error.strerror}. Name a file that can.") from None
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise BaselineError(f"`{file}` is no baseline. Write it anew with --write-baseline.") from None
    return rows


def _rows(document: Any) -> Counter[Known]:  # what `json` makes of anything
    if document["version"] != _VERSION:
        raise ValueError(document["version"])
    found: Counter[Known] = Counter()
    for path, rows in document["faults"].items():
        for row in rows:
            found[Known(path, str(row["code"]), str(row["message"]))] += int(row.get("count", 1))
    return found


def write_baseline(file: Path, found: Iterable[Diagnostic]) -> int:
    """Write a list of what was found; return how much it is. What can't be turned off isn't listed.

    Raises:
        BaselineError: where it can't be written.
    """
    counts = Counter(_known(one, file) for one in found if one.code not in ALWAYS_TOLD)
    faults: dict[str, list[dict[str, object]]] = {}
    for known in sorted(counts, key=lambda one: (one.path, one.code, one.message)):
        row: dict[str, object] = {"code": known.code, "message": known.message}
        faults.setdefault(known.path, []).append(row if counts[known] == 1 else {**row, "count": counts[known]})
    text = json.dumps({"version": _VERSION, "faults": faults}, indent=2, ensure_ascii=False) + "\n"
    try:
        file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise BaselineError(f"`{file}` can't be written: {error.strerror}. Name a file that can.") from None
    return counts.total()


def compare(baseline: Counter[Known], file: Path, found: Iterable[Diagnostic]) -> Compared:
    """Take what a baseline lists off what was found."""
    waiting = baseline.copy()
    left = []
    for one in found:
        known = _known(one, file)
        if one.code not in ALWAYS_TOLD and waiting[known] > 0:
            waiting[known] -= 1
        else:
            left.append(one)
    return Compared(tuple(left), +waiting)


def _known(one: Diagnostic, file: Path) -> Known:
    path = Path(os.path.relpath(one.place.path, absolute(file).parent))
    return Known(path.as_posix(), one.code, one.message)

"""The traceback of an error as its user needs it: the lines of their own code and of their libraries."""

import asyncio
import importlib
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_OWN: Final = (Path(__file__).parent, Path(asyncio.__file__).parent, Path(importlib.__file__).parent)
"""Folders whose frames say nothing about the user's code."""


def user_traceback(error: BaseException) -> str:
    """The traceback without our own frames and asyncio's, and without the error's own line, which is told beside it."""
    told = traceback.TracebackException.from_exception(error)
    seen: set[int] = set()
    part: traceback.TracebackException | None = told
    while part is not None and id(part) not in seen:
        seen.add(id(part))
        kept = [frame for frame in part.stack if is_users(frame.filename)]
        part.stack = traceback.StackSummary.from_list(kept)
        part = part.__cause__ or (None if part.__suppress_context__ else part.__context__)
    return "".join(_without_last_word(told))


def is_users(filename: str) -> bool:
    """Whether a frame in this file says something about the user's code."""
    if filename.startswith("<frozen importlib"):
        return False
    path = Path(filename)
    return not any(path.is_relative_to(folder) for folder in _OWN)


def _without_last_word(told: traceback.TracebackException) -> Iterator[str]:
    """A traceback but for `Type: text`; of a syntax error the place and of any error its notes stay."""
    whole, last = list(told.format()), list(told.format_exception_only())
    if getattr(told, "exceptions", None) is not None or whole[-len(last) :] != last:
        yield from whole
        return
    is_place = [entry.startswith("  ") for entry in last]
    word = is_place.index(False) if False in is_place else 0
    yield from whole[: -len(last)]
    yield from (entry for number, entry in enumerate(last) if number != word)

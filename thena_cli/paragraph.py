"""Text that is wider than the terminal, broken between words; a terminal by itself breaks in the middle of one.

What stands in backticks stays in one piece, so that it can be copied, and so does a word that is wider than the
terminal. Left out on purpose: colours, and what goes to a file or a pipe, which is never broken.
"""

import os
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TextIO

_WORD = re.compile(r"(?:`[^`]*`|\S)+\s*")
_NARROWEST = 10
_WIDEST = 100


def breaks(text: str, width: int, measure: Callable[[str], int] = len) -> Iterator[int]:
    """Where in a line of text the second line begins, and those after it; `measure` is how wide a text is."""
    taken = len(text) - len(text.lstrip())
    is_begun = False
    for word in _WORD.finditer(text):
        if is_begun and taken + measure(word.group().rstrip()) > width:
            yield word.start()
            taken = 0
        taken += measure(word.group())
        is_begun = True


def paragraph(text: str, stream: TextIO, *, indent: int = 0) -> str:
    """The text as it suits the stream: each line is broken for a terminal, and all lines but the first are indented."""
    width = columns(stream)
    lines = text.split("\n")
    if width is not None:
        room = max(_NARROWEST, width - indent)
        lines = [part for line in lines for part in _parts(line, room)]
    return f"\n{' ' * indent}".join(lines)


def page(markdown: str, stream: TextIO) -> str:
    """A page of prose and code as it suits the stream: paragraphs are broken anew for a terminal, code never is.

    Each entry of a list is a paragraph of its own.
    """
    width = columns(stream)
    if width is None:
        return markdown
    room = max(_NARROWEST, min(width, _WIDEST))
    told: list[str] = []
    prose = ""
    is_code = False
    for line in [*markdown.splitlines(), ""]:
        is_fence = line.startswith("```")
        is_prose = line != "" and not is_code and not is_fence
        if prose and (not is_prose or line.startswith("- ")):
            told += _parts(prose, room)
            prose = ""
        if is_prose:
            prose = f"{prose} {line}" if prose else line
            continue
        told.append(line)
        is_code = is_code != is_fence
    return "\n".join(told)


def columns(stream: TextIO) -> int | None:
    """How wide the terminal is; None for what is none, or doesn't say."""
    try:
        if not stream.isatty():
            return None
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(stream.fileno()).columns) or None
    except (OSError, ValueError):
        return None


def _parts(line: str, width: int) -> list[str]:
    places = [0, *breaks(line, width), len(line)]
    return [line[start:end].rstrip() for start, end in pairwise(places)]

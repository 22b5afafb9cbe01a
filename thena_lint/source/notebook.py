"""A notebook -> the code of its cells as one text, one below the other, in the order in which they stand.

What Python doesn't read, the commands of the notebook (`%matplotlib inline`, `!pip install ...`, `name?`), gives way to
something that Python does, in as many lines. A cell that is for another program (`%%bash`) is blank.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from thena_contract.anchor import Place
from thena_lint.source.pieces import lines_of
from thena_lint.source.text import Cell, SourceText, Unreadable, read_bytes

SUFFIX: Final = ".ipynb"

_OLDEST: Final = 4
_PYTHON: Final = ("python", "ipython")
_IN_PLACE: Final = frozenset({"capture", "debug", "prun", "time"})
"""Cell commands under which the cell is run where it stands, so that what it binds stays bound."""

_CELL_COMMAND: Final = re.compile(r"\s*%%[ \t]*(\w*)")
_COMMAND: Final = re.compile(r"[ \t]*(?:[%!?,;/]|[\w.]+[ \t]*\?{1,2}[ \t]*(?:#.*)?$)", re.MULTILINE)
_ASSIGNED: Final = re.compile(r"(?P<target>[ \t]*+[\w.,\[\]()'\" \t]+?=[ \t]*)[%!]")
_TOKEN: Final = re.compile(
    r"""(?P<string>(?:\"{3}(?:\\.|[^\\])*?(?:\"{3}|\Z)|'{3}(?:\\.|[^\\])*?(?:'{3}|\Z)
    |"(?:\\.|[^"\\\r\n])*(?:"|$)|'(?:\\.|[^'\\\r\n])*(?:'|$)))
    |(?P<comment>\#[^\r\n]*)|(?P<opens>[(\[{])|(?P<closes>[)\]}])|(?P<end>\r\n|\r|\n)|\\(?:\r\n|.)|[\w]+|.""",
    re.DOTALL | re.MULTILINE | re.VERBOSE,
)
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)?")
_CALL: Final = "get_ipython()"
"""What a notebook makes of a command; nobody knows what it gives back."""


def is_notebook(path: Path) -> bool:
    """Say whether a file's name says that it is a notebook."""
    return path.suffix == SUFFIX


def in_cell(place: Place, source: SourceText) -> Place:
    """A place in the text of a notebook, counted from the first line of its cell."""
    number = bisect_right(source.cells, place.line, key=lambda cell: cell.first) - 1
    if number < 0:
        return place
    cell = source.cells[number]
    above = cell.first - 1
    return replace(place, line=place.line - above, end_line=place.end_line - above, cell=cell.number)


def lines_above(source: SourceText, number: int | None) -> int:
    """How many lines of the text stand above a cell; none above any other file than a notebook."""
    return 0 if number is None else next(cell.first - 1 for cell in source.cells if cell.number == number)


def lines_of_cell(source: SourceText, number: int | None) -> Sequence[str]:
    """The lines of a cell by its number; of any other file than a notebook, where that is `None`, all lines."""
    return source.lines[lines_above(source, number) :]


def read_notebook(path: Path) -> SourceText | Unreadable:
    """Read a notebook from disk. Never raises for what the file contains or for its being unreadable."""
    data = read_bytes(path)
    return decode_notebook(path, data) if isinstance(data, bytes) else data


def decode_notebook(path: Path, data: bytes) -> SourceText | Unreadable:
    """The code of a notebook; no text for one that is empty or of another language."""
    if not data.strip():
        return SourceText(path, "")
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return _refused(path, "it is no UTF-8, as every notebook is")
    except json.JSONDecodeError as error:
        return _refused(path, f"it is no JSON: {error.msg} (line {error.lineno})", error.lineno)
    except (ValueError, RecursionError):
        return _refused(path, "it is JSON that is too deep or too long to be read")
    return _text_of(path, found)


def _refused(path: Path, reason: str, line: int = 1) -> Unreadable:
    return Unreadable(path, reason, line, repair="Open it in a notebook editor and save it again.")


def _text_of(path: Path, found: object) -> SourceText | Unreadable:
    if not isinstance(found, dict) or not isinstance(found.get("nbformat"), int):
        return _refused(path, "it is JSON, but no notebook")
    if found["nbformat"] < _OLDEST:
        return _refused(path, f"its format is older than notebook format {_OLDEST}")
    cells = found.get("cells")
    if not isinstance(cells, list):
        return _refused(path, "it is a notebook without a list of cells")
    return _joined(path, cells) if _is_python(found.get("metadata")) else SourceText(path, "")


def _is_python(metadata: object) -> bool:
    """Say whether the code is Python, which it is unless the notebook says otherwise."""
    about = metadata if isinstance(metadata, dict) else {}
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        named = about.get(part)
        language = named.get(key) if isinstance(named, dict) else None
        if isinstance(language, str) and language:
            return language.lower() in _PYTHON
    return True


def _joined(path: Path, cells: Sequence[object]) -> SourceText:
    texts: list[str] = []
    found: list[Cell] = []
    line = 1
    for number, cell in enumerate(cells, start=1):
        code = _code_of(cell) if isinstance(cell, dict) else None
        if code is not None:
            found.append(Cell(number, line))
            texts.append(code)
            line += len(lines_of(code))
    return SourceText(path, "".join(texts), tuple(found))


def _code_of(cell: Mapping[str, object]) -> str | None:
    """The code of a cell, ended by a newline; `None` for a cell of another kind."""
    source = cell.get("source")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if cell.get("cell_type") != "code" or not isinstance(source, str):
        return None
    code = _without_commands(source)
    return code if code.endswith(("\n", "\r")) else f"{code}\n"


def _without_commands(text: str) -> str:
    command = _CELL_COMMAND.match(text)
    if command is None:
        return "".join(_lines_without_commands(text))
    lines = lines_of(text)
    first = len(lines_of(text[: command.end()]))
    head = "".join(map(_blank, lines[:first]))
    if command[1] in _IN_PLACE:
        return head + "".join(_lines_without_commands("".join(lines[first:])))
    return head + "".join(map(_blank, lines[first:]))


def _lines_without_commands(text: str) -> Iterator[str]:
    """The text, in which a statement that begins like a command is one that Python reads."""
    at, depth, begins = 0, 0, True
    while at < len(text):
        if begins:
            command = _command_at(text, at)
            if command is not None:
                replaced, at = command
                yield replaced
                continue
        token = _TOKEN.match(text, at)
        assert token is not None, "the last choice of the pattern is any character"
        depth = max(0, depth + bool(token["opens"]) - bool(token["closes"]))
        begins = token["end"] is not None and depth == 0
        yield token[0]
        at = token.end()


def _command_at(text: str, at: int) -> tuple[str, int] | None:
    """What stands for a command that begins here, and where it ends; `None` where none begins."""
    assigned = _ASSIGNED.match(text, at)
    if assigned is None and _COMMAND.match(text, at) is None:
        return None
    line = _line_at(text, at)
    taken, after = line, at + len(line)
    while line.rstrip("\r\n").endswith("\\") and after < len(text):
        line = _line_at(text, after)
        taken, after = taken + line, after + len(line)
    indent = taken[: len(taken) - len(taken.lstrip(" \t"))]
    first = f"{assigned['target']}{_CALL}" if assigned else f"{indent}pass"
    return first + "".join(map(_blank, lines_of(taken))), after


def _line_at(text: str, at: int) -> str:
    line = _LINE.match(text, at)
    assert line is not None, "the pattern matches the empty text"
    return line[0]


def _blank(line: str) -> str:
    """A line without anything but its end."""
    return line[len(line.rstrip("\r\n")) :]

"""The linter's own table in `thena.toml` or `pyproject.toml`: found, parsed, not yet judged.

In `pyproject.toml` it is `[tool.thena.lint]`, in `thena.toml` `[lint]` or that.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from thena_contract.frozen import frozen
from thena_lint.source.disk import read
from thena_lint.source.text import Unreadable

THENA: Final = "thena.toml"
PYPROJECT: Final = "pyproject.toml"
FILES: Final = (THENA, PYPROJECT)
"""The files that may hold the table; in one folder the first counts."""

_IN_PYPROJECT: Final = ("tool", "thena")
_LINT: Final = "lint"
_OURS: Final = re.compile(rb"""thena["']?\s*(?:\.|\]|=\s*\{)""")
_AT: Final = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)\Z")
_REMEMBERED: Final = 256

Keys = tuple[str, ...]


@frozen(slots=False)
class Table:
    """What one file says, as it is written: the keys of the table, and those around it that nobody knows."""

    path: Path
    text: str
    at: Keys
    """The way to the table in the file."""

    keys: Mapping[str, object]
    strays: tuple[tuple[Keys, str], ...] = ()
    """Keys beside the table that aren't ours to have: the way to the table that each is in, and the key."""

    @property
    def name(self) -> str:
        """The table as its header names it."""
        return f"[{'.'.join(self.at)}]"


@frozen
class NoToml:
    """A file that should hold the table and is no TOML: why, and where (from 1)."""

    path: Path
    reason: str
    line: int
    column: int


def table_in(path: Path) -> Table | NoToml | Unreadable | None:
    """What a file says; `None` where there is none, or where it says nothing of us."""
    try:
        data = read(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return Unreadable.of(path, error)
    if path.name == PYPROJECT and _OURS.search(data) is None:
        return None
    return _parsed(path, data)


@lru_cache(maxsize=_REMEMBERED)
def _parsed(path: Path, data: bytes) -> Table | NoToml | None:
    # Imported here since few projects need it.
    import tomllib

    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return NoToml(path, "it isn't UTF-8", data.count(b"\n", 0, error.start) + 1, 1)
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        return _refused(path, text, error)
    return _of_thena(path, text, document) if path.name == THENA else _of_pyproject(path, text, document)


def _refused(path: Path, text: str, error: Exception) -> NoToml:
    found = _AT.search(str(error))
    if found is None:
        return NoToml(path, "it is nested too deeply" if isinstance(error, RecursionError) else str(error), 1, 1)
    end = (text.count("\n") + 1, len(text) - text.rfind("\n"))
    line, column = (int(found["line"]), int(found["column"])) if found["line"] else end
    return NoToml(path, str(error)[: found.start()].replace("`", "'"), line, column)


def _of_pyproject(path: Path, text: str, document: Mapping[str, object]) -> Table | None:
    ours = _inside(document, _IN_PYPROJECT)
    if ours is None:
        return None
    strays = tuple((_IN_PYPROJECT, key) for key in ours if key != _LINT)
    return _table(path, text, document, (*_IN_PYPROJECT, _LINT), strays)


def _of_thena(path: Path, text: str, document: Mapping[str, object]) -> Table | None:
    if not document:
        return None
    around = _inside(document, _IN_PYPROJECT)
    at = (_LINT,) if around is None or _LINT in document else (*_IN_PYPROJECT, _LINT)
    strays: list[tuple[Keys, str]] = [((), key) for key in document if key != at[0]]
    if around is not None and len(at) > 1:
        strays += [(_IN_PYPROJECT, key) for key in around if key != _LINT]
    return _table(path, text, document, at, tuple(strays))


def _table(
    path: Path, text: str, document: Mapping[str, object], at: Keys, strays: tuple[tuple[Keys, str], ...]
) -> Table | None:
    around = _inside(document, at[:-1])
    if around is not None and at[-1] in around and not isinstance(around[at[-1]], dict):
        return Table(path, text, at, {}, (*strays, (at[:-1], at[-1])))
    keys = _inside(document, at)
    return None if keys is None and not strays else Table(path, text, at, keys or {}, strays)


def _inside(document: Mapping[str, object], way: Keys) -> Mapping[str, object] | None:
    here: object = document
    for key in way:
        here = here.get(key) if isinstance(here, dict) else None
    return here if isinstance(here, dict) else None

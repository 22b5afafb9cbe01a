"""What isn't linted by itself: what Git is told to ignore, and what `exclude` in the linter's settings names.

Both are lists of patterns as Git understands them, and hold for what is below the folder of their file. Whoever imports
what is left out is still followed there. Left out on purpose: what one machine alone tells Git to ignore.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from thena_contract.frozen import frozen
from thena_lint.source.disk import ABSENT, CLOSED, kind_of, read
from thena_lint.source.table import FILES, Table, table_in
from thena_lint.source.text import Unreadable

_GITIGNORE: Final = ".gitignore"
_EXCLUDE: Final = "exclude"
CONFIGURING: Final = (_GITIGNORE, *FILES)
"""The files that say what is ignored; the later one has the last word."""

_REPOSITORY: Final = ".git"
_REMEMBERED: Final = 256
_PARTS: Final = re.compile(r"\*\*/|/\*\*\Z|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|.", re.DOTALL)


@frozen
class _Pattern:
    """One line: what it matches, whether it takes back an earlier one, and whether it is for folders alone."""

    matches: re.Pattern[str]
    takes_back: bool
    is_for_folders: bool


@frozen
class Patterns:
    """The patterns of one folder, in order; `any_of` matches what one of them may match."""

    folder: str
    every: tuple[_Pattern, ...]
    any_of: re.Pattern[str]

    def verdict(self, path: str, *, is_folder: bool) -> bool | None:
        """Say whether a path below the folder is ignored; `None` where no pattern speaks of it."""
        inner = path[len(self.folder) :].replace(os.sep, "/").removeprefix("/")
        if self.any_of.fullmatch(inner) is None:
            return None
        for pattern in reversed(self.every):
            if (is_folder or not pattern.is_for_folders) and pattern.matches.fullmatch(inner) is not None:
                return not pattern.takes_back
        return None


Ignored = tuple[Patterns, ...]
"""The patterns that hold in a folder, those of the folders around it first."""


def is_ignored(ignored: Ignored, path: str, *, is_folder: bool) -> bool:
    """Say whether a path isn't to be looked at; the folders around it are."""
    for patterns in reversed(ignored):
        verdict = patterns.verdict(path, is_folder=is_folder)
        if verdict is not None:
            return verdict
    return False


def is_matched(pattern: str, folder: Path, path: Path) -> bool:
    """Say whether a pattern of a file in this folder is about a path, or about a folder around it that is below.

    One that begins with `!` is about all others.
    """
    if not path.is_relative_to(folder):
        return False
    patterns = _patterns(str(folder), (pattern.removeprefix("!"),))
    around = [one for one in path.parents if one != folder and one.is_relative_to(folder)]
    is_about = patterns.verdict(str(path), is_folder=False) or any(
        patterns.verdict(str(one), is_folder=True) for one in around
    )
    return bool(is_about) != pattern.startswith("!")


def ignored_in(folder: str, names: Collection[str], around: Ignored, refused: list[Unreadable]) -> Ignored:
    """What holds in a folder with these entries; what can't be read of it is added to `refused`."""
    lines: list[str] = []
    if _GITIGNORE in names:
        lines += _lines(Path(folder, _GITIGNORE), refused)
    if any(name in names for name in FILES):
        lines += _excluded(Path(folder))
    return around if not lines else (*around, _patterns(folder, tuple(lines)))


def ignored_around(folder: str, refused: list[Unreadable]) -> Ignored:
    """What holds in a folder because of the folders around it, up to the one that is a repository."""
    ways = _ways_up(folder)
    ignored: Ignored = ()
    for way in reversed(ways):
        ignored = ignored_in(way, CONFIGURING, ignored, refused)
    return ignored


def _ways_up(folder: str) -> Sequence[str]:
    """The folders around a folder up to the repository, the nearest first; none where it is in no repository."""
    ways: list[str] = []
    here = folder
    while kind_of(os.path.join(here, _REPOSITORY)) in (ABSENT, CLOSED):  # noqa: PTH118 - these are strings throughout
        parent = os.path.dirname(here)  # noqa: PTH120
        if parent == here:
            return ()
        ways.append(parent)
        here = parent
    return ways


def _lines(path: Path, refused: list[Unreadable]) -> list[str]:
    try:
        return read(path).decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError as error:
        refused.append(Unreadable.of(path, error))
        return []


def _excluded(folder: Path) -> Sequence[str]:
    """The patterns of `exclude`. What is wrong with the settings is told where they are read as a whole."""
    for name in FILES:
        table = table_in(folder / name)
        if table is not None:
            found = table.keys.get(_EXCLUDE) if isinstance(table, Table) else None
            return [one for one in found if isinstance(one, str)] if isinstance(found, list) else ()
    return ()


@lru_cache(maxsize=_REMEMBERED)
def _patterns(folder: str, lines: tuple[str, ...]) -> Patterns:
    every = tuple(_compiled(lines))
    any_of = re.compile("|".join(f"(?:{one.matches.pattern})" for one in every) or r"(?!)", re.DOTALL)
    return Patterns(folder, every, any_of)


def _compiled(lines: Iterable[str]) -> Iterator[_Pattern]:
    for line in lines:
        text = re.sub(r"(?<!\\) +\Z", "", line)
        if not text or text.startswith("#"):
            continue
        takes_back = text.startswith("!")
        body = text.removeprefix("!") if takes_back else text
        inner = body.rstrip("/")
        try:
            matches = re.compile(_as_regex(inner), re.DOTALL)
        except re.error:
            # As Git does with a pattern that it can't read.
            continue
        if inner:
            yield _Pattern(matches, takes_back, is_for_folders=body.endswith("/"))


def _as_regex(pattern: str) -> str:
    """A pattern with a slash is about a path from the folder, one without about a name at any depth."""
    start = "" if "/" in pattern else "(?:.*/)?"
    return start + "".join(map(_part_as_regex, _PARTS.findall(pattern.removeprefix("/"))))


def _part_as_regex(part: str) -> str:
    match part:
        case "**/":
            return "(?:.*/)?"
        case "/**":
            return "/.+"
        case "?":
            return "[^/]"
    if part.startswith("*"):
        return "[^/]*"
    if part.startswith("[") and len(part) > 2:
        inner = part[1:-1]
        negated = "^" if inner[0] in "!^" else ""
        return f"[{negated}{re.escape(inner.lstrip('!^') if negated else inner).replace(chr(92) + '-', '-')}]"
    return re.escape(part[1:] if part.startswith("\\") else part)

"""Which Python files belong to the paths that were given.

Folders that hold no source of the user's are left out: hidden ones, caches, installed packages, virtual
environments. Linked folders aren't entered, so a loop of links ends; what is no regular file, such as a pipe, isn't
opened, so that nobody waits for it.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from thena_lint.source.text import Unreadable

_NEVER: Final = frozenset({"__pycache__", "node_modules", "site-packages"})
_ENVIRONMENT: Final = "pyvenv.cfg"
_SUFFIX: Final = ".py"


class PathError(Exception):
    """A path that was asked for can't be linted."""


def absolute(path: Path) -> Path:
    """The path from the root, with links kept as they were written."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would follow links


def is_python(path: Path) -> bool:
    """Say whether a file's name says that it is Python source."""
    return path.suffix == _SUFFIX


@dataclass(frozen=True, slots=True)
class Discovered:
    """Every Python file, once and in a fixed order, and the folders that can't be read."""

    files: tuple[Path, ...]
    closed: tuple[Unreadable, ...] = ()


def discover(paths: Iterable[Path]) -> Discovered:
    """Find every Python file under these files and folders.

    Raises:
        PathError: for a path that doesn't exist, or a file that isn't Python.
    """
    found: set[Path] = set()
    closed: list[Unreadable] = []
    for path in map(absolute, paths):
        if _kind(path) == "folder":
            found.update(_files(str(path), closed))
        elif not is_python(path):
            raise PathError(f"`{path}` is no Python file. Name a `.py` file or a folder.")
        elif _kind(path) == "other":
            raise PathError(f"`{path}` is no regular file. Name a file or folder that can be read again and again.")
        else:
            found.add(path)
    return Discovered(tuple(sorted(found)), tuple(closed))


def _kind(path: Path) -> Literal["folder", "file", "other"]:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise PathError(f"`{path}` doesn't exist. Name a file or folder that does.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise PathError(f"`{path}` can't be read: {reason}. Name a file or folder that can.") from None
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"


def is_among(path: Path, folders: Iterable[Path]) -> bool:
    """Say whether `discover` would look for a file of this name under these folders, whether it exists or not."""
    return any(path.is_relative_to(folder) and not _is_left_out(path, folder) for folder in folders)


def _is_left_out(path: Path, folder: Path) -> bool:
    below = path.parent.relative_to(folder).parts
    ways = [folder.joinpath(*below[:depth]) for depth in range(len(below) + 1)]
    return any(map(_is_never, below)) or any((way / _ENVIRONMENT).is_file() for way in ways)


def _is_never(name: str) -> bool:
    return name in _NEVER or name.startswith(".")


def _files(folder: str, closed: list[Unreadable]) -> Iterator[Path]:
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here) as scanned:
                entries = list(scanned)
        except OSError as error:
            closed.append(Unreadable(Path(here), error.strerror or type(error).__name__, is_closed=True))
            continue
        if any(entry.name == _ENVIRONMENT for entry in entries):
            continue
        for entry in entries:
            if _is_folder(entry):
                if not _is_never(entry.name):
                    waiting.append(entry.path)
            elif entry.name.endswith(_SUFFIX) and _is_file(entry):
                yield Path(entry.path)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        # A file that this process may not even look at is told where it is read.
        return True

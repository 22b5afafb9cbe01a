"""Which Python files belong to the paths that were given.

Folders that hold no source of the user's are left out: hidden ones, caches, installed packages, virtual
environments. Linked folders aren't entered, so a loop of links ends.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

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


def discover(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Every Python file under these files and folders, once, in a fixed order.

    Raises:
        PathError: for a path that doesn't exist, or a file that isn't Python.
    """
    found: set[Path] = set()
    for path in map(absolute, paths):
        if path.is_dir():
            found.update(_files(str(path)))
        elif not path.exists():
            raise PathError(f"`{path}` doesn't exist. Name a file or folder that does.")
        elif not is_python(path):
            raise PathError(f"`{path}` is no Python file. Name a `.py` file or a folder.")
        else:
            found.add(path)
    return tuple(sorted(found))


def is_among(path: Path, folders: Iterable[Path]) -> bool:
    """Say whether `discover` would look for a file of this name under these folders, whether it exists or not."""
    return any(path.is_relative_to(folder) and not _is_left_out(path, folder) for folder in folders)


def _is_left_out(path: Path, folder: Path) -> bool:
    below = path.parent.relative_to(folder).parts
    ways = [folder.joinpath(*below[:depth]) for depth in range(len(below) + 1)]
    return any(map(_is_never, below)) or any((way / _ENVIRONMENT).is_file() for way in ways)


def _is_never(name: str) -> bool:
    return name in _NEVER or name.startswith(".")


def _files(folder: str) -> Iterator[Path]:
    waiting = [folder]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                here = list(entries)
        except OSError:
            continue
        if any(entry.name == _ENVIRONMENT for entry in here):
            continue
        for entry in here:
            if entry.is_dir(follow_symlinks=False):
                if not _is_never(entry.name):
                    waiting.append(entry.path)
            elif entry.name.endswith(_SUFFIX) and entry.is_file():
                yield Path(entry.path)

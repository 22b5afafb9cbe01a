"""Which Python files belong to the paths that were given.

Folders that hold no source of the user's are left out: hidden ones, caches, installed packages, virtual environments,
and what the user says is to be ignored. A file or folder that is named is looked at whatever holds for it. Linked
folders aren't entered, so a loop of links ends; what is no regular file, such as a pipe, isn't opened, so that nobody
waits for it.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Literal

from thena_contract.frozen import frozen
from thena_lint.source.disk import CLOSED, FILE, kind_at, kind_of, note_listing, note_looked_at
from thena_lint.source.ignored import CONFIGURING, ignored_around, ignored_in, is_ignored
from thena_lint.source.text import Unreadable

_NEVER: Final = frozenset({"__pycache__", "__pypackages__", "buck-out", "node_modules", "site-packages"})
_ENVIRONMENT: Final = "pyvenv.cfg"
MODULES: Final = (".py",)
"""What importing reads, by how its name ends."""

MODULES_AND_NOTEBOOKS: Final = (*MODULES, ".ipynb")


class PathError(Exception):
    """A path that was asked for can't be linted."""


def absolute(path: Path) -> Path:
    """The path from the root, with links kept as they were written."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - `resolve` would follow links


def is_python(path: Path) -> bool:
    """Say whether a file's name says that it is Python source."""
    return path.suffix in MODULES


def is_source(path: Path) -> bool:
    """Say whether a file's name says that it holds Python, also where it is a notebook."""
    return path.suffix in MODULES_AND_NOTEBOOKS


@frozen
class Discovered:
    """Every file, once and in a fixed order, and what can't be read: folders, and what says what to ignore."""

    files: tuple[Path, ...]
    closed: tuple[Unreadable, ...] = ()
    links: frozenset[Path] = frozenset()
    """The files below folders that are links to files."""

    folders: tuple[Path, ...] = ()
    """The folders that were looked into, or would have been."""


def discover(paths: Iterable[Path], kinds: tuple[str, ...] = MODULES) -> Discovered:
    """Find every file of these kinds under these files and folders.

    Raises:
        PathError: for a path that doesn't exist, or a file of another kind.
    """
    found: set[Path] = set()
    closed: list[Unreadable] = []
    links: set[Path] = set()
    folders: list[Path] = []
    for path in map(absolute, paths):
        if _kind(path) == "folder":
            found.update(_files(str(path), kinds, closed, links, folders))
        elif path.suffix not in kinds:
            raise PathError(f"`{path}` is no Python file. Name a `.py` file or a folder.")
        elif _kind(path) == "other":
            raise PathError(f"`{path}` is no regular file. Name a file or folder that can be read again and again.")
        else:
            found.add(path)
    # As paths compare themselves, which one part after the other does in a third of the time.
    files = tuple(sorted(found, key=lambda path: path.parts))
    note_looked_at(files)
    return Discovered(files, tuple(closed), frozenset(links), tuple(folders))


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
    below = path.relative_to(folder).parts
    if any(map(_is_never, below[:-1])):
        return True
    refused: list[Unreadable] = []
    ignored = ignored_around(str(folder), refused)
    here = folder
    for name in below:
        if kind_of(here / _ENVIRONMENT) == FILE:
            return True
        ignored = ignored_in(str(here), CONFIGURING, ignored, refused)
        here /= name
        if is_ignored(ignored, str(here), is_folder=here != path):
            return True
    return False


def _is_never(name: str) -> bool:
    return name in _NEVER or name.startswith(".")


def _files(
    folder: str, kinds: tuple[str, ...], closed: list[Unreadable], links: set[Path], folders: list[Path]
) -> Iterator[Path]:
    waiting = [(folder, ignored_around(folder, closed))]
    while waiting:
        here, around = waiting.pop()
        folders.append(Path(here))
        try:
            with os.scandir(here) as scanned:
                entries = list(scanned)
            note_listing(here, entries)
        except OSError as error:
            closed.append(Unreadable.of(Path(here), error))
            continue
        names = {entry.name for entry in entries}
        if _ENVIRONMENT in names:
            continue
        ignored = around if names.isdisjoint(CONFIGURING) else ignored_in(here, names, around, closed)
        for entry in entries:
            if _is_folder(entry):
                if not _is_never(entry.name) and not is_ignored(ignored, entry.path, is_folder=True):
                    waiting.append((entry.path, ignored))
            elif (
                entry.name.endswith(kinds) and _is_file(entry) and not is_ignored(ignored, entry.path, is_folder=False)
            ):
                path = Path(entry.path)
                if entry.is_symlink():
                    links.add(path)
                yield path


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:
        # A file that this process may not even look at is told where it is read; a link to itself is none.
        return kind_at(entry.path) == CLOSED

"""Path <-> dotted module name, for several roots.

A file's own name is its path from the nearest folder around it that is no package. A name in an import is looked for
from the importing file's root, then from the roots of the project; what two files could be is neither. A stub counts
only where it is all there is of a module.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, Unknown
from thena_contract.frozen import frozen
from thena_lint.source.disk import FILE, FOLDER, kind_of
from thena_lint.summary.facts import FileFacts, Import, StarImport

_INIT: Final = "__init__.py"
_STUB: Final = ".pyi"
SOURCES: Final = "src"


@frozen
class ModuleName:
    """What importing a file would call it, and the folder that would have to be on the path."""

    root: Path
    dotted: str

    @property
    def first(self) -> str:
        """The top-level package or module."""
        return self.dotted.partition(".")[0]


@frozen
class ModuleAt:
    """A module of the project: where it is without its suffix, and its file (`None` for a package without one)."""

    location: Path
    file: Path | None

    @property
    def is_package(self) -> bool:
        """Say whether there can be modules in it."""
        return self.file is None or self.file.name == _INIT


def module_name(file: Path, is_file: Callable[[str], bool]) -> ModuleName:
    """Name a file."""
    parts = [] if file.name == _INIT else [file.stem]
    folder = file.parent
    while is_file(_init_in(folder)) and folder != folder.parent:
        parts.append(folder.name)
        folder = folder.parent
    return ModuleName(folder, ".".join(reversed(parts)))


def _init_in(folder: Path) -> str:
    return os.path.join(folder, _INIT)  # noqa: PTH118 - a path would be made for each question


def is_stub(file: Path) -> bool:
    """Say whether a file holds the heads of a module whose code is elsewhere."""
    return file.suffix == _STUB


class Modules:
    """Finds modules for one state of a project. Remembers what it found; nothing else about it changes."""

    def __init__(self, folders: Iterable[Path], files: Iterable[Path]) -> None:
        # Each file is one and the same object everywhere, which costs less to look up than an equal one. What is only
        # asked for is a text, which costs less to put together than a path.
        self._files = {str(file): file for file in files}
        self._at: dict[str, ModuleAt | None] = {}
        self._is_file: dict[str, bool] = {}
        self._names: dict[Path, ModuleName] = {}
        self._found: dict[tuple[Path, str], ModuleAt | Unknown | None] = {}
        self._imported_by: dict[Path, tuple[FileFacts, tuple[Path, ...]]] = {}
        self._imported: dict[tuple[Path, int, str, str | None], tuple[Path, ...]] = {}
        roots = dict.fromkeys(folders)
        roots.update(dict.fromkeys([folder / SOURCES for folder in tuple(roots)]))
        for folder in dict.fromkeys(file.parent for file in self._files.values()):
            if SOURCES in folder.parts:
                # Each project of a repository has its own, and below it may be packages that don't say so.
                roots[_sources_around(folder)] = None
            roots[self.name_of(folder / _INIT if self.is_file(folder / _INIT) else folder / "x.py").root] = None
        self._roots = tuple(roots)

    def is_file(self, path: Path | str) -> bool:
        """Say whether a file is in the project or on disk."""
        here = str(path)
        if here in self._files:
            return True
        if here not in self._is_file:
            self._is_file[here] = kind_of(here) == FILE
        return self._is_file[here]

    def name_of(self, file: Path) -> ModuleName:
        """What importing this file would call it."""
        name = self._names.get(file)
        if name is None:
            name = self._names[file] = module_name(file, self.is_file)
        return name

    def at(self, location: Path) -> ModuleAt | None:
        """The module at a path without suffix."""
        here = str(location)
        if here not in self._at:
            self._at[here] = self._look_at(location)
        return self._at[here]

    def _look_at(self, location: Path) -> ModuleAt | None:
        for file in (_init_in(location), f"{location}.py", f"{location}{_STUB}"):
            if self.is_file(file):
                return ModuleAt(location, self._files.get(file) or Path(file))
        return ModuleAt(location, None) if kind_of(location) == FOLDER else None

    def find(self, dotted: str, importer: Path) -> ModuleAt | Unknown | None:
        """The module that an absolute import means; `None` if it is none of the project's, `UNKNOWN` if unclear."""
        own = self.name_of(importer).root
        key = (own, dotted)
        if key not in self._found:
            self._found[key] = self._find(dotted, own)
        return self._found[key]

    def imported(self, importer: Path, facts: FileFacts) -> tuple[Path, ...]:
        """The files that are carried out by the imports of a file, as far as they are the project's."""
        known = self._imported_by.get(importer)
        if known is None or known[0] is not facts:
            files = tuple({file for one in facts.imports for file in self._files_of(importer, one)})
            known = self._imported_by[importer] = (facts, files)
        return known[1]

    def _files_of(self, importer: Path, one: Import | StarImport) -> tuple[Path, ...]:
        if not one.level and one.module.partition(".")[0] == vocabulary.PACKAGE:
            return ()
        name = one.name if isinstance(one, Import) else None
        key = (importer.parent, one.level, one.module, name)
        if key not in self._imported:
            self._imported[key] = tuple(self._carried_out(importer, one.level, one.module, name))
        return self._imported[key]

    def _carried_out(self, importer: Path, level: int, module: str, name: str | None) -> Iterator[Path]:
        """The packages around a module, the module, and what may be a module in it."""
        parts = [part for part in (*module.split("."), name) if part]
        folder = importer.parents[min(level, len(importer.parents)) - 1] if level else None
        for end in range(0 if level else 1, len(parts) + 1):
            here = parts[:end]
            at = self.find(".".join(here), importer) if folder is None else self.at(folder.joinpath(*here))
            if isinstance(at, ModuleAt) and at.file is not None:
                yield at.file
            if here and (at is None or (isinstance(at, ModuleAt) and not at.is_package)):
                # Nothing can be in there.
                return

    def _find(self, dotted: str, own: Path) -> ModuleAt | Unknown | None:
        first, *rest = dotted.split(".")
        in_library = first in sys.stdlib_module_names
        here = self._under(own, first, rest)
        if here is not None:
            # Which of the two wins depends on how the program is started.
            return UNKNOWN if in_library else here
        if in_library:
            return None
        others = {found for root in self._roots if (found := self._under(root, first, rest)) is not None}
        with_files = {found for found in others if found.file is not None} or others
        if len(with_files) <= 1:
            return next(iter(with_files), None)
        nearest = sorted(with_files, key=lambda found: _shared(found.location, own), reverse=True)
        clear = _shared(nearest[0].location, own) > _shared(nearest[1].location, own)
        return nearest[0] if clear else UNKNOWN

    def _under(self, root: Path, first: str, rest: list[str]) -> ModuleAt | None:
        top = self.at(root / first)
        return top if top is None or not rest else self.at(root.joinpath(first, *rest))


def _sources_around(folder: Path) -> Path:
    """The nearest folder for sources that a folder of the project is in."""
    return next(way for way in (folder, *folder.parents) if way.name == SOURCES)


def _shared(one: Path, other: Path) -> int:
    return len(os.path.commonpath([one, other]))

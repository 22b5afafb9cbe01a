"""From one file to every file of the project that running it may import.

Imports inside functions count too, since they are carried out while the program runs. So this reads more than the facts
of a file hold, and of a file that doesn't parse what its lines say. Left out on purpose: what is imported by a name
that is put together at run time, and what is installed.
"""

import ast
import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from thena_lint.index.modules import ModuleAt
from thena_lint.index.project import ProjectIndex
from thena_lint.source.parse import python_tree
from thena_lint.source.text import SourceText, decode

_FROM: Final = re.compile(r"from\s*(\.*)\s*([\w.]*)\s+import\b")

_Imported = tuple[int, str]
"""Leading dots, and a dotted name."""


def reached_from(index: ProjectIndex, file: Path, root: Path, *, leaving_out: Collection[Path] = ()) -> frozenset[Path]:
    """The file itself and what it imports, directly or not, when `root` stands first on the path.

    Nothing is followed through the files that are to be left out.
    """
    return frozenset(importers_from(index, file, root, leaving_out=leaving_out))


def importers_from(
    index: ProjectIndex, file: Path, root: Path, *, leaving_out: Collection[Path] = ()
) -> Mapping[Path, Path | None]:
    """Like `reached_from`, each file with the one that imports it on a shortest way; the file itself has none."""
    importers: dict[Path, Path | None] = {}
    waiting: deque[tuple[Path, Path | None]] = deque([(file, None)])
    while waiting:
        path, importer = waiting.popleft()
        if path not in importers and path not in leaving_out:
            importers[path] = importer
            # Those around it are imported before it, and so by the same file; its own are imported by itself.
            waiting += ((package, importer or path) for package in _packages(index, path))
            for level, dotted in _imports(_text(index, path)):
                waiting += ((found, path) for found in _files(index, path, root, level, dotted))
    return importers


def _text(index: ProjectIndex, path: Path) -> str:
    if path in index.overlays:
        return index.overlays[path]
    try:
        source = decode(path, path.read_bytes()) if path.is_file() else None
    except OSError:
        source = None
    return source.text if isinstance(source, SourceText) else ""


def _packages(index: ProjectIndex, path: Path) -> Iterator[Path]:
    """The packages around a file, each of which is imported before it."""
    folder = path.parent
    while index.modules.is_file(folder / "__init__.py") and folder != folder.parent:
        yield folder / "__init__.py"
        folder = folder.parent


def _files(index: ProjectIndex, importer: Path, root: Path, level: int, dotted: str) -> Iterator[Path]:
    parts = dotted.split(".") if dotted else []
    if level:
        folder = importer.parent
        for _ in range(level - 1):
            folder = folder.parent
        found = (index.modules.at(folder.joinpath(*parts[:end])) for end in range(len(parts) + 1))
    else:
        found = (_absolute(index, importer, root, parts[:end]) for end in range(1, len(parts) + 1))
    yield from (at.file for at in found if at is not None and at.file is not None)


def _absolute(index: ProjectIndex, importer: Path, root: Path, parts: list[str]) -> ModuleAt | None:
    here = index.modules.at(root.joinpath(*parts))
    if here is not None and here.file is not None:
        return here
    found = index.modules.find(".".join(parts), importer)
    return found if isinstance(found, ModuleAt) else here


@lru_cache(maxsize=1024)
def _imports(text: str) -> tuple[_Imported, ...]:
    tree = python_tree(text)
    if tree is not None:
        return tuple(_imported(tree))
    lines = (line.strip() for line in text.splitlines() if line.lstrip().startswith(("import ", "from ")))
    return tuple(one for line in lines for one in _on_line(line))


def _on_line(line: str) -> Iterator[_Imported]:
    """The imports of a line by itself; where it goes on below, the module that it imports from."""
    tree = python_tree(line)
    if tree is not None:
        yield from _imported(tree)
    elif (unfinished := _FROM.match(line)) is not None:
        yield len(unfinished[1]), unfinished[2]


def _imported(tree: ast.Module) -> Iterator[_Imported]:
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                yield from ((0, one.name) for one in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                # Each name may be a module of the package that it is imported from.
                yield from ((level, ".".join(filter(None, (module, one.name)))) for one in names)
            case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(name)), *_]):
                yield 0, name

"""What the files of an assembly are called, where their folders are packages without saying so.

By itself such a file has the name that it has in its folder. But an import of the assembly may call it otherwise, and
two such files may have one name, which would make one class of two.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from thena_lint.index.modules import ModuleAt
from thena_lint.index.project import ProjectIndex
from thena_lint.summary.facts import Import


def longer_names(index: ProjectIndex, files: Mapping[str, set[Path]]) -> dict[Path, str]:
    """The files that need another name than they have in the index, and that name.

    They are called what an import of the assembly calls them; those that share a name have one more folder in it.
    """
    shared = {
        file: ".".join(_location(file)[-(name.count(".") + 2) :])
        for name, same in files.items()
        if len(same) > 1
        for file in same
    }
    return _names_in_imports(index, {file for same in files.values() for file in same}) | shared


def _names_in_imports(index: ProjectIndex, files: set[Path]) -> dict[Path, str]:
    imported = {dotted: importer for importer in sorted(files) for dotted in _imports(index, importer)}
    found: dict[Path, str] = {}
    for file in files - index.names.keys():
        location = _location(file)
        own = index.module_of(file).dotted
        longer = (".".join(location[-length:]) for length in range(own.count(".") + 2, len(location) + 1))
        for name in () if own in imported else longer:
            # `import a.b` binds `a` alone.
            importer = imported.get(name) or imported.get(f"{name.partition('.')[0]}.")
            module = None if importer is None else index.modules.find(name, importer)
            if isinstance(module, ModuleAt) and module.file == file:
                found.setdefault(file, name)
    return found


def _imports(index: ProjectIndex, importer: Path) -> Iterator[str]:
    """The modules that a file imports, or that may be what it imports from one; `a.` stands for all inside `a`."""
    indexed = index.file(importer)
    for binding in () if indexed is None or indexed.facts is None else indexed.facts.names.values():
        if isinstance(binding, Import) and binding.level == 0:
            yield binding.module
            yield f"{binding.module}.{binding.name or ''}"


def _location(file: Path) -> tuple[str, ...]:
    """The folders of a file from the root, and its own name unless it stands for its folder."""
    parts = file.with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" else parts

"""The identity of a class or function, as the reader of text would name it."""

import sys
from pathlib import Path

from thena_contract.anchor import Ref


def ref_of(thing: object) -> Ref:
    """Name a class or function. A program's main module gets the name that importing its file would give it."""
    module = getattr(thing, "__module__", None) or ""
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None) or type(thing).__qualname__
    return Ref(_main_module() if module == "__main__" else module, name)


def is_derived(cls: type, wanted: type) -> bool:
    """Say whether a class counts as derived from another; from a `Protocol` that can't be asked none does."""
    try:
        return issubclass(cls, wanted)
    except TypeError:
        return False


def _main_module() -> str:
    file = getattr(sys.modules.get("__main__"), "__file__", None)
    return "__main__" if file is None else module_name(Path(file).resolve())


def module_name(file: Path) -> str:
    """A file's dotted module name: its path from the nearest ancestor that is no package."""
    parts = [] if file.stem == "__init__" else [file.stem]
    folder = file.parent
    while (folder / "__init__.py").is_file():
        parts.append(folder.name)
        folder = folder.parent
    return ".".join(reversed(parts))

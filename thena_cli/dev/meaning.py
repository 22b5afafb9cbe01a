"""Whether files mean the same as before: Python by its syntax tree, anything else byte by byte.

A comment, a blank line or another layout changes nothing that runs. Pure: contents are given, nothing is read.
"""

import ast
from collections.abc import Collection, Mapping
from pathlib import Path

from thena_lint.source.parse import python_tree


def is_same(before: Mapping[Path, bytes], now: Mapping[Path, bytes], paths: Collection[Path]) -> bool:
    """Say whether each of the files means what it meant; one that is new or gone doesn't."""
    return all(_is_same(path, before.get(path), now.get(path)) for path in paths)


def _is_same(path: Path, before: bytes | None, now: bytes | None) -> bool:
    if before == now:
        return True
    if before is None or now is None or path.suffix != ".py":
        return False
    then, there = python_tree(before), python_tree(now)
    try:
        return then is not None and there is not None and ast.dump(then) == ast.dump(there)
    except (RecursionError, MemoryError):
        return False

"""Whether files mean the same as before: Python by its syntax tree, anything else byte by byte.

A comment, a blank line or another layout changes nothing that runs. Pure: contents are given, nothing is read.
"""

import ast
import warnings
from collections.abc import Collection, Mapping
from pathlib import Path


def is_same(before: Mapping[Path, bytes], now: Mapping[Path, bytes], paths: Collection[Path]) -> bool:
    """Say whether each of the files means what it meant; one that is new or gone doesn't."""
    return all(_is_same(path, before.get(path), now.get(path)) for path in paths)


def _is_same(path: Path, before: bytes | None, now: bytes | None) -> bool:
    if before == now:
        return True
    if before is None or now is None or path.suffix != ".py":
        return False
    try:
        return _tree(before) == _tree(now)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _tree(text: bytes) -> str:
    with warnings.catch_warnings():
        # What the compiler warns of is told when the file is run.
        warnings.simplefilter("ignore")
        return ast.dump(ast.parse(text, type_comments=False))

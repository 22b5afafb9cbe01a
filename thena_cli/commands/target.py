"""The TARGET argument, which every command takes alike.

Left out on purpose: what a target means, which the command line shares with the editor (`thena_lint.target`).
"""

import sys
from pathlib import Path

from thena_lint.target import Target, TargetError, find_target


def find(text: str) -> Target | None:
    """Find what `text` names, seen from the current folder; if that is nothing, say why and return None."""
    try:
        return find_target(text, Path.cwd())
    except TargetError as error:
        print(f"thena: {error}", file=sys.stderr)
        return None


def spelt_out(target: Target) -> str:
    """The target as a child process takes it."""
    return target.module if target.name is None else f"{target.module}:{target.name}"

"""The TARGET argument, which every command takes alike.

Left out on purpose: what a target means, which the command line shares with the editor (`thena_lint.target`).
"""

import sys
from pathlib import Path

from thena_cli.dev.child import Order
from thena_lint.target import Target, TargetError, find_target


def current_folder() -> Path | None:
    """Where the user stands; if that is nowhere, say so and return None."""
    try:
        return Path.cwd()
    except OSError as error:
        print(f"thena: the current folder can't be read: {error.strerror}. Go to one that can.", file=sys.stderr)
        return None


def find(text: str, folder: Path) -> Target | None:
    """Find what `text` names, seen from a folder; if that is nothing, say why and return None."""
    try:
        return find_target(text, folder)
    except TargetError as error:
        print(f"thena: {error}", file=sys.stderr)
        return None


def order_for(target: Target, *, prompt: str, folder: Path) -> Order:
    """What a child process is told: a name that nobody typed is a guess, which an import may prove wrong."""
    return Order(
        module=target.module,
        name=target.name if target.is_typed else None,
        guess=None if target.is_typed else target.name,
        file=target.file,
        root=target.root,
        folder=folder,
        prompt=prompt,
    )

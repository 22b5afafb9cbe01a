"""The TARGET argument, which every command takes alike.

Left out on purpose: what a target means, which the command line shares with the editor (`thena_lint.target`).
"""

from pathlib import Path

from thena_cli.commands.command_error import CommandError
from thena_cli.dev.child import Order
from thena_lint.target import Target, TargetError, find_target


def current_folder() -> Path:
    """Where the user stands. Raises `CommandError` if that is nowhere."""
    try:
        return Path.cwd()
    except OSError as error:
        raise CommandError(f"the current folder can't be read: {error.strerror}. Go to one that can.") from None


def find(text: str, folder: Path) -> Target:
    """Find what `text` names, seen from a folder. Raises `CommandError` if that is nothing, or several things."""
    try:
        return find_target(text, folder)
    except TargetError as error:
        raise CommandError(str(error)) from None


def order_for(target: Target, *, folder: Path) -> Order:
    """What a child process is told: a name that nobody typed is a guess, which an import may prove wrong."""
    return Order(
        module=target.module,
        name=target.name if target.is_typed else None,
        guess=None if target.is_typed else target.name,
        file=target.file,
        root=target.root,
        behind=target.behind,
        folder=folder,
    )

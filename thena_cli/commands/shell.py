"""What a shell asks when its user presses Tab, and the answer."""

from typing import Final

import click

ASKS: Final = "_THENA_COMPLETE"
"""The variable by which a shell asks."""


def answer(commands: click.Group, asked: str) -> int:
    """Print what may stand there, in the form of that shell; return the exit code."""
    from click.shell_completion import shell_complete

    return shell_complete(commands, {}, "thena", ASKS, asked)

"""New files on their way to the disk, and what is told of them."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from thena_cli.commands.command_error import CommandError
from thena_cli.commands.output import write
from thena_cli.dev.lines import shown_path
from thena_cli.paragraph import paragraph
from thena_cli.scaffold.files import FileThereError, NewFile, write_all


def written(files: Sequence[NewFile], here: Path) -> None:
    """Write new files and list them. Raises `CommandError` where one is there, or can't be written."""
    try:
        write_all(files)
    except FileThereError as error:
        raise CommandError(
            f"`{shown_path(error.path, here)}` is there already, and nothing was written. Take another name."
        ) from None
    except OSError as error:
        raise CommandError(
            f"`{shown_path(Path(error.filename or here), here)}` can't be written: {error.strerror}. "
            "Nothing was left behind."
        ) from None
    for file in files:
        write(f"{click.style('created', fg='green')}  {shown_path(file.path, here)}\n")


def show(*commands: str, then: str) -> None:
    """Tell what comes next."""
    told = "".join(f"  {click.style(command, bold=True)}\n" for command in commands)
    write(f"\n{told}\n{paragraph(then, sys.stdout)}\n")

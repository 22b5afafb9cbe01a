"""`thena new NAME`: a project that runs, lints clean and is tested, without a key."""

import os
from pathlib import Path

import click

from thena_cli.commands.command_error import CommandError


@click.command("new")
@click.argument("name", metavar="NAME")
def command(name: str) -> int:
    """Make a project.

    NAME is that of a new folder here, such as my-app. The project has a package with an agent, a tool, a state and a
    workflow, and a test; it runs without a key.
    """
    from thena_cli.commands.scaffolding import show, written
    from thena_cli.commands.target import current_folder
    from thena_cli.scaffold.names import NameRefusedError, project_name
    from thena_cli.scaffold.project import project_files

    here = current_folder()
    try:
        project = project_name(name)
    except NameRefusedError as error:
        raise CommandError(str(error)) from None
    folder = here / name
    if os.path.lexists(folder):
        _require_empty(folder)
    written(project_files(project, folder), here)
    show(
        f"cd {name}",
        f"thena dev {project.package}",
        then="It runs without a key; `README.md` says how to ask a model.",
    )
    return 0


def _require_empty(folder: Path) -> None:
    if not folder.is_dir():
        raise CommandError(f"`{folder.name}` is there and is no folder. Take another name.")
    try:
        is_empty = not any(folder.iterdir())
    except OSError as error:
        raise CommandError(
            f"`{folder.name}` is there and can't be read: {error.strerror}. Take another name."
        ) from None
    if not is_empty:
        raise CommandError(f"`{folder.name}` is there and isn't empty. Take another name, or empty it first.")

"""`thena check TARGET`: judge a workflow as its start-up does, by importing it in a child process."""

import click

from thena_cli.commands import arguments


@click.command("check")
@arguments.target
@arguments.json
@arguments.traceback
def command(target: str, is_json: bool, traces: bool) -> int:
    """Judge a workflow by importing it.

    It says what `Thena(...)` would say at start-up, and runs nothing. `thena-lint` says nearly all of it without
    importing; what only an import shows (a class that is made by a function, a missing package) is told here.

    Exit code: 0 it would run, 1 faults were found or the import failed, 2 TARGET means nothing.
    """
    import asyncio
    import sys
    from dataclasses import replace

    from thena_cli.commands.ask import ask
    from thena_cli.commands.target import current_folder, find, order_for
    from thena_cli.dev.screen import open_screen

    folder = current_folder()
    found = find(target, folder)
    screen = open_screen(sys.stdout, watched=found.watch, folder=folder, is_clearing=False)
    order = replace(order_for(found, folder=folder), act="check", traces=traces)
    answer = asyncio.run(ask(order, screen, output=sys.stdout if is_json else None))
    return answer.code

"""`thena run TARGET [PROMPT]`: run a workflow once, in a child process.

The result goes to standard output and everything else to standard error, so that the result can be piped. Left out on
purpose: linting (start-up judges in any case) and watching, which are `thena dev`'s.
"""

import argparse

from thena_cli.commands.arguments import add_target_and_prompt

NAME = "run"
HELP = "run a workflow once: the result on standard output, the tree on standard error"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_target_and_prompt(parser)
    parser.add_argument(
        "--json", action="store_true", help="instead of the result, print each event and the outcome as a line of JSON"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the target; return the exit code."""
    import asyncio
    import sys

    from thena_cli.commands.target import current_folder, find, order_for
    from thena_cli.dev.child import Child
    from thena_cli.dev.screen import open_screen
    from thena_cli.dev.single import run_once

    folder = current_folder()
    target = None if folder is None else find(arguments.target, folder)
    if folder is None or target is None:
        return 2
    screen = open_screen(sys.stderr, watched=target.watch, folder=folder, is_clearing=False, shows_output=False)
    child = Child.running(order_for(target, prompt=arguments.prompt, folder=folder))
    return asyncio.run(run_once(child, screen, sys.stdout, is_json=arguments.json))

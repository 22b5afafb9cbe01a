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
    from pathlib import Path

    from thena_cli.commands.target import find, spelt_out
    from thena_cli.dev.child import Child
    from thena_cli.dev.screen import open_screen
    from thena_cli.dev.single import run_once

    target = find(arguments.target)
    if target is None:
        return 2
    screen = open_screen(sys.stderr, watched=target.watch, folder=Path.cwd(), is_clearing=False, shows_output=False)
    child = Child.running(spelt_out(target), root=target.root, prompt=arguments.prompt)
    return asyncio.run(run_once(child, screen, sys.stdout, is_json=arguments.json))

"""`thena dev TARGET [PROMPT]`: lint, run, show, and again at every save.

Left out on purpose: everything that happens after the arguments are understood (`dev/session.py`).
"""

import argparse

from thena_cli.commands.arguments import add_target_and_prompt

NAME = "dev"
HELP = "lint a workflow, run it, and run it again at every save"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_target_and_prompt(parser)
    parser.add_argument("--once", action="store_true", help="check and run once, and exit with 0 or 1")
    parser.add_argument("--no-clear", action="store_true", help="keep earlier runs on the screen")
    parser.add_argument(
        "--lint",
        choices=("error", "off"),
        default="error",
        help="error (the default): code with a fault is not run; off: nothing is linted",
    )


def run(arguments: argparse.Namespace) -> int:
    """Run a session; return its exit code."""
    from thena_cli.dev.child import Child

    # It warms itself up while this process imports what it needs itself, which takes about as long.
    spare = Child.spare()
    try:
        import asyncio
        import sys

        from thena_cli.commands.target import current_folder, find, order_for
        from thena_cli.dev.linter import Linter
        from thena_cli.dev.screen import open_screen
        from thena_cli.dev.session import Session

        folder = current_folder()
        target = None if folder is None else find(arguments.target, folder)
        if folder is None or target is None:
            return 2
        is_clearing = not arguments.no_clear and not arguments.once
        screen = open_screen(sys.stdout, watched=target.watch, folder=folder, is_clearing=is_clearing)
        is_coloured = screen.is_coloured
        session = Session(
            order=order_for(target, prompt=arguments.prompt, folder=folder),
            watched=target.watch,
            linter=lambda watch: Linter(target, folder=folder, is_coloured=is_coloured, before_reading=watch),
            is_linting=arguments.lint == "error",
            screen=screen,
            spare=spare,
            is_once=arguments.once,
        )
        return asyncio.run(session.run())
    finally:
        spare.kill()

"""`thena dev TARGET [PROMPT]`: lint, run, show, and again at every save.

Left out on purpose: everything that happens after the arguments are understood (`dev/session.py`).
"""

from typing import Literal

import click

from thena_cli.commands import arguments


@click.command("dev", cls=arguments.Reporting)
@arguments.target
@arguments.prompt
@arguments.state
@arguments.data
@arguments.budget
@arguments.report
@click.option("--no-replay", is_flag=True, help="Ask models again for what they have answered in this session.")
@click.option("--json", "is_json", is_flag=True, help="Print everything that happens as JSON, one object a line.")
@click.option("--once", is_flag=True, help="Check and run once, and exit with 0 or 1.")
@click.option("--no-clear", is_flag=True, help="Keep earlier runs on the screen.")
@click.option(
    "--lint",
    type=click.Choice(["error", "warn", "off"]),
    default="error",
    help="error (the default): code with a fault is not run; warn: it is shown and run; off: nothing is linted.",
)
@click.option(
    "--debounce",
    metavar="MS",
    type=click.IntRange(0, 10_000),
    help="How long it must be quiet after a save: 10 milliseconds; more where a formatter follows.",
)
@click.option("--poll", "is_polling", is_flag=True, help="Look for saves where the system doesn't report them.")
@arguments.traceback
def command(
    target: str,
    prompt: str,
    state: str | None,
    data: str | None,
    budget: str | None,
    report: str | None,
    no_replay: bool,
    is_json: bool,
    once: bool,
    no_clear: bool,
    lint: Literal["error", "warn", "off"],
    debounce: int | None,
    is_polling: bool,
    traces: bool,
) -> int:
    """Lint a workflow, run it, and run it again at every save.

    TARGET is a file, a folder, a module, or one of them with :name, where the name is a `Thena` app or a workflow.
    PROMPT is what the run is asked to do: a text, - for standard input, or @FILE.
    """
    from thena_cli.dev.child import Child

    # It warms itself up while this process imports what it needs itself, which takes about as long.
    spare = Child.spare()
    try:
        import asyncio
        import sys
        from dataclasses import replace

        from thena_cli.commands.target import current_folder, find, order_for
        from thena_cli.commands.values import given_to_run
        from thena_cli.dev.json_screen import JsonScreen
        from thena_cli.dev.keys import Keys
        from thena_cli.dev.linter import Linter
        from thena_cli.dev.screen import Screen, open_screen
        from thena_cli.dev.session import Session, Ways
        from thena_cli.dev.watch import SETTLE

        folder = current_folder()
        found = find(target, folder)
        given = given_to_run(prompt, state=state, data=data, budget=budget)
        has_keys = sys.stdout.isatty() and not (once or is_json) and Keys.are_there()
        screen: Screen = (
            JsonScreen(sys.stdout, folder=folder)
            if is_json
            else open_screen(
                sys.stdout,
                watched=found.watch,
                folder=folder,
                is_clearing=not (no_clear or once),
                has_keys=has_keys,
            )
        )
        is_coloured = screen.is_coloured
        session = Session(
            order=replace(order_for(found, folder=folder), **given, traces=traces, report=report),
            watched=found.watch,
            linter=lambda watch: Linter(found, folder=folder, is_coloured=is_coloured, before_reading=watch),
            ways=Ways(
                lint=lint,
                is_once=once,
                is_replaying=not no_replay,
                has_keys=has_keys,
                shows_speech=screen.shows_speech,
                settle=SETTLE if debounce is None else debounce / 1000,
                is_polling=is_polling,
            ),
            screen=screen,
            spare=spare,
        )
        return asyncio.run(session.run())
    finally:
        spare.kill()

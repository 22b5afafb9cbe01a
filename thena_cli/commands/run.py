"""`thena run TARGET [PROMPT]`: run a workflow once, in a child process.

The result goes to standard output and everything else to standard error, so that the result can be piped. Left out on
purpose: linting (start-up judges in any case) and watching, which are `thena dev`'s.
"""

import click

from thena_cli.commands import arguments


@click.command("run", cls=arguments.Reporting)
@arguments.target
@arguments.prompt
@arguments.state
@arguments.data
@arguments.budget
@click.option("--stream", "streams", is_flag=True, help="Print what the models say while they say it.")
@click.option(
    "--log", metavar="FILE", type=click.Path(), help="Write the tree of the run, with details, to a file too."
)
@arguments.report
@click.option(
    "--json",
    "is_json",
    is_flag=True,
    help="Instead of the result, print each event and the outcome as a line of JSON.",
)
@arguments.traceback
def command(
    target: str,
    prompt: str,
    state: str | None,
    data: str | None,
    budget: str | None,
    streams: bool,
    log: str | None,
    report: str | None,
    is_json: bool,
    traces: bool,
) -> int:
    """Run a workflow once.

    TARGET is a file, a folder, a module, or one of them with :name, where the name is a `Thena` app or a workflow.
    PROMPT is what the run is asked to do: a text, - for standard input, or @FILE.

    The result goes to standard output, the tree of the run to standard error. Ctrl-C ends the run with its clean-ups,
    a second one at once.
    """
    import asyncio
    import contextlib
    import sys
    from dataclasses import replace

    from thena_cli.commands.follow_run import follow_run, open_log
    from thena_cli.commands.target import current_folder, find, order_for
    from thena_cli.commands.values import given_to_run
    from thena_cli.dev.child import Child
    from thena_cli.dev.screen import open_screen

    folder = current_folder()
    found = find(target, folder)
    given = given_to_run(prompt, state=state, data=data, budget=budget)
    # Whoever types an answer wants to see the question first.
    asks = sys.stdin is not None and sys.stdin.isatty() and not is_json
    order = order_for(found, folder=folder)
    order = replace(order, **given, speaks=streams, traces=traces, report=report, asks=asks)
    # What is redrawn in place and what is said piece by piece can't share a terminal.
    screen = open_screen(
        sys.stderr, watched=found.watch, folder=folder, is_clearing=False, shows_output=False, is_redrawn=not streams
    )
    with contextlib.nullcontext() if log is None else open_log(log) as file:
        following = follow_run(Child.running(order), screen, sys.stdout, log=file, streams=streams, is_json=is_json)
        return asyncio.run(following)

"""`thena graph TARGET`: a picture of a workflow, which is imported for it in a child process and not run."""

import click

from thena_cli.commands import arguments

FORMATS = ("text", "mermaid", "json", "svg")


@click.command("graph")
@arguments.target
@click.option("--format", "-f", "kind", type=click.Choice(FORMATS), help="text (the default), mermaid, json or svg.")
@click.option(
    "--output", "-o", metavar="FILE", type=click.Path(), help="Write it to a file, in the format of its name."
)
@arguments.traceback
def command(target: str, kind: str | None, output: str | None, traces: bool) -> int:
    """Draw a workflow.

    Its steps, loops, branches, nested workflows and tools, as start-up sees them: as a tree, as a Mermaid flowchart for
    Markdown, as JSON with nodes and edges, or as an SVG picture.

    \b
      thena graph review
      thena graph review -f mermaid
      thena graph review -o review.svg
    """
    import asyncio
    import sys
    from dataclasses import replace

    from thena_cli.commands.ask import ask
    from thena_cli.commands.picture import deliver, drawn, format_of
    from thena_cli.commands.target import current_folder, find, order_for
    from thena_cli.dev.messages import Drawn
    from thena_cli.dev.screen import open_screen

    folder = current_folder()
    chosen = format_of(kind, output)
    found = find(target, folder)
    screen = open_screen(sys.stderr, watched=found.watch, folder=folder, is_clearing=False)
    order = replace(order_for(found, folder=folder), act="graph", traces=traces)
    answer = asyncio.run(ask(order, screen, output=None))
    if isinstance(answer.outcome, Drawn):
        deliver(drawn(answer.outcome.graph, chosen), output)
    return answer.code

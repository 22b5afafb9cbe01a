"""`thena explain THN704`: the page of a fault, as it is in `docs/faults`."""

import click
from click.shell_completion import CompletionItem


def _codes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Every code that begins as typed, in whichever case."""
    from thena_lint.pages import codes

    return [CompletionItem(code) for code in codes() if code.startswith(incomplete.upper())]


@click.command("explain")
@click.argument("code", metavar="CODE", shell_complete=_codes)
def command(code: str) -> int:
    """Show the page of a fault.

    CODE is that of the fault, such as THN201. The page says why it is one, with a wrong and a right example.
    """
    import sys

    from thena_cli.commands.command_error import CommandError
    from thena_cli.paragraph import page
    from thena_lint.pages import PageError, page_of
    from thena_lint.streams import write

    try:
        markdown = page_of(code)
    except PageError as error:
        raise CommandError(str(error)) from None
    write(page(markdown, sys.stdout))
    return 0

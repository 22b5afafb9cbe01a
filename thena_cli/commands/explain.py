"""`thena explain THN704`: the page of a fault, as it is in `docs/faults`, or those whose code or name begins so."""

import click
from click.shell_completion import CompletionItem


def _codes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Every code that begins as typed, in whichever case, or else every name."""
    from thena_contract.codes import NAMES

    codes = [code for code in NAMES if code.startswith(incomplete.upper())]
    names = sorted(name for name in NAMES.values() if name.startswith(incomplete.lower()))
    return [CompletionItem(one) for one in codes or names]


@click.command("explain")
@click.argument("asked", metavar="CODE", shell_complete=_codes)
def command(asked: str) -> int:
    """Show the page of a fault.

    CODE is that of the fault, such as THN201, or its name, such as state-not-declared. The page says why it is one,
    with a wrong and a right example. The beginning of several codes or names, such as THN20, lists them.
    """
    import sys

    from thena_cli.commands.command_error import CommandError
    from thena_cli.paragraph import page
    from thena_lint.pages import PageError, explained
    from thena_lint.streams import write

    try:
        markdown = explained(asked)
    except PageError as error:
        raise CommandError(str(error)) from None
    write(page(markdown, sys.stdout))
    return 0

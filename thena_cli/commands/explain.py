"""`thena explain THN704`: the page of a fault, as it is in `docs/faults`."""

import argparse

NAME = "explain"
HELP = "show the page of a fault: why it is one, a wrong and a right example"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("code", metavar="CODE", help="the code of a fault, such as THN201")


def run(arguments: argparse.Namespace) -> int:
    """Print the page; return the exit code."""
    import sys

    from thena_lint.pages import PageError, page_of
    from thena_lint.streams import write

    try:
        page = page_of(arguments.code)
    except PageError as error:
        print(f"thena: {error}", file=sys.stderr)
        return 2
    write(page)
    return 0

"""`thena explain THN704`: the page of a fault, as it is in `docs/faults`."""

import argparse
from pathlib import Path
from typing import Final

NAME = "explain"
HELP = "show the page of a fault: why it is one, a wrong and a right example"

# In an installation the pages lie beside the code; in a checkout they are where the docs are.
_FOLDERS: Final = (Path(__file__).parents[1] / "pages", Path(__file__).parents[2] / "docs" / "faults")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("code", metavar="CODE", help="the code of a fault, such as THN201")


def run(arguments: argparse.Namespace) -> int:
    """Print the page; return the exit code."""
    import sys

    pages = {path.stem: path for folder in _FOLDERS for path in sorted(folder.glob("THN*.md"))}
    page = pages.get(arguments.code.upper())
    if page is None:
        known = ", ".join(pages)
        print(f"thena: there is no page for `{arguments.code}`. Type one of: {known}", file=sys.stderr)
        return 2
    text = page.read_text(encoding="utf-8")
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    return 0

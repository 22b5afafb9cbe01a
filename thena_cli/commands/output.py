"""Text on its way to standard output: colours and signs only where they can be shown."""

import sys

import click

from thena_cli.dev import lines
from thena_cli.dev.screen import can_encode_signs
from thena_lint import streams


def write(text: str) -> None:
    """Write at once: without colours where nobody sees them or wants them, and with letters for signs in ASCII."""
    if not streams.is_coloured():
        text = click.unstyle(text)
    streams.write(text if can_encode_signs(sys.stdout.encoding) else text.translate(lines.ASCII))

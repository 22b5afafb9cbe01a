"""Standard output, whatever it is: a terminal, a file, or a pipe that can't encode every character."""

import os
import sys


def write(text: str) -> None:
    """Write at once; a stream that can't encode a character gets its escape instead of failing."""
    stream = sys.stdout
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def is_coloured() -> bool:
    """Say whether standard output is a terminal whose owner wants colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

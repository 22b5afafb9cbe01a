"""`thena-lsp`: the language server over stdin and stdout. Editors start it; `--stdio` is what it does anyway."""

import argparse
import gc
import logging
import signal
import sys
from typing import Final

from thena_lsp import version
from thena_lsp.process import end, take_over_streams

_COLLECT_AFTER: Final = (20_000, 10, 10)
"""How many objects may come before the garbage collector looks at the new ones, and how often before at older ones."""


def main() -> None:
    """Read the arguments, serve until the client leaves, and exit as the protocol asks."""
    parser = argparse.ArgumentParser(
        prog="thena-lsp",
        description="The Thena language server. It speaks the Language Server Protocol over stdin and stdout.",
    )
    parser.add_argument(
        "--stdio", action="store_true", help="speak over stdin and stdout (the default, and all there is)"
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    if parser.parse_args().version:
        print(f"thena-lsp {version()}")
        return
    # stdout belongs to the protocol. pygls logs every message at INFO, so WARNING is the level that keeps it quiet.
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="thena-lsp: %(levelname)s: %(message)s")
    # Texts are made into many small objects that stay. To look through all of them each time that a few hundred have
    # come would take a quarter of a second in the middle of typing.
    gc.set_threshold(*_COLLECT_AFTER)
    # What asyncio makes of Ctrl-C waits for the input to end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    streams = take_over_streams()
    # Here, so that `--version` and `--help` don't pay half a second for the protocol's types.
    from thena_lsp.server import make_server, serve

    end(serve(make_server(), *streams))


if __name__ == "__main__":
    main()

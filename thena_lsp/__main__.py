"""`thena-lsp`: the language server over stdin and stdout. Editors start it; `--stdio` is what it does anyway."""

import argparse
import gc
import linecache
import logging
import signal
import sys

from thena_lsp import version
from thena_lsp.process import end, take_over_streams


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
    # Nearly all that comes until the project has been read stays. The server looks for garbage when that is done.
    gc.disable()
    # What asyncio makes of Ctrl-C waits for the input to end.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    streams = take_over_streams()
    # Here, so that `--version` and `--help` don't pay half a second for the protocol's types.
    from thena_lsp.server import make_server, serve

    # What attrs leaves of each of those types, which nobody will use: its code, and the class that it made another of.
    # These are megabytes that the reading has a use for.
    linecache.clearcache()
    gc.collect()
    gc.freeze()
    end(serve(make_server(), *streams))


if __name__ == "__main__":
    main()

"""The command line of `thena-lint`: arguments in, a request out. It reads no file."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from thena_lint.request import Check, OutputFormat, Request, ShowVersion


def read_arguments(arguments: Sequence[str] | None) -> Request:
    """What these arguments ask for; those of the process for `None`.

    Raises:
        SystemExit: after `--help` (0), or where they make no sense (2); the text is written.
    """
    given = _parser().parse_args(arguments)
    if given.version:
        return ShowVersion()
    return Check(
        paths=tuple(map(Path, given.paths)),
        output_format=OutputFormat(given.output_format),
        explain_unknown=given.explain_unknown,
        statistics=given.statistics,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="thena-lint",
        allow_abbrev=False,
        description="Find wiring faults in agents, tools and workflows without running them.",
        epilog="Exit code: 0 nothing to report, 1 errors or warnings, 2 not all could be read, or the linter failed.",
    )
    parser.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="files and folders (default: .)")
    parser.add_argument(
        "--output-format", choices=[one.value for one in OutputFormat], default="text", help="default: text"
    )
    parser.add_argument(
        "--explain-unknown",
        action="store_true",
        help="tell what couldn't be seen, and why; the exit code stays the same",
    )
    parser.add_argument(
        "--statistics", action="store_true", help="count the faults by code, and what couldn't be seen by kind"
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    return parser

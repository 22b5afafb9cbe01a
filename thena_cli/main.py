"""The `thena` command: which commands there are, and what its exit codes mean.

0: it did what was asked. 1: faults were found, or the run failed. 2: the command line is wrong, or thena itself failed.
130: Ctrl-C. Left out on purpose: what a command does, which its module in `commands/` imports when it is run.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Protocol

from thena_cli.commands import dev, run


class Command(Protocol):
    """What a module in `commands/` has."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare what the command takes."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it; return the exit code."""


COMMANDS: tuple[Command, ...] = (dev, run)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` names; return the exit code."""
    arguments = _parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # Whoever read the output has left (`thena run x | head`). Python would complain once more when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception:
        # Mistakes of users are answered by the commands. What arrives here is ours, and a report of it needs the trace.
        import traceback

        traceback.print_exc()
        print("thena: this is a fault of thena itself, not of your code.", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="thena", description="Run AI-agent workflows, with wiring faults caught before anything runs."
    )
    parser.add_argument("--version", action=_Version, help="show the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        subparser = commands.add_parser(command.NAME, help=command.HELP, description=_sentence(command.HELP))
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


class _Version(argparse.Action):
    """Look the version up only when it is asked for: the look-up reads the metadata of the installation."""

    def __init__(self, option_strings: Sequence[str], dest: str, help: str | None = None) -> None:
        super().__init__(option_strings, dest=argparse.SUPPRESS, nargs=0, help=help)

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        """Print the version and exit."""
        from importlib.metadata import version

        print(f"thena {version('thena')}")
        parser.exit()


if __name__ == "__main__":
    sys.exit(main())

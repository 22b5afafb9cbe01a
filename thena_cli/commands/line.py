"""The command line: which commands there are, and what each takes."""

import argparse
import sys
from collections.abc import Sequence
from typing import Protocol

from thena_cli.commands import dev, explain, run


class Command(Protocol):
    """What a module in `commands/` has."""

    NAME: str
    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare what the command takes."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do it; return the exit code."""


COMMANDS: tuple[Command, ...] = (dev, run, explain)


def run_command(argv: Sequence[str] | None) -> int:
    """Run the command that `argv` names, with everything written when it returns; return the exit code."""
    try:
        arguments = _parser().parse_args(argv)
        code = int(arguments.run(arguments))
    except SystemExit as error:
        # The parser's way to say that it has answered everything itself.
        code = error.code if isinstance(error.code, int) else 0
    sys.stdout.flush()
    return code


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

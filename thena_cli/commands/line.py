"""The command line: which commands there are, and what is answered where it makes no sense.

Left out on purpose: what a command takes and does. Its module is imported when it is named, so that help, the version
and a completion are quick.
"""

import os
import sys
from collections.abc import Sequence
from typing import Final

import click

from thena_cli.commands import shell
from thena_cli.commands.command_error import CommandError
from thena_cli.commands.overview import SUMMARIES, overview
from thena_cli.paragraph import columns, paragraph


class Commands(click.Group):
    """The group of all commands, each of which is imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the help."""
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Import the command of that name; there may be none."""
        command: click.Command
        match name:
            case "dev":
                from thena_cli.commands.dev import command
            case "run":
                from thena_cli.commands.run import command
            case "check":
                from thena_cli.commands.check import command
            case "graph":
                from thena_cli.commands.graph import command
            case "new":
                from thena_cli.commands.new import command
            case "generate":
                from thena_cli.commands.generate import command
            case "doctor":
                from thena_cli.commands.doctor import command
            case "explain":
                from thena_cli.commands.explain import command
            case "completion":
                from thena_cli.commands.completion import command
            case _:
                return None
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments begin with. Raises `UsageError` with the nearest name if it is none."""
        name = args[0]
        if name not in SUMMARIES and not name.startswith("-") and not ctx.resilient_parsing:
            # Here, since nobody else needs it.
            from thena_contract.spelling import nearest

            near = nearest(name, SUMMARIES)
            hint = f"Did you mean `{near}`?" if near else f"Type one of: {', '.join(SUMMARIES)}."
            raise click.UsageError(f"`{name}` is no command. {hint}", ctx)
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """The list of commands, without importing any."""
        return overview()


def _show_version(ctx: click.Context, parameter: click.Parameter, is_asked: bool) -> None:
    if is_asked and not ctx.resilient_parsing:
        # The look-up reads the metadata of the installation.
        from importlib.metadata import version

        click.echo(f"thena {version('thena')}")
        ctx.exit()


COMMANDS: Final = Commands(
    name="thena",
    no_args_is_help=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
        )
    ],
)


def run_command(arguments: Sequence[str]) -> int:
    """Run the command that is named, with everything written when it returns; return the exit code."""
    code = _run(list(arguments))
    sys.stdout.flush()
    return code


def _run(arguments: list[str]) -> int:
    asked = os.environ.get(shell.ASKS)
    if asked:
        return shell.answer(COMMANDS, asked)
    try:
        with COMMANDS.make_context("thena", arguments, terminal_width=_width()) as ctx:
            if not arguments:
                print(ctx.get_help(), file=sys.stderr)
                return 2
            return int(COMMANDS.invoke(ctx))
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.UsageError as error:
        print(paragraph(_told(error, arguments), sys.stderr), file=sys.stderr)
        return 2
    except CommandError as error:
        print(paragraph(f"thena: {error}", sys.stderr), file=sys.stderr)
        return 2


def _width() -> int:
    """How wide a help text is. click would import `shutil` and half a dozen modules to find out."""
    return max(min(columns(sys.stdout) or 80, 80) - 2, 30)


def _told(error: click.UsageError, arguments: Sequence[str]) -> str:
    """The error in one line, with the command that helps."""
    if error.ctx is not None:
        command = error.ctx.command_path
    else:
        # click doesn't say whose option it is that has no value.
        command = " ".join(["thena", *(name for name in arguments[:1] if name in SUMMARIES)])
    told = " ".join(error.format_message().replace("'", "`").split())
    ended = told if told.endswith((".", "?")) else f"{told}."
    return f"{command}: {ended[0].lower()}{ended[1:]} `{command} --help` shows what it takes."

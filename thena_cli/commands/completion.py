"""`thena completion bash`: what a shell needs to complete the commands and options of `thena`."""

import sys
from typing import Final

import click
from click.shell_completion import get_completion_class

from thena_cli.commands import shell

SHELLS: Final = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("name", metavar="SHELL", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, name: str) -> int:
    """Print what completes commands in your shell.

    SHELL is bash, zsh or fish. Put its line into the file that your shell reads when it starts:

    \b
      bash   eval "$(thena completion bash)"            in ~/.bashrc
      zsh    eval "$(thena completion zsh)"             in ~/.zshrc, after compinit
      fish   thena completion fish | source             in ~/.config/fish/config.fish
    """
    completes = get_completion_class(name)
    assert completes is not None, "click knows every shell of the list"
    sys.stdout.write(completes(ctx.find_root().command, {}, "thena", shell.ASKS).source())
    return 0

"""What `thena --help` shows: the list of commands.

It is written without click, whose import takes several times as long as everything else that is needed for it.
"""

import sys
from typing import Final

from thena_cli.paragraph import paragraph

SUMMARIES: Final = {
    "dev": "Lint a workflow, run it, and run it again at every save.",
    "run": "Run a workflow once.",
    "check": "Judge a workflow by importing it.",
    "graph": "Draw a workflow.",
    "new": "Make a project.",
    "generate": "Add an agent, tool, workflow, state or provider.",
    "doctor": "Look at the environment, project, provider and editor.",
    "explain": "Show the page of a fault.",
    "completion": "Print what completes commands in your shell.",
}
"""What is said of each command, in the order in which they are listed."""

_OPTIONS: Final = {"--version": "Show the version and exit.", "-h, --help": "Show this message and exit."}


def overview() -> str:
    """The whole text."""
    return f"""\
Usage: thena [OPTIONS] COMMAND [ARGS]...

  {_broken("Run AI-agent workflows, with wiring faults caught before anything runs.", 2)}

Options:
{_listed(_OPTIONS)}
Commands:
{_listed(SUMMARIES)}
  {_broken("`thena COMMAND --help` says what a command takes.", 2)}"""


def _listed(rows: dict[str, str]) -> str:
    return "".join(f"  {name:<10}  {_broken(text, 14)}\n" for name, text in rows.items())


def _broken(text: str, indent: int) -> str:
    return paragraph(text, sys.stdout, indent=indent)

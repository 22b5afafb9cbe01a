"""The command line itself: its help, its mistakes, its completion in real shells."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.cli.thena_process import LONGEST_WAIT, environment, thena
from tests.support.tools import require_tool
from thena_cli.commands.line import COMMANDS
from thena_cli.commands.overview import SUMMARIES

ROOT = Path(__file__).parents[2]

COMPLETES_IN = {
    "bash": """
source <(thena completion bash)
COMP_WORDS=({words}) COMP_CWORD={last}
_thena_completion thena
printf '%s\\n' "${{COMPREPLY[@]}}"
""",
    "fish": "thena completion fish | source; complete --do-complete '{words}' | cut -f1",
    "zsh": """
compdef() {{ }}
_describe() {{ print -l -- ${{(P)3}} | sed 's/:.*//' }}
compadd() {{ print -l -- $completions }}
eval "$(thena completion zsh)"
words=({words}) CURRENT=$(({last} + 1))
_thena_completion
""",
}
"""What each shell runs to print what may stand for the last of some words."""


@pytest.mark.parametrize("name", SUMMARIES)
def test_every_command_is_there_and_says_what_the_list_says(name: str) -> None:
    """The first sentence of a command's own help is its line in the list of commands."""
    command = COMMANDS.get_command(click.Context(COMMANDS), name)
    assert command is not None
    assert (name, SUMMARIES[name]) == (command.name, (command.help or "").partition("\n")[0])


def test_help_lists_every_command(tmp_path: Path) -> None:
    """`thena --help` goes to standard output, `thena` alone shows the same as an answer to a mistake."""
    asked, bare = thena("--help", cwd=tmp_path), thena(cwd=tmp_path)
    assert (0, "") == (asked.returncode, asked.stderr)
    assert (2, "", asked.stdout) == (bare.returncode, bare.stdout, bare.stderr)
    assert [] == [name for name in SUMMARIES if f"\n  {name} " not in asked.stdout]


def test_the_list_of_commands_needs_no_library(tmp_path: Path) -> None:
    """It is shown before click is imported, and is what click shows where it does."""
    code = "import sys; from thena_cli.main import main; main(['--help']); print('click' in sys.modules)"
    alone = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    beside = thena("--help", "run", cwd=tmp_path)
    assert f"{beside.stdout}False\n" == alone.stdout


@pytest.mark.parametrize("shell", COMPLETES_IN)
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["thena", "ex"], ["explain"]),
        (["thena", "explain", "thn70"], [f"THN70{number}" for number in range(1, 8)]),
        (["thena", "explain", "until-n"], ["until-needs-state", "until-never-true", "until-not-callable"]),
        (["thena", "run", "--js"], ["--json"]),
    ],
)
def test_a_shell_completes(shell: str, words: list[str], completed: list[str], tmp_path: Path) -> None:
    """The script for a shell, read by that shell, completes commands, codes of faults and options."""
    program = tmp_path / "thena"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m thena_cli "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    script = COMPLETES_IN[shell].format(words=" ".join(words), last=len(words) - 1)
    done = subprocess.run(
        [require_tool(shell), "-c", script],
        env={**environment(), "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=LONGEST_WAIT,
        check=False,
    )
    assert (completed, "") == (done.stdout.split(), done.stderr)

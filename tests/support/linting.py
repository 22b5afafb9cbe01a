"""`thena-lint` in this process: the same door as the command's, and what it wrote."""

import contextlib
import gc
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from thena_lint.cli import main

FAULTY: Final = """from thena_runtime import Agent, Prompt, ScriptedProvider, State, Workflow

@Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("x"))
class Writer:
    def __init__(self, s: State[int]) -> None:
        self.s = s

@Workflow(steps=[Writer])
class Flow:
    pass
"""
"""A file with one fault, THN201."""


@dataclass(frozen=True, slots=True)
class Linted:
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def lint(folder: Path, *arguments: str) -> Linted:
    """Run the linter in a folder."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as ended:
            code = int(str(ended.code))
        finally:
            gc.enable()
    return Linted(code, out.getvalue(), err.getvalue())


def write_files(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder, and return it."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder

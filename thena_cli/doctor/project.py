"""The project: what `thena` would start here, and whether a hook and an editor know Thena."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from thena_cli.doctor.check import Check
from thena_cli.doctor.hooks import sees_deletions
from thena_lint.target import TargetError, find_target

_EXTENSIONS: Final = (".vscode", ".vscode-server", ".vscode-insiders", ".vscode-oss", ".cursor", ".windsurf")
_HOOKS: Final = ".pre-commit-config.yaml"
_LONGEST_START: Final = 30.0


def look_at_project(folder: Path) -> Iterator[Check]:
    """Look at a folder without importing anything in it."""
    yield _start(folder)
    yield _hook(folder)


def look_at_editor(home: Path) -> Iterator[Check]:
    """See whether the language server starts, and whether an editor of the VS Code kind has the extension."""
    yield _server()
    found = [place for kind in _EXTENSIONS for place in sorted((home / kind / "extensions").glob("*thena*"))]
    if found:
        yield Check(subject="extension", health="good", fact=str(found[0]))
    else:
        yield Check(
            subject="extension",
            health="note",
            fact="no VS Code extension was found; any editor that speaks LSP can start `thena-lsp`",
        )


def _start(folder: Path) -> Check:
    try:
        target = find_target(".", folder)
    except TargetError as error:
        first, *rest = str(error).splitlines()
        return Check(subject="target", health="note", fact=f"{first} {', '.join(map(str.strip, rest))}".rstrip())
    named = "" if target.name is None else f":{target.name}"
    return Check(subject="target", health="good", fact=f"`thena run .` starts {target.module}{named}")


def _hook(folder: Path) -> Check:
    file = next(filter(Path.is_file, (place / _HOOKS for place in (folder, *folder.parents))), None)
    if file is None:
        return Check(subject="pre-commit", health="note", fact=f"no `{_HOOKS}` here or above")
    match sees_deletions(file.read_text(encoding="utf-8", errors="replace")):
        case None:
            return Check(
                subject="pre-commit",
                health="note",
                fact=f"{file} doesn't have `thena-lint`",
                repair="Add the hook, so that no commit has wiring faults.",
            )
        case False:
            return Check(
                subject="pre-commit",
                health="note",
                fact=f"{file} starts `thena-lint` only for some files, and never for one that is deleted",
                repair="Give the hook `always_run: true`, so that no commit has wiring faults.",
            )
        case True:
            return Check(subject="pre-commit", health="good", fact=f"{file} has `thena-lint`")


def _server() -> Check:
    """Start the language server as far as its version, which imports all that it needs."""
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "thena_lsp", "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_LONGEST_START,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Check(subject="server", health="bad", fact=f"`thena-lsp` doesn't start: {error}")
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        return Check(
            subject="server",
            health="bad",
            fact=f"`thena-lsp` doesn't start: {last}",
            repair=f"Install Thena again: `{sys.executable} -m pip install --force-reinstall thena`.",
        )
    return Check(subject="server", health="good", fact=f"`{done.stdout.strip()}` starts")

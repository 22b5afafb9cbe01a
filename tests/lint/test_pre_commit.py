"""The hook that users put into their `.pre-commit-config.yaml`, run by the real pre-commit in a real repository.

The hook's repository is a copy of this working tree, so what isn't committed yet is tested as well.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.marks import marks_in, write_marking_files
from tests.support.tools import require_tool

REPOSITORY = Path(__file__).parents[2]
COPIED = ("thena_contract", "thena_runtime", "thena_lint", "thena_lsp", "thena_cli")
COPIED_FILES = ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")

AGENTS = """from state import Draft
from thena_runtime import Agent, ScriptedProvider, State


@Agent(provider=ScriptedProvider(["fine"]), prompt="./reviewer.agent.md")
class Reviewer:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s
"""
FLOW = """from agents import Reviewer
from state import Draft
from thena_runtime import Workflow


@Workflow({state}steps=[Reviewer])
class Flow:
    pass
"""
CONFIG = """repos:
  - repo: {repository}
    rev: {revision}
    hooks:
      - id: thena-lint
"""


def clean_environment() -> dict[str, str]:
    """The environment without what a surrounding git, whose hook may run these tests, has put there."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def git(folder: Path, *arguments: str) -> str:
    """Run git with an identity of its own and none of the machine's settings."""
    environment = {**clean_environment(), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def committed(folder: Path) -> str:
    """Make a folder a git repository with one commit of all that is in it; return the commit's id."""
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message", "all")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def hooks(tmp_path: Path) -> tuple[Path, str]:
    """A repository with the hook, as the working tree has it now, and its revision."""
    require_tool("git")
    copy = tmp_path / "hooks"
    for name in (*COPIED, "docs"):
        shutil.copytree(REPOSITORY / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in COPIED_FILES:
        shutil.copy(REPOSITORY / name, copy / name)
    return copy, committed(copy)


def run_hook(project: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Run pre-commit over what is staged, with a cache of its own."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "pre_commit", "run", "--color=never"],
        cwd=project,
        env={**clean_environment(), "PRE_COMMIT_HOME": str(cache)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_the_hook_checks_the_whole_project_at_every_commit(hooks: tuple[Path, str], tmp_path: Path) -> None:
    """A workflow that lost its state is stopped at an agent that wasn't touched, and so is a prompt's mere deletion.

    Nothing of the project is run.
    """
    repository, revision = hooks
    project, cache = tmp_path / "project", tmp_path / "cache"
    project.mkdir()
    (project / "state.py").write_text("class Draft:\n    approved = False\n", encoding="utf-8")
    (project / "agents.py").write_text(AGENTS, encoding="utf-8")
    (project / "reviewer.agent.md").write_text("You review.\n", encoding="utf-8")
    (project / "flow.py").write_text(FLOW.format(state="state=Draft, "), encoding="utf-8")
    marks = tmp_path / "marks"
    write_marking_files(project, marks)
    config = CONFIG.format(repository=repository, revision=revision)
    (project / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    committed(project)

    (project / "flow.py").write_text(FLOW.format(state=""), encoding="utf-8")
    git(project, "add", "flow.py")
    stopped = run_hook(project, cache)
    skip_without_index(stopped)

    assert stopped.returncode == 1, stopped.stdout + stopped.stderr
    assert "agents.py:7:24: THN201 `Reviewer.__init__` parameter 0 `s` asks for the state" in stopped.stdout

    (project / "flow.py").write_text(FLOW.format(state="state=Draft, ") + "\n", encoding="utf-8")
    git(project, "add", "flow.py")
    mended = run_hook(project, cache)

    assert mended.returncode == 0, mended.stdout + mended.stderr
    assert "Passed" in mended.stdout

    git(project, "commit", "--quiet", "--message", "mended")
    git(project, "rm", "--quiet", "reviewer.agent.md")
    deleting = run_hook(project, cache)

    assert deleting.returncode == 1, deleting.stdout + deleting.stderr
    assert 'THN105 `Reviewer` has `prompt="./reviewer.agent.md"`' in deleting.stdout
    assert [] == marks_in(marks)


def skip_without_index(done: subprocess.CompletedProcess[str]) -> None:
    """Skip where the hook's environment couldn't be made because no package index answers."""
    if done.returncode != 3 or "pip" not in done.stdout:
        return
    signs = ("NewConnectionError", "Temporary failure in name resolution", "No matching distribution", "ProxyError")
    if any(sign in done.stdout for sign in signs):
        reason = "needs a package index, and none answers"
        if os.environ.get("THENA_REQUIRE_TOOLS") == "1":
            pytest.fail(f"{reason}:\n{done.stdout}")
        pytest.skip(reason)

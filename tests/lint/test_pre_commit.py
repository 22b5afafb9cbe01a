"""The hooks that users put into their `.pre-commit-config.yaml`, run by the real pre-commit in a real repository.

The hooks' repository is a copy of this working tree, so what isn't committed yet is tested as well.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.linting import write_files
from tests.support.marks import marks_in, write_marking_files
from tests.support.repositories import commit, committed, git, pre_commit
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
      - id: {hook}
"""


@dataclass(frozen=True, slots=True)
class Hooks:
    """A repository with the hooks, as the working tree has them now, its revision, and pre-commit's cache."""

    repository: Path
    revision: str
    cache: Path

    def run(self, project: Path) -> subprocess.CompletedProcess[str]:
        """Run pre-commit over what is staged."""
        return pre_commit("run", cwd=project, cache=self.cache)


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Hooks:
    """The hooks, whose environment the first run makes: it is cold, and the others are warm."""
    require_tool("git")
    copy = tmp_path_factory.mktemp("hooks")
    for name in (*COPIED, "docs"):
        shutil.copytree(REPOSITORY / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in COPIED_FILES:
        shutil.copy(REPOSITORY / name, copy / name)
    return Hooks(copy, committed(copy), tmp_path_factory.mktemp("cache"))


@pytest.fixture
def project(tmp_path: Path, hooks: Hooks) -> Path:
    """A right project of three files and a prompt, committed, with the hook that lints."""
    return made(tmp_path / "project", hooks, "thena-lint")


def made(project: Path, hooks: Hooks, hook: str) -> Path:
    """Make a project with one of the hooks."""
    files = {
        "state.py": "class Draft:\n    approved = False\n",
        "agents.py": AGENTS,
        "reviewer.agent.md": "You review.\n",
        "flow.py": FLOW.format(state="state=Draft, "),
        ".pre-commit-config.yaml": CONFIG.format(repository=hooks.repository, revision=hooks.revision, hook=hook),
    }
    write_files(project, files)
    committed(project)
    return project


def test_the_hook_checks_the_whole_project_at_every_commit(project: Path, hooks: Hooks, tmp_path: Path) -> None:
    """A workflow that lost its state is stopped at an agent that wasn't touched; what is mended passes.

    Nothing of the project is run.
    """
    marks = tmp_path / "marks"
    write_marking_files(project, marks)
    write_files(project, {"flow.py": FLOW.format(state="")})
    git(project, "add", "--all")
    stopped = hooks.run(project)
    skip_without_index(stopped)

    assert stopped.returncode == 1, stopped.stdout + stopped.stderr
    assert "agents.py:7:24: THN201 [*] `Reviewer.__init__` parameter 0 `s` asks for the state" in stopped.stdout

    write_files(project, {"flow.py": FLOW.format(state="state=Draft, ") + "\n"})
    git(project, "add", "flow.py")
    mended = hooks.run(project)

    assert mended.returncode == 0, mended.stdout + mended.stderr
    assert "Passed" in mended.stdout
    assert [] == marks_in(marks)


def test_a_commit_that_only_deletes_a_prompt_is_stopped(project: Path, hooks: Hooks) -> None:
    """So is one that only changes the settings for the worse; one that only adds a note is made."""
    pre_commit("install", cwd=project, cache=hooks.cache).check_returncode()
    git(project, "rm", "--quiet", "reviewer.agent.md")
    deleting = commit(project, cache=hooks.cache)
    skip_without_index(deleting)

    assert deleting.returncode == 1, deleting.stdout + deleting.stderr
    assert 'agents.py:5:45: THN105 `Reviewer` has `prompt="./reviewer.agent.md"`' in deleting.stderr
    assert "all" == git(project, "log", "--format=%s")

    git(project, "reset", "--quiet", "--hard")
    write_files(project, {"thena.toml": '[lint]\nselct = ["THN2"]\n'})
    git(project, "add", "thena.toml")
    configuring = commit(project, cache=hooks.cache)

    assert configuring.returncode == 1, configuring.stdout + configuring.stderr
    assert "thena.toml:2:1: THN904 `selct` is no setting of the linter. Write `select`." in configuring.stderr

    git(project, "reset", "--quiet", "--hard")
    write_files(project, {"notes.txt": "later\n"})
    git(project, "add", "notes.txt")
    noting = commit(project, cache=hooks.cache)

    assert noting.returncode == 0, noting.stdout + noting.stderr
    assert ["next", "all"] == git(project, "log", "--format=%s").splitlines()


def test_the_hook_that_repairs(tmp_path: Path, hooks: Hooks) -> None:
    """It stops the commit, since it changed files, and the next one passes with what it wrote."""
    project = made(tmp_path / "project", hooks, "thena-lint-fix")
    write_files(project, {"agents.py": AGENTS.replace("-> None:", "-> None:  # thena: ignore[THN201]")})
    git(project, "add", "agents.py")
    repairing = hooks.run(project)
    skip_without_index(repairing)
    repaired = (project / "agents.py").read_text(encoding="utf-8")
    git(project, "add", "agents.py")
    after = hooks.run(project)

    assert (1, AGENTS) == (repairing.returncode, repaired)
    assert "files were modified by this hook" in repairing.stdout
    assert after.returncode == 0, after.stdout + after.stderr


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

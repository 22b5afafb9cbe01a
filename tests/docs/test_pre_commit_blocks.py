"""The documents' configurations of pre-commit, written out by the real one."""

import re
import shutil
from pathlib import Path

import pytest

from tests.support.repositories import committed, pre_commit
from tests.support.tools import require_tool

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("document", ["README.md", "docs/lint.md"])
def test_the_command_that_is_named_writes_the_commit(document: str, tmp_path: Path) -> None:
    """The configuration, as it stands, becomes one with the newest commit, of which pre-commit complains no more."""
    require_tool("git")
    text = (ROOT / document).read_text(encoding="utf-8")
    [block] = re.findall(r"^```yaml\n(repos:\n.*?)^```$", text, re.MULTILINE | re.DOTALL)
    [command] = re.findall(r"`pre-commit (autoupdate [^`]+)`", text)
    hooks, project, cache = (tmp_path / name for name in ("hooks", "project", "cache"))
    hooks.mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    newest = committed(hooks)
    project.mkdir()
    config = project / ".pre-commit-config.yaml"
    config.write_text(block.replace("/path/or/url/of/this/repository", str(hooks)), encoding="utf-8")
    committed(project)
    updated = pre_commit(*command.split(), cwd=project, cache=cache)
    validated = pre_commit("validate-config", cwd=project, cache=cache)

    assert 0 == updated.returncode, updated.stdout + updated.stderr
    assert f"    rev: {newest}\n" in config.read_text(encoding="utf-8")
    assert (0, "", "") == (validated.returncode, validated.stdout, validated.stderr)

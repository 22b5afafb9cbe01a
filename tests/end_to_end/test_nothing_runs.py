"""No tool that reads a project's text imports or runs any of it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.lint.test_cli import FAULTY
from tests.support.lsp import Client
from tests.support.marks import marks_in, write_marking_files

SCRIPT = Path(sys.executable).parent / "thena-lint"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a fault, and files that would show that they were run."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "flow.py").write_text(f"import conftest, ends, hangs\n{FAULTY}", encoding="utf-8")
    write_marking_files(folder, tmp_path / "marks")
    return folder


@pytest.mark.parametrize(
    "command", [[str(SCRIPT)], [sys.executable, "-P", "-m", "thena_lint"], [sys.executable, "-m", "thena_lint"]]
)
@pytest.mark.parametrize("options", [[], ["--output-format", "json", "--explain-unknown", "--statistics"]])
def test_the_linter_runs_nothing(
    project: Path, command: list[str], options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However it is started, and though modules of the project are called like those that it imports itself."""
    (project / "pyproject.toml").write_text("[tool.thena.lint]\nexclude = []\n", encoding="utf-8")
    done = subprocess.run([*command, *options], cwd=project, capture_output=True, text=True, timeout=120, check=False)

    assert ([], 1, "") == (marks_in(project.parent / "marks"), done.returncode, done.stderr)
    assert "THN201" in done.stdout


def test_the_server_runs_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Started as the extension does, off the project's path, it leaves no mark by opening, showing and hovering."""
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    text = (project / "flow.py").read_text(encoding="utf-8")
    with Client(project) as client:
        client.initialize()
        client.open(project / "flow.py", text)
        client.codes(project / "flow.py", ["THN201"])
        client.open(project / "decorates.py", (project / "decorates.py").read_text(encoding="utf-8"))
        client.hover(project / "flow.py", 9, 7)

    assert [] == marks_in(project.parent / "marks")

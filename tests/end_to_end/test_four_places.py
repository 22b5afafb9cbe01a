"""One fault, shown alike wherever a developer looks: `state=` is taken away from the shipped example."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.lsp import Client
from tests.support.start_up import findings_at_start_up
from tests.support.tools import require_tool

ROOT = Path(__file__).parents[2]
EXPECTED = [
    f"`{subject}` parameter {index} `s` asks for the state, but workflow `Review` declares none. "
    "Add `state=YourState` to `@Workflow` on `Review`."
    for subject, index in [
        ("Reviewer.__init__", 0),
        ("Editor.__init__", 0),
        ("ListFiles.execute", 1),
        ("ReadFile.execute", 2),
    ]
]


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A copy of the examples whose workflow has lost its `state=`."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    workflow = tmp_path / "examples" / "review" / "workflow.py"
    text = workflow.read_text(encoding="utf-8")
    assert "    state=ReviewState,\n" in text
    workflow.write_text(text.replace("    state=ReviewState,\n", ""), encoding="utf-8")
    return tmp_path


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of ours and keep what it printed, on one line per message."""
    environment = {**os.environ, "COLUMNS": "500"}
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=120, check=False)


def shown(text: str) -> list[str]:
    """The expected messages that a text holds."""
    return [message for message in EXPECTED if message in text]


def test_in_the_terminal(broken: Path) -> None:
    """`thena-lint` prints all four and exits with 1."""
    lint = run(sys.executable, "-m", "thena_lint", "examples", cwd=broken)

    assert (shown(lint.stdout), lint.returncode) == (EXPECTED, 1)


def test_in_the_dev_loop(broken: Path) -> None:
    """`thena dev --once` prints all four, starts no run and exits with 1."""
    dev = run(sys.executable, "-m", "thena_cli", "dev", "examples/review", "--once", cwd=broken)

    assert (shown(dev.stdout + dev.stderr), dev.returncode) == (EXPECTED, 1)
    assert "▸ workflow" not in dev.stdout


def test_at_start_up(broken: Path) -> None:
    """`Thena(...)` raises with all four at once, and with THN301 for the loop's `until`."""
    found = findings_at_start_up(broken / "examples", "review.workflow")

    assert sorted(finding.fault.message for finding in found if finding.fault.code == "THN201") == sorted(EXPECTED)
    assert [finding.anchor.label for finding in found if finding.fault.code == "THN301"] == ["steps[0].until"]


def test_in_the_editor(broken: Path) -> None:
    """The language server publishes all four, in the files where the parameters stand."""
    review = broken / "examples" / "review"
    found: list[str] = []
    with Client(review) as client:
        client.initialize()
        for name in ("agents.py", "tools.py"):
            client.open(review / name)
            published = client.codes(review / name, ["THN201", "THN201"])
            found += [diagnostic["message"] for diagnostic in published]

    assert sorted(EXPECTED) == sorted(found)


def test_in_the_hook(broken: Path) -> None:
    """pre-commit refuses the commit and shows all four."""
    git = require_tool("git")
    (broken / ".pre-commit-config.yaml").write_text(
        "repos:\n- repo: local\n  hooks:\n  - id: thena-lint\n    name: thena-lint\n    language: system\n"
        f"    entry: {sys.executable} -m thena_lint examples\n    pass_filenames: false\n",
        encoding="utf-8",
    )
    run(git, "init", "-q", cwd=broken)
    run(git, "add", "-A", cwd=broken)

    hook = run(sys.executable, "-m", "pre_commit", "run", "--all-files", cwd=broken)

    assert (shown(hook.stdout), hook.returncode) == (EXPECTED, 1)

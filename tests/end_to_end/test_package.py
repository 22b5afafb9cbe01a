"""What users install: the wheel's content, and the commands from a fresh environment that has only the wheel."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ["thena_cli", "thena_contract", "thena_lint", "thena_lsp", "thena_runtime"]


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command and keep what it printed."""
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as pip builds it; skipped where the build tool can't be fetched."""
    out = tmp_path_factory.mktemp("wheel")
    built = run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", out, ROOT, cwd=out)
    if built.returncode != 0 and "No matching distribution found for hatchling" in built.stderr:
        reason = "needs the package index, to fetch the build tool hatchling"
        if os.environ.get("THENA_REQUIRE_TOOLS") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    assert built.returncode == 0, built.stderr
    [file] = out.glob("*.whl")
    return file


def test_the_wheel_holds_the_five_packages_and_nothing_else(wheel: Path) -> None:
    """Tests, docs and editors stay out; each package says that it is typed."""
    names = zipfile.ZipFile(wheel).namelist()

    assert PACKAGES == sorted({name.split("/")[0] for name in names if ".dist-info/" not in name})
    assert [f"{package}/py.typed" for package in PACKAGES] == sorted(n for n in names if n.endswith("py.typed"))


def test_the_commands_work_from_the_wheel_alone(wheel: Path, tmp_path: Path) -> None:
    """Without the repository on the path, each tells the wheel's version; pages, templates and reports are there."""
    site = tmp_path / "site"
    installed = run(sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", site, wheel, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    version = wheel.name.split("-")[1]

    def printed_by(module: str, *arguments: str) -> str:
        return subprocess.run(
            [sys.executable, "-P", "-m", module, *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        ).stdout

    answers = {
        module: printed_by(module, "--version").split()[-1:] for module in ("thena_cli", "thena_lint", "thena_lsp")
    }
    page = (ROOT / "docs" / "faults" / "THN701.md").read_text(encoding="utf-8")

    assert page == printed_by("thena_cli", "explain", "THN701")
    assert "created  app/app/workflow.py\n" in printed_by("thena_cli", "new", "app")
    assert "This is a script." in printed_by("thena_cli", "run", "app/app", "--report")
    assert 1 == len([*tmp_path.glob("report/*/index.html")])
    assert answers == {"thena_cli": [version], "thena_lint": [version], "thena_lsp": [version]}

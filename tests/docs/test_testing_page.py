"""The page about testing: its examples are files of one project, and pass."""

import subprocess
import sys
from pathlib import Path

from tests.docs.test_docs import BLOCK, ROOT
from thena_lint.analyze import diagnose
from thena_lint.index.project import ProjectIndex


def test_the_examples_of_the_page_are_clean_and_pass(tmp_path: Path) -> None:
    """Each block is a file; together they are a small project whose own tests run, and `thena-lint` finds no fault."""
    page = (ROOT / "docs" / "runtime" / "testing.md").read_text("utf-8")
    blocks = dict(BLOCK.findall(page))
    assert {"shop.py", "test_shop.py", "test_time.py", "conftest.py", "test_guard.py"} == set(blocks)
    for name, text in blocks.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    assert {} == dict(diagnose(ProjectIndex.load([tmp_path])))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert 0 == done.returncode, done.stdout + done.stderr
    assert "6 passed" in done.stdout

"""The page on how long runs live: its program prints what it says, and has no fault."""

import re
import subprocess
import sys
from pathlib import Path

from tests.docs.test_docs import BLOCK, ROOT
from thena_lint.analyze import diagnose
from thena_lint.index.project import ProjectIndex

PAGE = (ROOT / "docs" / "runtime" / "runs.md").read_text("utf-8")


def test_the_program_prints_what_the_page_says(tmp_path: Path) -> None:
    """It is clean, and prints the lines below it."""
    [(title, program)] = BLOCK.findall(PAGE)
    [printed] = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    file = tmp_path / title
    file.write_text(program, encoding="utf-8")

    assert {} == dict(diagnose(ProjectIndex.load([tmp_path])))
    run = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=60, check=False)
    assert (printed, "", 0) == (run.stdout, run.stderr, run.returncode)

"""Programs on the pages of the docs, each with what it prints below it."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.docs.test_docs import BLOCK
from thena_lint.analyze import diagnose
from thena_lint.index.project import ProjectIndex

_PRINTED: Final = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def check_program(page: str, folder: Path, number: int = 0, *, of: int = 1) -> None:
    """One of the programs of a page, of which there are so many: it has no fault, and prints what the page says."""
    programs, outputs = BLOCK.findall(page), _PRINTED.findall(page)
    assert (of, of) == (len(programs), len(outputs))
    title, program = programs[number]
    file = folder / title
    file.write_text(program, encoding="utf-8")

    assert {} == dict(diagnose(ProjectIndex.load([folder])))
    run = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=60, check=False)
    assert (outputs[number], "", 0) == (run.stdout, run.stderr, run.returncode)

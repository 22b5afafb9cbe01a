"""The page about replay: its example has no fault and prints what the page says."""

import re
import subprocess
import sys
from pathlib import Path

from thena_lint.analyze import diagnose
from thena_lint.index.project import ProjectIndex

ROOT = Path(__file__).parents[2]


def test_the_example_asks_only_for_what_is_new(tmp_path: Path) -> None:
    """The same prompt again isn't asked; another one is."""
    page = (ROOT / "docs" / "runtime" / "replay.md").read_text("utf-8")
    [(title, text)] = re.findall(r'^```python title="([^"]+)"\n(.*?)^```$', page, re.MULTILINE | re.DOTALL)
    [printed] = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    file = tmp_path / title
    file.write_text(text, encoding="utf-8")

    assert {} == dict(diagnose(ProjectIndex.load([tmp_path])))
    run = subprocess.run([sys.executable, file], capture_output=True, text=True, timeout=60, check=False)
    assert (printed, "", 0) == (run.stdout, run.stderr, run.returncode)

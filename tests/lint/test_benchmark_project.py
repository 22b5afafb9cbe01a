"""What the benchmark of the linter measures is what it says."""

from pathlib import Path

import pytest

from benchmarks.lint.project import write_project
from thena_lint.analyze import analyze


@pytest.mark.parametrize(("files", "share"), [(40, 0.2), (40, 1.0)])
def test_the_faults_that_are_planted_are_found(tmp_path: Path, files: int, share: float) -> None:
    """A project of the benchmark has as many files as it is asked for, and the planted faults alone."""
    written = write_project(tmp_path, files, share)

    assert files == written.files == len(list(tmp_path.rglob("*.py")))
    assert list(written.codes) == sorted(one.code for one in analyze([tmp_path]).diagnostics)

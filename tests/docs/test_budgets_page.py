"""The page about budgets: its example has no fault and prints what the page says."""

from pathlib import Path

from tests.docs.test_docs import ROOT
from tests.support.programs import check_program

PAGE = (ROOT / "docs" / "runtime" / "budgets.md").read_text("utf-8")


def test_the_example_keeps_its_budget(tmp_path: Path) -> None:
    """Twenty agents at once, as a program of its own, pay four calls."""
    check_program(PAGE, tmp_path)

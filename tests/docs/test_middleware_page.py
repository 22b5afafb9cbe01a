"""The page on middlewares: its program prints what it says, and has no fault."""

from pathlib import Path

from tests.docs.test_docs import ROOT
from tests.support.programs import check_program

PAGE = (ROOT / "docs" / "runtime" / "middleware.md").read_text("utf-8")


def test_the_program_prints_what_the_page_says(tmp_path: Path) -> None:
    """It is clean, and prints the lines below it."""
    check_program(PAGE, tmp_path)

"""The page about replay: its example has no fault and prints what the page says."""

from pathlib import Path

from tests.docs.test_docs import ROOT
from tests.support.programs import check_program

PAGE = (ROOT / "docs" / "runtime" / "replay.md").read_text("utf-8")


def test_the_example_asks_only_for_what_is_new(tmp_path: Path) -> None:
    """The same prompt again isn't asked; another one is."""
    check_program(PAGE, tmp_path)

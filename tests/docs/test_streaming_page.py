"""The page on watching runs: its program prints what it says, and has no fault."""

import re
from pathlib import Path

import pytest

from tests.docs.test_docs import ROOT
from tests.support.programs import check_program
from thena_runtime.settings import ThenaConfig

PAGE = (ROOT / "docs" / "runtime" / "streaming.md").read_text("utf-8")


@pytest.mark.parametrize("number", [0, 1])
def test_the_programs_print_what_the_page_says(number: int, tmp_path: Path) -> None:
    """Each program of the page is clean, and prints the lines below it."""
    check_program(PAGE, tmp_path, number, of=2)


def test_the_page_names_the_default_that_there_is() -> None:
    """How much is kept is written as it is set."""
    written = re.search(r"ThenaConfig\(keep_bytes=([\d *]+)\)", PAGE)
    assert written is not None
    factors = [int(factor) for factor in written[1].split("*")]
    assert ThenaConfig().keep_bytes == factors[0] * factors[1] * factors[2]

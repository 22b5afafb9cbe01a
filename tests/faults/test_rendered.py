"""What a terminal shows of every page's Wrong, whole, as a snapshot that was read before it was committed.

`THENA_REWRITE=1` writes `rendered.txt` anew.
"""

import os
from pathlib import Path
from typing import Final

from tests.faults.test_pages import lint
from tests.support.pages import rule_pages, source_pages, write_files
from thena_lint.report.text import render_blocks

RENDERED: Final = Path(__file__).with_name("rendered.txt")


def test_what_is_shown_of_every_fault(tmp_path: Path) -> None:
    """The text of each finding of each page, with its source lines and its chain."""
    shown = []
    for page in sorted((*rule_pages(), *source_pages()), key=lambda page: page.code):
        folder = tmp_path / page.code
        write_files(page.wrong, folder)
        diagnostics = lint(folder, page.code)
        blocks = render_blocks(diagnostics, lines=lambda place: Path(place.path).read_text().splitlines(), cwd=folder)
        shown.append(f"# {page.code} {page.name}\n\n{blocks}")
    text = "\n".join(shown)
    if os.environ.get("THENA_REWRITE"):
        RENDERED.write_text(text)

    assert RENDERED.read_text() == text

"""What a terminal shows of every page's Wrong, whole, as a snapshot that was read before it was committed.

`THENA_REWRITE=1` writes `rendered.txt` anew.
"""

import os
from pathlib import Path
from typing import Final

from tests.faults.test_pages import lint
from tests.support.pages import rule_pages, source_pages, write_files
from thena_lint.analyze import diagnose
from thena_lint.index.project import ProjectIndex
from thena_lint.report.text import render_blocks

RENDERED: Final = Path(__file__).with_name("rendered.txt")


OF_FILES: Final = {
    "THN901 syntax-error": b"from thena_runtime import Agent\n\n\n@Agent(\nclass Writer:\n    pass\n",
    "THN905 file-unreadable": b"import thena_runtime\n\nNAME = '\xff\xfe'\n",
    "THN907 nested-too-deeply": b"import thena_runtime\n\nTOTAL = 1" + b"+1" * 500 + b"\n",
}
"""What is wrong with a file itself, in forms that no page can have."""


def test_what_is_shown_of_every_fault(tmp_path: Path) -> None:
    """The text of each finding of each page, with its source lines and its chain."""
    shown = []
    for page in sorted((*rule_pages(), *source_pages()), key=lambda page: page.code):
        folder = tmp_path / page.code
        write_files(page.wrong, folder)
        diagnostics = lint(folder, page.code)
        blocks = render_blocks(diagnostics, lines=lambda place: Path(place.path).read_text().splitlines(), cwd=folder)
        shown.append(f"# {page.code} {page.name}\n\n{blocks}")
    for name, data in OF_FILES.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "flow.py").write_bytes(data)
        shown.append(f"# {name}\n\n{_blocks(folder, data.decode('utf-8', 'replace').splitlines())}")
    text = "\n".join(shown)
    if os.environ.get("THENA_REWRITE"):
        RENDERED.write_text(text)

    assert RENDERED.read_text() == text


def _blocks(folder: Path, lines: list[str]) -> str:
    """What is shown of the one file of a folder."""
    found = [one for each in diagnose(ProjectIndex.load([folder])).values() for one in each]
    return render_blocks(found, lines=lambda _: lines, cwd=folder)

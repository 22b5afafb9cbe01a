"""Fault pages as data: `docs/faults/THN201.md` -> its title, summary, and the files of its Wrong and Right.

A file is a fenced block with a title (```` ```python title="flow.py" ````). In Wrong, a line ends with
`# error: THN201` where a fault is expected, or `# at start-up: THN603` where only start-up can find it.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from thena_contract.catalogue import FAULTS

FAULTS_FOLDER: Final = Path(__file__).parents[2] / "docs" / "faults"

SOURCE_CODES: Final = frozenset(
    code for code, fault in FAULTS.items() if fault.__module__.startswith("thena_contract.source_faults.")
)
"""What only the linter can show."""

FILE_CODES: Final = frozenset({"THN901", "THN905", "THN906", "THN907"})
"""What the linter tells of files, whatever they declare; the last two have no Wrong that could be written."""

_BLOCK: Final = re.compile(r'^```\w+ title="(?P<title>[^"]+)"\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)
_MARK: Final = re.compile(r"# error: (THN\d{3})")
_LATER: Final = re.compile(r"# at start-up: (THN\d{3})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One fault's page."""

    code: str
    name: str
    summary: str
    sections: tuple[str, ...]
    wrong: dict[str, str]
    right: dict[str, str]

    @property
    def is_of_a_run(self) -> bool:
        """Whether no reader can find the fault, so that Wrong has to be run."""
        return self.code.startswith("THN7")

    def expected(self) -> set[tuple[str, int, str]]:
        """The lines of Wrong that are marked for both readers: file, line (from 1), code."""
        return self._marked(_MARK)

    def expected_later(self) -> set[str]:
        """The codes in Wrong that are marked for start-up alone."""
        return {code for _, _, code in self._marked(_LATER)}

    def _marked(self, mark: "re.Pattern[str]") -> set[tuple[str, int, str]]:
        return {
            (title, number, found[1])
            for title, text in self.wrong.items()
            for number, line in enumerate(text.splitlines(), start=1)
            for found in mark.finditer(line)
        }


def read_page(path: Path) -> Page:
    """Read one page. Raises `ValueError` where it lacks its title."""
    text = path.read_text(encoding="utf-8")
    title = re.match(r"# (THN\d{3}) ([a-z0-9-]+)\n\n(.+)\n", text)
    if title is None:
        raise ValueError(f"{path.name} must begin with `# THNnnn name`, an empty line and a one-line summary")
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    bodies = dict(zip(parts[1::2], parts[2::2], strict=True))
    return Page(
        code=title[1],
        name=title[2],
        summary=title[3],
        sections=tuple(bodies),
        wrong=_files(bodies.get("Wrong", "")),
        right=_files(bodies.get("Right", "")),
    )


def all_pages() -> list[Page]:
    """Every page of the catalogue, by code."""
    return [read_page(path) for path in sorted(FAULTS_FOLDER.glob("THN*.md"))]


def rule_pages() -> list[Page]:
    """The pages of faults that a rule of both readers finds."""
    return [page for page in all_pages() if not page.is_of_a_run and page.code not in SOURCE_CODES | FILE_CODES]


def source_pages() -> list[Page]:
    """The pages of faults that only the source shows."""
    return [page for page in all_pages() if page.code in SOURCE_CODES]


def file_pages() -> list[Page]:
    """The pages of faults of files that have a Wrong."""
    return [page for page in all_pages() if page.code in FILE_CODES and page.wrong]


def run_pages() -> list[Page]:
    """The pages of faults that only a run can show."""
    return [page for page in all_pages() if page.is_of_a_run]


def write_files(files: dict[str, str], folder: Path) -> None:
    """Write a section's files to disk."""
    for title, text in files.items():
        path = folder / title
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _files(section: str) -> dict[str, str]:
    return {block["title"]: block["text"] for block in _BLOCK.finditer(section)}

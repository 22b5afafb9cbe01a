"""The linter kept warm for a session: one index, brought up to date file by file.

Left out on purpose: any judgement, and any output but the linter's own report.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from thena_cli.dev.lines import LintSummary
from thena_contract.fault import Severity
from thena_lint.analyze import diagnose
from thena_lint.index.project import ProjectIndex
from thena_lint.report.text import COLOURED, PLAIN, render_blocks


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one check found: how much, and every fault with its source line."""

    summary: LintSummary
    report: str


class Linter:
    """The warm index; owned by a session, which never has two checks at a time."""

    def __init__(self, watched: Path, *, folder: Path, is_coloured: bool) -> None:
        self._watched = watched
        self._folder = folder
        self._palette = COLOURED if is_coloured else PLAIN
        self._index: ProjectIndex | None = None

    def check(self, saved: Iterable[Path]) -> Verdict:
        """Judge the project as it is on disk, of which only what was saved is read again."""
        began = time.monotonic()
        index = self._index or ProjectIndex.load([self._watched])
        for path in sorted(saved):
            index = index.with_text(path, None)
        self._index = index
        found = [one for of_file in diagnose(index).values() for one in of_file]
        report = render_blocks(found, lines=lambda path: _lines(index, path), cwd=self._folder, palette=self._palette)
        return Verdict(
            summary=LintSummary(
                files=len(index.files),
                faults=len(found),
                is_clean=all(one.severity is not Severity.ERROR for one in found),
                seconds=time.monotonic() - began,
            ),
            report=report,
        )


def _lines(index: ProjectIndex, path: str) -> Sequence[str]:
    file = index.file(Path(path))
    return () if file is None or file.source is None else file.source.lines

"""Whole projects as plain source: every line that ends with `# error: THN201` has that fault, and no other line any.

What only the source shows counts in the projects that mark some of it; elsewhere such code is there for other reasons.
"""

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.support.pages import SOURCE_CODES
from tests.support.start_up import findings_at_start_up
from thena_lint.analyze import diagnose
from thena_lint.diagnostic import Diagnostic
from thena_lint.index.project import ProjectIndex

FOLDER = Path(__file__).parents[1] / "projects"
PROJECTS = sorted(path for path in FOLDER.iterdir() if path.is_dir())
STARTED = [path for path in PROJECTS if (path / "flow.py").exists() and "Thena(" in (path / "flow.py").read_text()]

Marks = Counter[tuple[str, int, str]]

each_project = pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)


def marks_in(project: Path) -> Marks:
    """What the project's files say should be found."""
    return Counter(
        (path.relative_to(project).as_posix(), number, code)
        for path in project.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1)
        for mark in re.finditer(r"error: (THN\d{3}(?:, THN\d{3})*)$", line)
        for code in mark[1].split(", ")
    )


def lint(index: ProjectIndex) -> list[Diagnostic]:
    """Everything that is found in an index."""
    return [one for file in diagnose(index).values() for one in file]


def found_in(project: Path, diagnostics: list[Diagnostic]) -> Marks:
    """What was found, in the form of the marks."""
    return Counter(
        (Path(one.place.path).relative_to(project).as_posix(), one.place.line, one.code) for one in diagnostics
    )


@each_project
def test_marks_are_found(project: Path) -> None:
    """The linter finds what is marked and nothing else."""
    marks, found = marks_in(project), found_in(project, lint(ProjectIndex.load([project])))
    is_about_source = any(code in SOURCE_CODES for _, _, code in marks)

    assert marks == Counter(
        {mark: times for mark, times in found.items() if is_about_source or mark[2] not in SOURCE_CODES}
    )


@each_project
@pytest.mark.parametrize("newline", ["\r\n", "\r"], ids=["CRLF", "CR"])
def test_newlines_change_nothing(project: Path, newline: str, tmp_path: Path) -> None:
    """Every kind of newline gives the same findings at the same places."""
    shutil.copytree(project, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    for copy in tmp_path.rglob("*.*"):
        copy.write_bytes(copy.read_text(encoding="utf-8").replace("\n", newline).encode())

    def places(root: Path) -> list[object]:
        return [
            (one.code, one.place.line, one.place.column, one.place.end_line, one.place.end_column)
            for one in lint(ProjectIndex.load([root]))
        ]

    assert places(project) == places(tmp_path)


@each_project
def test_file_by_file_equals_all_at_once(project: Path) -> None:
    """An index that is given its files one after the other finds what one that reads them at once finds."""
    fresh = ProjectIndex.load([project])
    index = ProjectIndex(roots=fresh.roots, overlays={}, read={})
    for path in reversed(fresh.files):
        index = index.with_text(path, path.read_text(encoding="utf-8"))

    assert lint(fresh) == lint(index)


@pytest.mark.parametrize("project", STARTED, ids=lambda path: path.name)
def test_start_up_finds_the_same(project: Path) -> None:
    """`Thena(...)` raises with equal findings: fault, anchor and chain."""
    from_text = {one.finding for one in lint(ProjectIndex.load([project])) if one.code not in SOURCE_CODES}

    assert set(findings_at_start_up(project, "flow")) == from_text

"""The page about reports: its example prints what the page says, and the options are those that there are."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from tests.docs.test_docs import ROOT
from tests.support.programs import check_program
from thena_runtime import ReportOptions

PAGE = (ROOT / "docs" / "runtime" / "report.md").read_text("utf-8")


def test_the_example_leaves_a_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside where it is run: a page of all runs, and a folder with the page and the JSON of this one."""
    monkeypatch.chdir(tmp_path)
    check_program(PAGE, tmp_path)

    found = sorted(path.relative_to(tmp_path / "report").parts for path in (tmp_path / "report").rglob("*"))
    [folder] = [parts for parts in found if len(parts) == 1 and parts != ("index.html",)]
    assert sorted([("index.html",), folder, (*folder, "index.html"), (*folder, "run.json")]) == found


def test_the_table_has_every_option() -> None:
    """Each option of `ReportOptions` has a row."""
    assert {each.name for each in fields(ReportOptions)} == set(re.findall(r"^\| `(\w+)=", PAGE, re.MULTILINE))

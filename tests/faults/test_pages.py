"""The pages of `docs/faults` as tests: both readers find what Wrong marks, equally, and nothing in Right.

The Wrong of a fault that only a run can show is run: it raises what it marks, and neither reader has anything to say.
That of a fault which only the source shows starts up all the same, and the linter alone is asked.
"""

from pathlib import Path

import pytest

from tests.support.pages import Page, file_pages, rule_pages, run_pages, source_pages, write_files
from tests.support.start_up import failure_of_run, findings_at_start_up
from tests.support.warm import Failure
from thena_contract.fault import Severity
from thena_lint.analyze import diagnose
from thena_lint.diagnostic import Diagnostic
from thena_lint.index.project import ProjectIndex
from thena_lint.policy import Policy
from thena_lint.settings import LintSettings

PAGES = pytest.mark.parametrize("page", rule_pages(), ids=lambda page: page.code)
BAD = (Severity.ERROR, Severity.WARNING)
SOURCE_PAGES = pytest.mark.parametrize("page", source_pages(), ids=lambda page: page.code)
RUN_PAGES = pytest.mark.parametrize("page", run_pages(), ids=lambda page: page.code)


def lint(folder: Path, *asked_for: str) -> list[Diagnostic]:
    """Every error and warning of a folder, and what else is asked for by its code."""
    found = diagnose(ProjectIndex.load([folder]), Policy(LintSettings(extend_select=asked_for)))
    return [one for file in found.values() for one in file if one.severity in BAD or one.code in asked_for]


def places(found: list[Diagnostic], folder: Path) -> set[tuple[str, int, str]]:
    """File, line and code of each."""
    return {(Path(each.place.path).relative_to(folder).as_posix(), each.place.line, each.code) for each in found}


@PAGES
def test_the_linter_finds_what_wrong_marks(page: Page, tmp_path: Path) -> None:
    """Each marked line has exactly its fault, and no other line has any."""
    write_files(page.wrong, tmp_path)

    assert page.expected() == places(lint(tmp_path), tmp_path)


@PAGES
def test_both_readers_give_equal_findings(page: Page, tmp_path: Path) -> None:
    """`Thena(...)` finds the same, as values (fault, anchor and chain), beside what only start-up can find."""
    write_files(page.wrong, tmp_path)

    from_text = {each.finding for each in lint(tmp_path)}
    at_start_up = findings_at_start_up(tmp_path, "flow")
    later = {each for each in at_start_up if each.fault.code in page.expected_later()}

    assert from_text == set(at_start_up) - later
    assert page.expected_later() == {each.fault.code for each in later}


@PAGES
def test_right_is_clean_for_both_readers(page: Page, tmp_path: Path) -> None:
    """The repaired page has nothing to report, and its app is made."""
    write_files(page.right, tmp_path)

    assert lint(tmp_path) == []
    assert findings_at_start_up(tmp_path, "flow") == frozenset()


@SOURCE_PAGES
def test_the_source_shows_what_wrong_marks(page: Page, tmp_path: Path) -> None:
    """Each marked line has exactly its fault, and no other line has any; the app is made all the same."""
    write_files(page.wrong, tmp_path)

    assert page.expected() == places(lint(tmp_path, page.code), tmp_path)
    assert findings_at_start_up(tmp_path, "flow") == frozenset()


@SOURCE_PAGES
def test_right_is_clean_where_the_source_is_asked(page: Page, tmp_path: Path) -> None:
    """The repaired page has nothing to report, and its app is made."""
    write_files(page.right, tmp_path)

    assert lint(tmp_path, page.code) == []
    assert findings_at_start_up(tmp_path, "flow") == frozenset()


@pytest.mark.parametrize("page", file_pages(), ids=lambda page: page.code)
def test_a_file_has_what_wrong_marks(page: Page, tmp_path: Path) -> None:
    """Each marked line has exactly its fault, and no other line has any; Right has none, and its app is made."""
    write_files(page.wrong, tmp_path / "wrong")
    write_files(page.right, tmp_path / "right")

    assert page.expected() == places(lint(tmp_path / "wrong"), tmp_path / "wrong")
    assert lint(tmp_path / "right") == []
    assert findings_at_start_up(tmp_path / "right", "flow") == frozenset()


@RUN_PAGES
def test_a_run_of_wrong_raises_what_is_marked(page: Page, tmp_path: Path) -> None:
    """Its app is made, its run raises exactly this fault, at the marked line, and the linter can't know."""
    write_files(page.wrong, tmp_path)

    assert lint(tmp_path) == []
    assert {Failure(*marked) for marked in page.expected()} == {failure_of_run(tmp_path, "flow")}


@RUN_PAGES
def test_a_run_of_right_comes_to_its_end(page: Page, tmp_path: Path) -> None:
    """The repaired page raises nothing."""
    write_files(page.right, tmp_path)

    assert lint(tmp_path) == []
    assert failure_of_run(tmp_path, "flow") is None

"""Every fix, as text before and after: `tests/fixes`. `THENA_REWRITE=1` writes what is offered, to be read."""

import ast
import os
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.fix_cases import CASES, Case, Tried, read_case, try_case, write_case
from thena_contract.fault import Severity
from thena_lint.analyze import Analysis, analyze, analyze_index
from thena_lint.apply import SAFE_AND_UNSAFE, Applied, apply_fixes
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability
from thena_lint.fixes import FIXES

PATHS = sorted(CASES.glob("*.txt"))
NEWLINES = {"LF": "\n", "CRLF": "\r\n", "CR": "\r"}

each_case = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


def tried(case: Case, folder: Path, newline: str = "\n") -> Tried:
    write_case(case.before, folder, newline)
    return try_case(folder, case.code)


def applied(analysis: Analysis) -> Applied:
    """What is left when everything is applied that may be."""
    return apply_fixes(analysis, again=lambda index: analyze_index(index, analysis.policy), allowed=SAFE_AND_UNSAFE)


def counted(analysis: Analysis) -> Counter[str]:
    """How many errors and warnings of each code there are."""
    return Counter(one.code for one in analysis.diagnostics if one.severity in (Severity.ERROR, Severity.WARNING))


@each_case
def test_a_fix_is_offered_and_changes_what_it_should(path: Path, tmp_path: Path) -> None:
    """The offers are those that the case tells, and the first of them makes of the files what it shows."""
    case = read_case(path)
    found = tried(case, tmp_path)
    if os.environ.get("THENA_REWRITE"):
        path.write_text(replace(case, offers=found.offers, after=found.changed).text, encoding="utf-8")
        case = read_case(path)

    assert case.offers == found.offers
    assert case.after == found.changed


@each_case
@pytest.mark.parametrize("newline", ["CRLF", "CR"])
def test_lines_end_as_before(path: Path, newline: str, tmp_path: Path) -> None:
    """In a file whose lines end otherwise, every line of the fixed text does, too; a new file has lines of its own."""
    case = read_case(path)
    found = tried(case, tmp_path, NEWLINES[newline])
    expected = {
        name: text.replace("\n", NEWLINES[newline]) if name in case.before else text
        for name, text in case.after.items()
    }

    assert case.offers == found.offers
    assert expected == found.changed


@each_case
def test_the_fixed_project_is_better(path: Path, tmp_path: Path) -> None:
    """It is Python, one such finding is gone at least, and nothing new is found but where somebody had a choice."""
    case = read_case(path)
    before = tried(case, tmp_path).analysis
    write_case(case.after, tmp_path, "\n")
    after = analyze([tmp_path])

    for name, text in case.after.items():
        assert not name.endswith(".py") or ast.parse(text)
    assert not case.after or counted(after)[case.code] < counted(before)[case.code]
    assert case.offers[0].startswith("# choice") or not counted(after) - counted(before)


@each_case
def test_applying_again_changes_nothing(path: Path, tmp_path: Path) -> None:
    """Whatever can be applied is applied at once."""
    write_case(read_case(path).before, tmp_path, "\n")
    first = applied(analyze([tmp_path]))
    write_case({one.path.relative_to(tmp_path).as_posix(): one.after for one in first.rewrites}, tmp_path, "\n")
    write_case({one.path.relative_to(tmp_path).as_posix(): one.text for one in first.created}, tmp_path, "\n")
    again = applied(analyze([tmp_path]))

    assert ((), (), 0) == (again.rewrites, again.created, again.fixed)
    assert places(first.analysis.diagnostics) == places(again.analysis.diagnostics)


def places(diagnostics: tuple[Diagnostic, ...]) -> list[tuple[str, int, str]]:
    return [(one.place.path, one.place.line, one.code) for one in diagnostics]


def test_every_fix_has_a_case() -> None:
    """Each code that has fixes is among the cases, with one that is offered."""
    offered = {case.code for path in PATHS if (case := read_case(path)).after}

    assert set(FIXES) == offered


def test_the_table_names_every_fix() -> None:
    """`docs/lint-fixes.md` has a row for each code, and says of each how certain its fixes are that the cases show."""
    page = (Path(__file__).parents[2] / "docs" / "lint-fixes.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(THN\d+)\]\(faults/\1\.md\) \| .+ \| ([a-z; ]+) \|$", page, flags=re.MULTILINE)
    first = {(case.code, case.offers[0].split()[1].rstrip(":")) for path in PATHS if (case := read_case(path)).after}

    assert [code for code, _ in rows] == list(FIXES)
    assert {(code, kind) for code, kind in first if kind not in dict(rows)[code]} == set()


def test_a_choice_is_nobodys_to_take(tmp_path: Path) -> None:
    """What only a person can choose isn't applied, however much is allowed."""
    case = next(one for path in PATHS if (one := read_case(path)).offers[0].startswith("# choice"))
    found = tried(case, tmp_path)
    left = applied(found.analysis).analysis.diagnostics

    assert Applicability.CHOICE is found.fixes[0].applicability
    assert case.code in {one.code for one in left}

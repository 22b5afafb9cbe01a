"""The table of the behaviour list: it is whole and current; what its maker refuses, and what it writes."""

from pathlib import Path

import pytest

from tests.support.compatibility import DOCUMENT, ROOT, read

_ROWS = '["Runs"]\nT001 = "A run runs."\nT002 = "A | b."\n\n["Weaknesses"]\nW1 = "It is weak."\n'
_TEST = "import pytest\n\n\n@pytest.mark.behaviour({ids})\ndef test_it() -> None: ...\n"


def _project(root: Path, *, marked: str | None = '"T001", "T002", "W1"', reasons: str = "") -> Path:
    (root / "docs/compatibility").mkdir(parents=True)
    (root / "docs/compatibility/rows.toml").write_text(_ROWS, encoding="utf-8")
    (root / "docs/compatibility/reasons-core.toml").write_text(reasons, encoding="utf-8")
    (root / "tests").mkdir()
    if marked is not None:
        (root / "tests/test_runs.py").write_text(_TEST.format(ids=marked), encoding="utf-8")
    return root


def _reason(row: str, status: str, more: str = 'reason = "Because."') -> str:
    return f'[{row}]\nstatus = "{status}"\n{more}\n'


def test_the_list_is_whole() -> None:
    """The repository's list has all 437 behaviours and 62 weaknesses, each once, in their order."""
    ids = [row.id for row in read(ROOT).rows]

    assert [*(f"T{number:03}" for number in range(1, 438)), *(f"W{number}" for number in range(1, 63))] == ids


def test_every_row_has_a_test_or_a_reason() -> None:
    """Each row of the repository's list is shown by a test or has its reason, and nothing contradicts another."""
    assert [] == read(ROOT).problems


def test_the_page_is_current() -> None:
    """The page is what the rows, the tests and the reasons make now."""
    written = (ROOT / DOCUMENT).read_text(encoding="utf-8")

    assert read(ROOT).render() == written, "run `python -m tests.support.compatibility --write`"


def test_a_row_without_a_test_and_without_a_reason_is_a_problem(tmp_path: Path) -> None:
    """Each row that nothing is said of is told, with its text."""
    assert ["T002: neither a test nor a reason (A | b.)", "W1: neither a test nor a reason (It is weak.)"] == read(
        _project(tmp_path, marked='"T001"')
    ).problems


def test_a_row_that_there_is_not_is_a_problem_in_a_test_and_in_a_reason(tmp_path: Path) -> None:
    """A misspelt id is told wherever it stands, and with where it stands."""
    root = _project(tmp_path, marked='"T001", "T002", "W1", "T003"', reasons=_reason("W2", "accepted"))

    assert [
        "T003: there is no such row, and tests/test_runs.py::test_it names it",
        "W2: there is no such row, and reasons-core.toml gives a reason for it",
    ] == read(root).problems


@pytest.mark.parametrize(
    ("reasons", "problem"),
    [
        pytest.param(
            _reason("T002", "later", 'part = "report"\nreason = "Soon."'),
            "T002: is said to be later, but tests/test_runs.py::test_it shows it",
            id="later, with a test",
        ),
        pytest.param(
            _reason("T002", "not-applicable"),
            "T002: is said to be not-applicable, but tests/test_runs.py::test_it shows it",
            id="not applicable, with a test",
        ),
        pytest.param(
            _reason("T002", "kept"),
            "T002: reasons-core.toml gives it the status `kept`, which is none of a reason's",
            id="kept by a reason",
        ),
        pytest.param(
            _reason("T002", "latter"),
            "T002: reasons-core.toml gives it the status `latter`, which is none of a reason's",
            id="no status",
        ),
        pytest.param(
            _reason("T002", "accepted"),
            "T002: reasons-core.toml accepts it, but only weaknesses are accepted",
            id="a behaviour that is accepted",
        ),
        pytest.param(
            _reason("T002", "changed", 'reason = " "'),
            "T002: reasons-core.toml gives no reason",
            id="no reason",
        ),
        pytest.param(
            _reason("T002", "later"),
            "T002: reasons-core.toml must name the part that a later row waits for, out of "
            "('providers', 'memory', 'report', 'cli', 'flow')",
            id="later, without a part",
        ),
        pytest.param(
            _reason("T002", "changed", 'reason = "Because."\nwhy = "so"'),
            "T002: reasons-core.toml says more than `status`, `reason` and `part`, each a string",
            id="an unknown key",
        ),
    ],
)
def test_a_reason_that_cant_be_is_a_problem(tmp_path: Path, reasons: str, problem: str) -> None:
    """A reason that contradicts a test, or that lacks something, is told."""
    assert [problem] == read(_project(tmp_path, reasons=reasons)).problems


def test_a_change_needs_a_test_that_shows_it(tmp_path: Path) -> None:
    """A row that is said to be otherwise, while no test shows how, is told."""
    root = _project(tmp_path, marked='"T001", "W1"', reasons=_reason("T002", "changed"))

    assert ["T002: is said to be changed, but no test shows how"] == read(root).problems


def test_a_row_has_one_reason(tmp_path: Path) -> None:
    """The same row in two files of reasons is told."""
    root = _project(tmp_path, reasons=_reason("T002", "changed"))
    (root / "docs/compatibility/reasons-more.toml").write_text(_reason("T002", "changed"), encoding="utf-8")

    assert ["T002: has two reasons, one of them in reasons-more.toml"] == read(root).problems


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('import pytest\n\npytestmark = pytest.mark.behaviour("T001")\n', id="on a module"),
        pytest.param('import pytest\n\n\n@pytest.mark.behaviour("T001")\ndef helper() -> None: ...\n', id="on no test"),
        pytest.param(_TEST.format(ids="*ROWS"), id="computed"),
        pytest.param(_TEST.format(ids=""), id="empty"),
    ],
)
def test_a_marker_that_counts_for_nothing_is_refused(tmp_path: Path, text: str) -> None:
    """A marker that can't be read from the text, or stands on no test, is an error with its place."""
    root = _project(tmp_path)
    (root / "tests/test_more.py").write_text(text, encoding="utf-8")

    with pytest.raises(ValueError, match=r"^tests/test_more\.py:\d+: `pytest\.mark\.behaviour` "):
        read(root)


def test_tests_are_read_and_never_imported(tmp_path: Path) -> None:
    """A test file that would fail when imported still counts; markers inside a parametrization do, too."""
    root = _project(tmp_path, marked='"W1"')
    (root / "tests/test_more.py").write_text(
        "raise SystemExit\n\n\nclass TestMore:\n"
        '    @pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.behaviour("T001", "T002"))])\n'
        "    async def test_more(self, x: int) -> None: ...\n",
        encoding="utf-8",
    )

    table = read(root)

    assert [] == table.problems
    assert [["test_more"], ["test_more"], ["test_it"]] == [[test.name for test in row.tests] for row in table.rows]


def test_the_page_counts_and_links(tmp_path: Path) -> None:
    """The page has the counts first, then each area with its rows, their tests as links and their reasons."""
    root = _project(
        tmp_path,
        marked='"T001", "W1"',
        reasons=_reason("T002", "later", 'part = "report"\nreason = "Not\\n yet."') + _reason("W1", "accepted"),
    )

    page = read(root).render()

    assert """\
| Status | Meaning | Behaviours | Weaknesses |
|---|---|---:|---:|
| kept | as the row says | 1 |  |
| accepted | a weakness that was weighed and left |  | 1 |
| later | belongs to a part that is still to come | 1 |  |
| all | | 2 | 1 |

Rows that wait for a later part: report 1.

## Runs

| Row | Behaviour | Status | Shown by, or why not |
|---|---|---|---|
| T001 | A run runs. | kept | [test_it](../tests/test_runs.py) |
| T002 | A \\| b. | later: report | Not yet. |

## Weaknesses

| Row | Behaviour | Status | Shown by, or why not |
|---|---|---|---|
| W1 | It is weak. | accepted | Because. [test_it](../tests/test_runs.py) |
""" == page[page.index("| Status") :]

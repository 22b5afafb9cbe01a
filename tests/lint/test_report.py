"""Diagnostics as people and programs see them."""

import json
from dataclasses import replace
from pathlib import Path

from thena_contract.anchor import Place
from thena_contract.fault import Severity
from thena_lint.diagnostic import Diagnostic, RelatedPlace
from thena_lint.edit import Applicability
from thena_lint.report.json_format import render_json
from thena_lint.report.text import COLOURED, Fixed, render_text

CWD = Path("/project/here")
LINES = ("", "\tdef 日本(é: State) -> None:\x1b[31m", "x = (", "  1)")
FILE = str(CWD / "app" / "a.py")


def diagnostic(place: Place, *related: RelatedPlace) -> Diagnostic:
    """A diagnostic at a place."""
    return Diagnostic(
        code="THN201",
        name="state-not-declared",
        severity=Severity.ERROR,
        message="Fact. Repair.",
        place=place,
        related=related,
    )


def test_text() -> None:
    """Place, code, message, the source line, its range whatever the characters' widths, related places, a count."""
    related = RelatedPlace(message="declared here", place=Place("/elsewhere/b.py", 12, 7, 12, 9))
    found = [
        diagnostic(Place(FILE, 2, 9, 2, 17), related),
        diagnostic(Place(FILE, 3, 5, 4, 5)),
        diagnostic(Place("/gone.py", 9, 1, 9, 1)),
    ]

    expected = """\
app/a.py:2:9: THN201 Fact. Repair.
2 | \tdef 日本(é: State) -> None:[31m
  | \t         ^^^^^^^^
  = /elsewhere/b.py:12:7: declared here

app/a.py:3:5: THN201 Fact. Repair.
3 | x = (
  |     ^

/gone.py:9:1: THN201 Fact. Repair.

Found 3 faults in 2 files.
"""
    lines = {FILE: LINES}
    assert expected == render_text(found, 5, lines=lambda place: lines.get(place.path, ()), cwd=CWD)


def test_nothing_found() -> None:
    """What is clean says how much was looked at."""
    assert render_text([], 1, lines=lambda place: (), cwd=CWD) == "All clear: 1 file checked.\n"


def test_colours_say_nothing_more() -> None:
    """Without its colours the coloured text is the plain one."""
    found = [diagnostic(Place(FILE, 3, 5, 3, 6))]
    plain = render_text(found, 1, lines=lambda place: LINES, cwd=CWD)
    coloured = render_text(found, 1, lines=lambda place: LINES, cwd=CWD, palette=COLOURED)
    for code in (COLOURED.bold, COLOURED.dim, COLOURED.error, COLOURED.reset):
        assert code in coloured
        coloured = coloured.replace(code, "")

    assert plain == coloured


def test_what_can_be_fixed_is_marked() -> None:
    """A mark stands behind the code of what can be fixed, and the last line tells with which option."""
    found = [replace(diagnostic(Place(FILE, 9, 1, 9, 2)), fixable=one) for one in (*Applicability, None)]
    safe = render_text(found, 1, lines=lambda place: LINES, cwd=CWD)
    unsafe = render_text(found, 1, lines=lambda place: LINES, cwd=CWD, fixing=Fixed(is_unsafe_too=True))
    fixed = render_text(found[2:], 1, lines=lambda place: LINES, cwd=CWD, fixing=Fixed(count=2))

    assert (
        safe
        == """\
app/a.py:9:1: THN201 [*] Fact. Repair.

app/a.py:9:1: THN201 Fact. Repair.

app/a.py:9:1: THN201 Fact. Repair.

app/a.py:9:1: THN201 Fact. Repair.

Found 4 faults in 1 file.
[*] 1 fixable with `--fix` (1 more with `--fix --unsafe-fixes`).
"""
    )
    assert unsafe.count("[*] Fact") == 2
    assert unsafe.endswith("Found 4 faults in 1 file.\n[*] 2 fixable with `--fix --unsafe-fixes`.\n")
    assert fixed.endswith("Found 4 faults (2 fixed, 2 remaining).\n")


def test_json() -> None:
    """Rows hold exactly these fields, with paths as they would be typed here."""
    expected = [
        {
            "code": "THN201",
            "name": "state-not-declared",
            "severity": "error",
            "message": "Fact. Repair.",
            "fixable": None,
            "path": "app/a.py",
            "cell": None,
            "line": 3,
            "column": 5,
            "end_line": 4,
            "end_column": 5,
        }
    ]

    assert expected == json.loads(render_json([diagnostic(Place(FILE, 3, 5, 4, 5))], cwd=CWD))

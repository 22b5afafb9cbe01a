"""A diagnostic as a row for programs. Lines and columns count from 1, columns count code points.

`fixable` tells whether there is a fix: `safe`, `unsafe`, or `choice` where only a person can choose; else it is `null`.
In a notebook lines are those of a cell, and `cell` is its number, counted from 1 among all cells; else it is `null`.
"""

from pathlib import Path

from thena_contract.anchor import Place
from thena_lint.diagnostic import Diagnostic
from thena_lint.report.text import shown


def row(one: Diagnostic, cwd: Path) -> dict[str, object]:
    """The fields that every program is given."""
    return {
        "code": one.code,
        "name": one.name,
        "severity": one.severity.value,
        "message": one.message,
        "fixable": None if one.fixable is None else one.fixable.value,
        **place_row(one.place, cwd),
    }


def place_row(place: Place, cwd: Path) -> dict[str, object]:
    """Where something stands."""
    return {
        "path": shown(place.path, cwd),
        "cell": place.cell,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }

"""Diagnostics for programs: an array of rows. Lines and columns count from 1, columns count code points.

In a notebook lines are those of a cell, and `cell` is its number, counted from 1 among all cells; else it is `null`.
Where more was asked for than diagnostics, they are one part of an object: `diagnostics`, `unknown`, `statistics`.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from thena_contract.anchor import Place
from thena_lint.diagnostic import Diagnostic
from thena_lint.report.statistics import Statistics
from thena_lint.report.text import shown
from thena_lint.unseen.part import Unseen


def render_json(
    diagnostics: Sequence[Diagnostic],
    *,
    cwd: Path,
    unseen: Sequence[Unseen] | None = None,
    statistics: Statistics | None = None,
) -> str:
    """All diagnostics as one JSON array; an object, if `unseen` or `statistics` are given too."""
    rows = [
        {
            "code": one.code,
            "name": one.name,
            "severity": one.severity.value,
            "message": one.message,
            **_place(one.place, cwd),
        }
        for one in diagnostics
    ]
    if unseen is None and statistics is None:
        return _dumped(rows)
    parts: dict[str, object] = {"diagnostics": rows}
    if unseen is not None:
        parts["unknown"] = [
            {"kind": one.kind, "what": one.what, "reason": one.reason, **_place(one.place, cwd)} for one in unseen
        ]
    if statistics is not None:
        parts["statistics"] = {"faults": dict(statistics.faults), "unknown": dict(statistics.unknown)}
    return _dumped(parts)


def _place(place: Place, cwd: Path) -> dict[str, object]:
    return {
        "path": shown(place.path, cwd),
        "cell": place.cell,
        "line": place.line,
        "column": place.column,
        "end_line": place.end_line,
        "end_column": place.end_column,
    }


def _dumped(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"

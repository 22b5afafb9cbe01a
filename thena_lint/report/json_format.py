"""Diagnostics for programs: an array of rows, or one row a line.

Where more was asked for than diagnostics, they are one part of an object: `diagnostics`, `unknown`, `statistics`.
"""

import json
from collections.abc import Sequence
from pathlib import Path

from thena_lint.diagnostic import Diagnostic
from thena_lint.report.row import place_row, row
from thena_lint.report.statistics import Statistics
from thena_lint.unseen.part import Unseen


def render_json(
    diagnostics: Sequence[Diagnostic],
    *,
    cwd: Path,
    unseen: Sequence[Unseen] | None = None,
    statistics: Statistics | None = None,
) -> str:
    """All diagnostics as one JSON array; an object, if `unseen` or `statistics` are given too."""
    rows = [row(one, cwd) for one in diagnostics]
    if unseen is None and statistics is None:
        return _dumped(rows)
    parts: dict[str, object] = {"diagnostics": rows}
    if unseen is not None:
        parts["unknown"] = [
            {"kind": one.kind, "what": one.what, "reason": one.reason, **place_row(one.place, cwd)} for one in unseen
        ]
    if statistics is not None:
        parts["statistics"] = {"faults": dict(statistics.faults), "unknown": dict(statistics.unknown)}
    return _dumped(parts)


def render_json_lines(diagnostics: Sequence[Diagnostic], *, cwd: Path) -> str:
    """Each diagnostic as one line of JSON; nothing, where there is none."""
    return "".join(json.dumps(row(one, cwd), ensure_ascii=False) + "\n" for one in diagnostics)


def _dumped(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"

"""Diagnostics for programs: an array of rows. Lines and columns count from 1, columns count code points."""

import json
from collections.abc import Sequence
from pathlib import Path

from thena_lint.diagnostic import Diagnostic
from thena_lint.report.text import shown


def render_json(diagnostics: Sequence[Diagnostic], *, cwd: Path) -> str:
    """All diagnostics as one JSON array."""
    rows = [
        {
            "code": one.code,
            "name": one.name,
            "severity": one.severity.value,
            "message": one.message,
            "path": shown(one.place.path, cwd),
            "line": one.place.line,
            "column": one.place.column,
            "end_line": one.place.end_line,
            "end_column": one.place.end_column,
        }
        for one in diagnostics
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"

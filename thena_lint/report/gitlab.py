"""Diagnostics as a code quality report, which GitLab shows in merge requests."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from thena_contract.fault import Severity
from thena_lint.diagnostic import Diagnostic
from thena_lint.report.fingerprints import fingerprinted
from thena_lint.report.text import shown

_SEVERITIES: Final = {Severity.ERROR: "major", Severity.WARNING: "minor"}


def render_gitlab(diagnostics: Sequence[Diagnostic], *, cwd: Path) -> str:
    """One JSON array; an empty one clears what an earlier run told."""
    rows = [
        {
            "type": "issue",
            "check_name": one.code,
            "description": f"{one.code} {one.message}",
            "categories": ["Bug Risk"],
            "severity": _SEVERITIES.get(one.severity, "info"),
            "fingerprint": fingerprint,
            "location": {
                "path": Path(shown(one.place.path, cwd)).as_posix(),
                "lines": {"begin": one.place.line, "end": one.place.end_line},
            },
        }
        for one, fingerprint in fingerprinted(diagnostics, cwd)
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"

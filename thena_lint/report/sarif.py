"""Diagnostics as SARIF 2.1.0, which code scanning of many kinds reads."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from urllib.parse import quote

from thena_contract.anchor import Place
from thena_contract.codes import NAMES
from thena_contract.fault import Severity
from thena_lint.diagnostic import Diagnostic
from thena_lint.pages import page_of
from thena_lint.report.fingerprints import fingerprinted
from thena_lint.report.text import shown
from thena_lint.rules_list import meaning_of
from thena_lint.version import version

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning"}


def render_sarif(diagnostics: Sequence[Diagnostic], *, cwd: Path, is_complete: bool) -> str:
    """One log of one run, with a rule for each code that was found."""
    codes = sorted({one.code for one in diagnostics})
    driver = {"name": "thena-lint", "version": version(), "rules": [_rule(code) for code in codes]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": is_complete}],
        "results": [
            _result(one, codes.index(one.code), fingerprint, cwd)
            for one, fingerprint in fingerprinted(diagnostics, cwd)
        ],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(code: str) -> dict[str, object]:
    page = page_of(code)
    return {
        "id": code,
        "name": NAMES[code],
        "shortDescription": {"text": meaning_of(code)},
        "help": {"text": page, "markdown": page},
    }


def _result(one: Diagnostic, rule: int, fingerprint: str, cwd: Path) -> dict[str, object]:
    related = [
        {**_location(other.place, cwd), "id": number, "message": {"text": other.message}}
        for number, other in enumerate(one.related, start=1)
    ]
    return {
        "ruleId": one.code,
        "ruleIndex": rule,
        "level": _LEVELS.get(one.severity, "note"),
        "message": {"text": one.message},
        "locations": [_location(one.place, cwd)],
        **({"relatedLocations": related} if related else {}),
        "partialFingerprints": {"thenaFault/v1": fingerprint},
    }


def _location(place: Place, cwd: Path) -> dict[str, object]:
    region = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
    physical = {"artifactLocation": {"uri": _uri(place.path, cwd)}, "region": region}
    cell = {} if place.cell is None else {"logicalLocations": [{"name": f"cell {place.cell}"}]}
    return {"physicalLocation": physical, **cell}


def _uri(path: str, cwd: Path) -> str:
    near = shown(path, cwd)
    return Path(path).as_uri() if Path(near).is_absolute() else quote(Path(near).as_posix())

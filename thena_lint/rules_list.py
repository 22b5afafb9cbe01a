"""Every fault in a line, or as a row for programs: code, name, how bad it is, and what it is."""

import json
from typing import Final

from thena_contract.catalogue import FAULTS
from thena_contract.codes import NAMES, OFF_BY_DEFAULT
from thena_contract.fault import Fault
from thena_lint.source.faults import FileUnreadable, LinterFailed, SyntaxFault, TooDeeplyNested

_OF_FILES: Final = {fault.code: fault for fault in (SyntaxFault, FileUnreadable, LinterFailed, TooDeeplyNested)}


def meaning_of(code: str) -> str:
    """What a fault is, in a sentence."""
    return (_fault(code).__doc__ or "").strip()


def render_rules(*, as_json: bool) -> str:
    """All faults, in order of their codes."""
    rows = [
        {
            "code": code,
            "name": name,
            "severity": _fault(code).severity.value,
            "is_on": code not in OFF_BY_DEFAULT,
            "meaning": meaning_of(code),
        }
        for code, name in NAMES.items()
    ]
    if as_json:
        return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"
    width = max(map(len, NAMES.values()))
    return "".join(
        f"{row['code']} {row['name']:{width}} {row['severity'] if row['is_on'] else 'off':11} {row['meaning']}\n"
        for row in rows
    )


def _fault(code: str) -> type[Fault]:
    return FAULTS.get(code) or _OF_FILES[code]

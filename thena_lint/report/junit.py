"""Diagnostics as results of tests: a suite for each file, in which errors and warnings are failures."""

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from thena_contract.fault import Severity
from thena_lint.diagnostic import Diagnostic
from thena_lint.report.text import position, shown

_BAD: Final = (Severity.ERROR, Severity.WARNING)
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PROGRAM: Final = "thena-lint"


def render_junit(diagnostics: Sequence[Diagnostic], *, cwd: Path) -> str:
    """One XML document. Where nothing was found a single test passed, so that the report isn't taken for lost."""
    suites = [_suite(shown(path, cwd), list(found)) for path, found in groupby(diagnostics, lambda one: one.place.path)]
    failures = sum(one.severity in _BAD for one in diagnostics)
    counts = f"name={_attribute(_PROGRAM)} {_counts(max(len(diagnostics), 1), failures)}"
    inner = "".join(suites) or _empty_suite()
    return f'<?xml version="1.0" encoding="utf-8"?>\n<testsuites {counts}>\n{inner}</testsuites>\n'


def _suite(path: str, found: Sequence[Diagnostic]) -> str:
    failures = sum(one.severity in _BAD for one in found)
    cases = "".join(_case(path, one) for one in found)
    return f"  <testsuite name={_attribute(path)} {_counts(len(found), failures)}>\n{cases}  </testsuite>\n"


def _empty_suite() -> str:
    case = f'    <testcase name="no faults" classname={_attribute(_PROGRAM)} time="0"/>\n'
    return f"  <testsuite name={_attribute(_PROGRAM)} {_counts(1, 0)}>\n{case}  </testsuite>\n"


def _counts(tests: int, failures: int) -> str:
    return f'tests="{tests}" failures="{failures}" errors="0"'


def _case(path: str, one: Diagnostic) -> str:
    at = f"{path}{position(one.place)}"
    name = f"{one.code} {one.name}{position(one.place).removesuffix(':')}"
    text = _text(f"{at} {one.code} {one.message}")
    inner = (
        f"<failure type={_attribute(one.severity.value)} message={_attribute(one.message)}>{text}</failure>"
        if one.severity in _BAD
        else f"<system-out>{text}</system-out>"
    )
    classname = Path(path).with_suffix("").as_posix()
    return (
        f'    <testcase name={_attribute(name)} classname={_attribute(classname)} time="0">\n'
        f"      {inner}\n    </testcase>\n"
    )


def _attribute(text: str) -> str:
    return quoteattr(_allowed(text))


def _text(text: str) -> str:
    return escape(_allowed(text))


def _allowed(text: str) -> str:
    """Without what XML has no character for."""
    return _NO_XML.sub("\ufffd", text)

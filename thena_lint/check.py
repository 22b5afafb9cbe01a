"""Lint as a command line asks: analyze, report, and say in the exit code what was found."""

import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from thena_contract.anchor import Place
from thena_contract.fault import Severity
from thena_lint.analyze import Analysis, analyze
from thena_lint.report.report import Report, render
from thena_lint.report.statistics import Statistics
from thena_lint.request import Check
from thena_lint.source.notebook import lines_of_cell
from thena_lint.streams import is_coloured, write
from thena_lint.unseen.holes import unseen_in

CLEAN: Final = 0
FOUND: Final = 1
FAILED: Final = 2

_BAD: Final = (Severity.ERROR, Severity.WARNING)


def check(request: Check) -> int:
    """Lint what is asked for, write what was found, and return the exit code.

    Raises:
        PathError: for a path that doesn't exist, or a file that isn't Python.
    """
    # The trees of a file hold no cycles, and looking for some again and again would take a quarter of the time.
    gc.disable()
    analysis = analyze(request.paths)
    _tell_what_is_missing(analysis)
    write(render(_report(analysis, request), request.output_format))
    if not analysis.is_complete:
        return FAILED
    return FOUND if any(one.severity in _BAD for one in analysis.diagnostics) else CLEAN


def _tell_what_is_missing(analysis: Analysis) -> None:
    for folder in analysis.index.closed:
        print(f"thena-lint: `{folder.path}` can't be read: {folder.reason}.", file=sys.stderr)
    if not analysis.index.files and not analysis.index.closed:
        print("thena-lint: no Python file found there. Is it the right folder?", file=sys.stderr)


def _report(analysis: Analysis, request: Check) -> Report:
    is_asked = request.explain_unknown or request.statistics
    unseen = unseen_in(analysis.index, analysis.linked) if is_asked else ()
    return Report(
        diagnostics=analysis.diagnostics,
        checked=len(analysis.index.files),
        is_complete=analysis.is_complete,
        lines=lambda place: _lines(analysis, place),
        cwd=Path.cwd(),
        is_coloured=is_coloured(),
        unseen=unseen if request.explain_unknown else None,
        statistics=Statistics.of(analysis.diagnostics, unseen) if request.statistics else None,
    )


def _lines(analysis: Analysis, place: Place) -> Sequence[str]:
    file = analysis.index.file(Path(place.path))
    return () if file is None or file.source is None else lines_of_cell(file.source, place.cell)

"""Lint as a command line asks: analyze, report, and say in the exit code what was found."""

import gc
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from thena_contract.anchor import Place
from thena_contract.codes import ALWAYS_TOLD
from thena_contract.fault import Severity
from thena_lint.add_ignore import silence_with_comments
from thena_lint.analyze import Analysis, analyze, analyze_index
from thena_lint.apply import SAFE, SAFE_AND_UNSAFE, Applied, apply_fixes, mark
from thena_lint.baseline import Known, compare, read_baseline, write_baseline
from thena_lint.policy import Policy
from thena_lint.report.diff import render_diff
from thena_lint.report.report import Report, render
from thena_lint.report.statistics import Statistics
from thena_lint.report.text import Fixed, counted
from thena_lint.request import Check, Fixing
from thena_lint.source.discover import MODULES_AND_NOTEBOOKS, PathError, absolute, is_python
from thena_lint.source.notebook import lines_of_cell
from thena_lint.source.text import SourceText, decode, read_source
from thena_lint.streams import is_coloured, write
from thena_lint.unseen.holes import unseen_in
from thena_lint.write import WriteError, create, rewrite

CLEAN: Final = 0
FOUND: Final = 1
FAILED: Final = 2

_BAD: Final = (Severity.ERROR, Severity.WARNING)
_NO_NAME: Final = Path("<stdin>.py")


def check(request: Check) -> int:
    """Lint what is asked for, write what was found, and return the exit code.

    Raises:
        PathError: for a path that doesn't exist, or a file that isn't Python.
        BaselineError: for a baseline that can't be read or written.
    """
    # The trees of a file hold no cycles, and looking for some again and again would take a quarter of the time.
    gc.disable()
    analysis = _of_stdin(request) if request.from_stdin else analyze(request.paths, Policy(request.settings))
    _tell_what_is_missing(analysis)
    if request.write_baseline:
        return _write_baseline(analysis, request)
    analysis, stale = _told(analysis, request)
    if request.add_ignore:
        return _add_ignore(analysis, request)
    if request.fixing is Fixing.DIFF:
        return _show(_applied(analysis, request))
    fixing, is_written = Fixed(is_unsafe_too=request.unsafe_fixes), True
    if request.fixing is Fixing.WRITE:
        applied = _applied(analysis, request)
        fixing, is_written = replace(fixing, count=applied.fixed), _write(applied, request)
        if applied.fixed:
            analysis, stale = _told(analyze_index(applied.analysis.index, analysis.policy), request)
    _tell(mark(analysis), request, fixing)
    _tell_what_is_stale(stale, request)
    return _exit_code(analysis, request, is_stale=bool(stale)) if is_written else FAILED


def _add_ignore(analysis: Analysis, request: Check) -> int:
    """Write the comments, and report what is left."""
    silencing = silence_with_comments(analysis.index, analysis.diagnostics)
    is_written = _write_all(partial(rewrite, one) for one in silencing.rewrites)
    files = counted(len(silencing.rewrites), "file")
    left, stale = _told(analyze(request.paths, Policy(request.settings)), request)
    _tell(mark(left), request, Fixed())
    _tell_what_is_stale(stale, request)
    if is_written:
        print(f"Silenced {counted(silencing.faults, 'fault')} in {files}.", file=sys.stderr)
    return _exit_code(left, request, is_stale=bool(stale)) if is_written else FAILED


def _told(analysis: Analysis, request: Check) -> tuple[Analysis, Mapping[Known, int]]:
    """What of all that was found is asked for and not known already; and what is known in vain."""
    if request.from_stdin:
        path = _path_of_stdin(request)
        ours = {str(path), str(analysis.policy.configured(path.parent).file)}
        analysis = replace(analysis, diagnostics=tuple(one for one in analysis.diagnostics if one.place.path in ours))
    if request.baseline is None:
        return analysis, {}
    compared = compare(read_baseline(request.baseline), request.baseline, analysis.diagnostics)
    analysis = replace(analysis, diagnostics=compared.left)
    return analysis, _looked_for(compared.stale, request.baseline, analysis)


def _applied(analysis: Analysis, request: Check) -> Applied:
    return apply_fixes(
        analysis,
        again=lambda index: _told(analyze_index(index, analysis.policy), request)[0],
        allowed=SAFE_AND_UNSAFE if request.unsafe_fixes else SAFE,
        only=_path_of_stdin(request) if request.from_stdin else None,
    )


def _show(applied: Applied) -> int:
    """Tell what would be changed."""
    write(render_diff(applied.rewrites, applied.created, cwd=Path.cwd()))
    found = applied.fixed + len(applied.analysis.diagnostics)
    print(f"Would fix {applied.fixed} of {counted(found, 'fault')}.", file=sys.stderr)
    if not applied.analysis.is_complete:
        return FAILED
    return FOUND if applied.rewrites or applied.created else CLEAN


def _write(applied: Applied, request: Check) -> bool:
    """Change the files, or give back the text of standard input; say whether all could be written."""
    if request.from_stdin:
        file = applied.analysis.index.file(_path_of_stdin(request))
        write("" if file is None or file.source is None else file.source.text)
        return True
    return _write_all([*(partial(rewrite, one) for one in applied.rewrites), partial(create, applied.created)])


def _write_all(changes: Iterable[Callable[[], None]]) -> bool:
    """Change what can be changed; say whether all could be."""
    is_written = True
    for change in changes:
        try:
            change()
        except WriteError as error:
            print(f"thena-lint: {error}", file=sys.stderr)
            is_written = False
    return is_written


def _tell(analysis: Analysis, request: Check, fixing: Fixed) -> None:
    """Write the report; where standard output has the fixed text, to the other stream."""
    text = render(_report(analysis, request, fixing), request.output_format)
    if request.from_stdin and request.fixing is Fixing.WRITE:
        print(text, end="", file=sys.stderr)
    else:
        write(text)


def _exit_code(analysis: Analysis, request: Check, *, is_stale: bool) -> int:
    if not analysis.is_complete:
        return FAILED
    is_found = is_stale or any(one.severity in _BAD for one in analysis.diagnostics)
    return FOUND if is_found and not request.exit_zero else CLEAN


def _of_stdin(request: Check) -> Analysis:
    """Of the text alone, or of the project around the file that it is the text of."""
    path = _path_of_stdin(request)
    if not is_python(path):
        raise PathError(f"`{path}` is no Python file. Name a `.py` file with --stdin-filename.")
    source = decode(path, sys.stdin.buffer.read())
    if not isinstance(source, SourceText):
        raise PathError(f"standard input can't be read: {source.reason}. {source.repair}")
    around = () if request.stdin_name is None else request.paths
    return analyze(around, Policy(request.settings), overlays={path: source.text})


def _path_of_stdin(request: Check) -> Path:
    return absolute(request.stdin_name or _NO_NAME)


def _write_baseline(analysis: Analysis, request: Check) -> int:
    assert request.baseline is not None, "the command line is refused without it"
    count = write_baseline(request.baseline, analysis.diagnostics)
    print(f"Wrote {counted(count, 'fault')} to {request.baseline}.", file=sys.stderr)
    left = tuple(one for one in analysis.diagnostics if one.code in ALWAYS_TOLD)
    if left:
        _tell(replace(analysis, diagnostics=left), request, Fixed())
    return CLEAN if analysis.is_complete else FAILED


def _looked_for(stale: Mapping[Known, int], baseline: Path, analysis: Analysis) -> Mapping[Known, int]:
    """Of what wasn't found that which was looked for: not what is elsewhere, nor what isn't to be told."""
    home = absolute(baseline).parent

    def is_looked_for(known: Known) -> bool:
        path = absolute(home / known.path)
        is_inside = any(path.is_relative_to(root) for root in analysis.index.roots)
        return is_inside and analysis.policy.is_told(known.code, path)

    return {known: count for known, count in stale.items() if is_looked_for(known)}


def _tell_what_is_stale(stale: Mapping[Known, int], request: Check) -> None:
    for known in sorted(stale, key=lambda one: (one.path, one.code, one.message)):
        often = "" if stale[known] == 1 else f", {stale[known]} times"
        print(
            f"thena-lint: `{request.baseline}` lists what isn't found any more: "
            f"{known.path}: {known.code} {known.message}{often}",
            file=sys.stderr,
        )
    if stale:
        print("thena-lint: write the baseline anew with --write-baseline.", file=sys.stderr)


def _tell_what_is_missing(analysis: Analysis) -> None:
    for folder in analysis.index.closed:
        print(f"thena-lint: `{folder.path}` can't be read: {folder.reason}.", file=sys.stderr)
    if not analysis.index.files and not analysis.index.closed:
        print("thena-lint: no Python file found there. Is it the right folder?", file=sys.stderr)


def _report(analysis: Analysis, request: Check, fixing: Fixed) -> Report:
    is_asked = request.explain_unknown or request.statistics
    unseen = unseen_in(analysis.index, analysis.linked) if is_asked else ()
    return Report(
        diagnostics=analysis.diagnostics,
        checked=len(analysis.index.files),
        is_complete=analysis.is_complete,
        lines=lambda place: _lines(analysis, place),
        cwd=Path.cwd(),
        is_coloured=is_coloured() and not (request.from_stdin and request.fixing is Fixing.WRITE),
        fixing=fixing,
        unseen=unseen if request.explain_unknown else None,
        statistics=Statistics.of(analysis.diagnostics, unseen) if request.statistics else None,
    )


def _lines(analysis: Analysis, place: Place) -> Sequence[str]:
    path = Path(place.path)
    if path.suffix not in MODULES_AND_NOTEBOOKS:
        source = read_source(path)
        return source.lines if isinstance(source, SourceText) else ()
    file = analysis.index.file(path)
    return () if file is None or file.source is None else lines_of_cell(file.source, place.cell)

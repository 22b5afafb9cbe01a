"""Lint as a command line asks: analyze, report, and say in the exit code what was found.

What only some runs need is imported when they do: to load what fixes, writes and explains takes as long as to lint a
small project.
"""

import gc
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from thena_contract.anchor import Place
from thena_contract.codes import ALWAYS_TOLD
from thena_contract.fault import Severity
from thena_lint.analyze import Analysis, analyze, analyze_index
from thena_lint.baseline import Known, compare, read_baseline, write_baseline
from thena_lint.edit import FileCreation, Rewrite
from thena_lint.link.assemblies import link
from thena_lint.policy import Policy
from thena_lint.report.report import Report, render
from thena_lint.report.statistics import Statistics
from thena_lint.report.text import Fixed, counted, shown
from thena_lint.request import Check, Fixing
from thena_lint.source.discover import MODULES_AND_NOTEBOOKS, PathError, absolute, is_python
from thena_lint.source.notebook import lines_of_cell
from thena_lint.source.side_by_side import Both, in_turn
from thena_lint.source.text import SourceText, decode, read_source
from thena_lint.streams import is_coloured, write
from thena_lint.unseen.part import Unseen

CLEAN: Final = 0
FOUND: Final = 1
FAILED: Final = 2

_BAD: Final = (Severity.ERROR, Severity.WARNING)
_NO_NAME: Final = Path("<stdin>.py")


def check(request: Check, both: Both = in_turn) -> int:
    """Lint what is asked for, write what was found, and return the exit code.

    Args:
        request: what is asked for.
        both: how the two halves of a large project's work are done.

    Raises:
        PathError: for a path that doesn't exist, or a file that isn't Python.
        BaselineError: for a baseline that can't be read or written.
    """
    # The trees of a file hold no cycles, and looking for some again and again would take a quarter of the time.
    gc.disable()
    policy = Policy(request.settings)
    analysis = _of_stdin(request) if request.from_stdin else analyze(request.paths, policy, both=both)
    _tell_what_is_missing(analysis)
    if request.write_baseline:
        return _write_baseline(analysis, request)
    analysis, stale = _told(analysis, request)
    if request.add_ignore:
        return _add_ignore(analysis, request)
    if request.fixing is not Fixing.OFF:
        return _fix(analysis, stale, request)
    return _report(analysis, stale, request, Fixed(is_unsafe_too=request.unsafe_fixes))


def _add_ignore(analysis: Analysis, request: Check) -> int:
    """Write the comments, and report what is left."""
    from thena_lint.add_ignore import silence_with_comments

    # A notebook is written by who has it open.
    silencing = silence_with_comments(analysis.index, (one for one in analysis.diagnostics if one.place.cell is None))
    is_written = _write(silencing.rewrites, ())
    files = counted(len(silencing.rewrites), "file")
    left, stale = _told(analyze(request.paths, Policy(request.settings)), request)
    code = _report(left, stale, request, Fixed())
    if is_written:
        print(f"Silenced {counted(silencing.faults, 'fault')} in {files}.", file=sys.stderr)
    return code if is_written else FAILED


def _fix(analysis: Analysis, stale: Mapping[Known, int], request: Check) -> int:
    """Apply fixes, and show what they change, or write it and report what is left."""
    from thena_lint.apply import SAFE, SAFE_AND_UNSAFE, apply_fixes

    applied = apply_fixes(
        analysis,
        again=lambda index: _told(analyze_index(index, analysis.policy), request)[0],
        allowed=SAFE_AND_UNSAFE if request.unsafe_fixes else SAFE,
        only=_path_of_stdin(request) if request.from_stdin else None,
    )
    if request.fixing is Fixing.DIFF:
        _show(applied.rewrites, applied.created)
        found = applied.fixed + len(applied.analysis.diagnostics)
        print(f"Would fix {applied.fixed} of {counted(found, 'fault')}.", file=sys.stderr)
        is_changed = bool(applied.rewrites or applied.created)
        return FAILED if not applied.analysis.is_complete else FOUND if is_changed else CLEAN
    if request.from_stdin:
        file, is_written = applied.analysis.index.file(_path_of_stdin(request)), True
        write("" if file is None or file.source is None else file.source.text)
    else:
        is_written = _write(applied.rewrites, applied.created)
    if applied.fixed:
        analysis, stale = _told(analyze_index(applied.analysis.index, analysis.policy), request)
    code = _report(analysis, stale, request, Fixed(is_unsafe_too=request.unsafe_fixes, count=applied.fixed))
    return code if is_written else FAILED


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


def _show(rewrites: Sequence[Rewrite], created: Sequence[FileCreation]) -> None:
    """Tell what would be changed."""
    from thena_lint.report.diff import render_diff

    write(render_diff(rewrites, created, cwd=Path.cwd()))


def _write(rewrites: Sequence[Rewrite], created: Sequence[FileCreation]) -> bool:
    """Change what can be changed, and tell which files are new; say whether all could be changed."""
    from thena_lint.write import WriteError, create, rewrite

    is_written = True
    changes: tuple[Rewrite | FileCreation, ...] = (*rewrites, *created)
    for change in changes:
        try:
            if isinstance(change, Rewrite):
                rewrite(change)
            elif create(change):
                print(f"Created `{shown(str(change.path), Path.cwd())}`.", file=sys.stderr)
        except WriteError as error:
            print(f"thena-lint: {error}", file=sys.stderr)
            is_written = False
    return is_written


def _report(analysis: Analysis, stale: Mapping[Known, int], request: Check, fixing: Fixed) -> int:
    """Tell what was found, and return what the exit code says of it."""
    _tell(_marked(analysis), request, fixing)
    _tell_what_is_stale(stale, request)
    return _exit_code(analysis, request, is_stale=bool(stale))


def _marked(analysis: Analysis) -> Analysis:
    """What was found, where each fault tells whether it can be fixed."""
    if not analysis.diagnostics:
        return analysis
    from thena_lint.apply import mark

    return mark(analysis)


def _tell(analysis: Analysis, request: Check, fixing: Fixed) -> None:
    """Write the report; where standard output has the fixed text, to the other stream."""
    text = render(_report_of(analysis, request, fixing), request.output_format)
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


def _report_of(analysis: Analysis, request: Check, fixing: Fixed) -> Report:
    is_asked = request.explain_unknown or request.statistics
    unseen = _unseen(analysis) if is_asked else ()
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


def _unseen(analysis: Analysis) -> Sequence[Unseen]:
    """What couldn't be seen of all that is declared."""
    from thena_lint.unseen.holes import unseen_in

    return unseen_in(analysis.index, link(analysis.index))


def _lines(analysis: Analysis, place: Place) -> Sequence[str]:
    path = Path(place.path)
    if path.suffix not in MODULES_AND_NOTEBOOKS:
        source = read_source(path)
        return source.lines if isinstance(source, SourceText) else ()
    file = analysis.index.file(path)
    return () if file is None or file.source is None else lines_of_cell(file.source, place.cell)

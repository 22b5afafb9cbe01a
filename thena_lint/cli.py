"""`thena-lint`: arguments in, exit code out. 0 is clean, 1 found something, 2 couldn't read all or failed."""

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from thena_contract.anchor import Place
from thena_contract.fault import Severity
from thena_lint.analyze import Analysis, analyze
from thena_lint.report.json_format import render_json
from thena_lint.report.statistics import Statistics, render_statistics
from thena_lint.report.text import COLOURED, PLAIN, render_text, render_unseen
from thena_lint.source.discover import PathError
from thena_lint.source.failure import Failure
from thena_lint.source.notebook import lines_of_cell
from thena_lint.unseen.holes import Unseen, unseen_in

CLEAN: Final = 0
FOUND: Final = 1
FAILED: Final = 2
INTERRUPTED: Final = 130

_BAD: Final = (Severity.ERROR, Severity.WARNING)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `thena-lint` and return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        if options.version:
            _write(f"thena-lint {_version()}\n")
            return CLEAN
        return _lint([Path(path) for path in options.paths], options)
    except PathError as error:
        print(f"thena-lint: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read the output has seen enough. The interpreter must not write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FOUND
    except OSError:
        # What the system refuses is answered at the door.
        raise
    except Exception as error:
        failure = Failure.of(error)
        print(f"thena-lint: it failed: {failure.error}. This is a fault of thena-lint, so report it.", file=sys.stderr)
        return FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="thena-lint",
        allow_abbrev=False,
        description="Find wiring faults in agents, tools and workflows without running them.",
        epilog="Exit code: 0 nothing to report, 1 errors or warnings, 2 not all could be read, or the linter failed.",
    )
    parser.add_argument("paths", nargs="*", default=["."], metavar="PATH", help="files and folders (default: .)")
    parser.add_argument("--output-format", choices=("text", "json"), default="text", help="default: text")
    parser.add_argument(
        "--explain-unknown",
        action="store_true",
        help="tell what couldn't be seen, and why; the exit code stays the same",
    )
    parser.add_argument(
        "--statistics", action="store_true", help="count the faults by code, and what couldn't be seen by kind"
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    return parser


def _version() -> str:
    # Imported here since it costs more than parsing the arguments does.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("thena")
    except PackageNotFoundError:
        return "(not installed)"


def _lint(paths: Sequence[Path], options: argparse.Namespace) -> int:
    # The trees of a file hold no cycles, and looking for some again and again would take a quarter of the time.
    gc.disable()
    analysis = analyze(paths)
    for folder in analysis.index.closed:
        print(f"thena-lint: `{folder.path}` can't be read: {folder.reason}.", file=sys.stderr)
    if not analysis.index.files and not analysis.index.closed:
        print("thena-lint: no Python file found there. Is it the right folder?", file=sys.stderr)
    unseen = unseen_in(analysis.index, analysis.linked) if options.explain_unknown or options.statistics else ()
    _write(_rendered(analysis, unseen, options))
    if not analysis.is_complete:
        return FAILED
    return FOUND if any(one.severity in _BAD for one in analysis.diagnostics) else CLEAN


def _rendered(analysis: Analysis, unseen: Sequence[Unseen], options: argparse.Namespace) -> str:
    told = unseen if options.explain_unknown else None
    counted = Statistics.of(analysis.diagnostics, unseen) if options.statistics else None
    if options.output_format == "json":
        return render_json(analysis.diagnostics, cwd=Path.cwd(), unseen=told, statistics=counted)
    palette = COLOURED if _is_coloured() else PLAIN
    report = render_text(
        analysis.diagnostics,
        len(analysis.index.files),
        is_complete=analysis.is_complete,
        lines=lambda place: _lines(analysis, place),
        cwd=Path.cwd(),
        palette=palette,
    )
    more = "" if told is None else render_unseen(told, cwd=Path.cwd(), palette=palette)
    return report + more + ("" if counted is None else render_statistics(counted))


def _lines(analysis: Analysis, place: Place) -> Sequence[str]:
    file = analysis.index.file(Path(place.path))
    return () if file is None or file.source is None else lines_of_cell(file.source, place.cell)


def _is_coloured() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _write(text: str) -> None:
    """Write at once; a stream that can't encode a character gets its escape instead of failing."""
    stream = sys.stdout
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()

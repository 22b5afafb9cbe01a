"""What a run has to tell, and the one place that knows every format of it.

The formats that only other programs ask for are imported when they are asked for.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

from thena_contract.frozen import frozen
from thena_lint.diagnostic import Diagnostic
from thena_lint.report.json_format import render_json, render_json_lines
from thena_lint.report.statistics import Statistics, render_statistics
from thena_lint.report.text import (
    COLOURED,
    NOTHING_FIXED,
    PLAIN,
    Fixed,
    Lines,
    render_concise,
    render_text,
    render_unseen,
)
from thena_lint.request import OutputFormat
from thena_lint.unseen.part import Unseen


@frozen(kw_only=True)
class Report:
    """What was found in how many `checked` files, and what was repaired. What wasn't asked for is `None`."""

    diagnostics: Sequence[Diagnostic]
    checked: int
    is_complete: bool
    lines: Lines
    cwd: Path
    is_coloured: bool = False
    fixing: Fixed = NOTHING_FIXED
    unseen: Sequence[Unseen] | None = None
    statistics: Statistics | None = None


def render(report: Report, output_format: OutputFormat) -> str:
    """The report in a format."""
    return RENDERERS[output_format](report)


def _text(report: Report) -> str:
    palette = COLOURED if report.is_coloured else PLAIN
    text = render_text(
        report.diagnostics,
        report.checked,
        lines=report.lines,
        cwd=report.cwd,
        palette=palette,
        is_complete=report.is_complete,
        fixing=report.fixing,
    )
    unseen = "" if report.unseen is None else render_unseen(report.unseen, cwd=report.cwd, palette=palette)
    return text + unseen + ("" if report.statistics is None else render_statistics(report.statistics))


def _concise(report: Report) -> str:
    return render_concise(
        report.diagnostics,
        report.checked,
        cwd=report.cwd,
        palette=COLOURED if report.is_coloured else PLAIN,
        is_complete=report.is_complete,
        fixing=report.fixing,
    )


def _json(report: Report) -> str:
    return render_json(report.diagnostics, cwd=report.cwd, unseen=report.unseen, statistics=report.statistics)


def _json_lines(report: Report) -> str:
    return render_json_lines(report.diagnostics, cwd=report.cwd)


def _github(report: Report) -> str:
    from thena_lint.report.github import render_github

    return render_github(report.diagnostics, cwd=report.cwd)


def _gitlab(report: Report) -> str:
    from thena_lint.report.gitlab import render_gitlab

    return render_gitlab(report.diagnostics, cwd=report.cwd)


def _junit(report: Report) -> str:
    from thena_lint.report.junit import render_junit

    return render_junit(report.diagnostics, cwd=report.cwd)


def _sarif(report: Report) -> str:
    from thena_lint.report.sarif import render_sarif

    return render_sarif(report.diagnostics, cwd=report.cwd, is_complete=report.is_complete)


RENDERERS: Final[Mapping[OutputFormat, Callable[[Report], str]]] = MappingProxyType(
    {
        OutputFormat.TEXT: _text,
        OutputFormat.CONCISE: _concise,
        OutputFormat.JSON: _json,
        OutputFormat.JSON_LINES: _json_lines,
        OutputFormat.GITHUB: _github,
        OutputFormat.GITLAB: _gitlab,
        OutputFormat.JUNIT: _junit,
        OutputFormat.SARIF: _sarif,
    }
)

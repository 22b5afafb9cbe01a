"""Diagnostics as workflow commands, which GitHub shows as annotations beside the lines of a change."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from thena_contract.fault import Severity
from thena_lint.diagnostic import Diagnostic
from thena_lint.report.text import shown

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning"}
_IN_MESSAGES: Final = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_IN_PROPERTIES: Final = (*_IN_MESSAGES, (":", "%3A"), (",", "%2C"))


def render_github(diagnostics: Sequence[Diagnostic], *, cwd: Path) -> str:
    """One command a line; nothing, where there is nothing to tell."""
    return "".join(_command(one, cwd) + "\n" for one in diagnostics)


def _command(one: Diagnostic, cwd: Path) -> str:
    place = one.place
    properties: dict[str, object] = {
        "title": f"thena-lint {one.code}",
        "file": shown(place.path, cwd),
        # Of a notebook GitHub knows no cells, only the lines of its file.
        **({} if place.cell is not None else _lines(one)),
    }
    told = ",".join(f"{name}={_escaped(str(value), _IN_PROPERTIES)}" for name, value in properties.items())
    cell = "" if place.cell is None else f"cell {place.cell}, line {place.line}: "
    message = _escaped(f"{cell}{one.message}", _IN_MESSAGES)
    return f"::{_COMMANDS.get(one.severity, 'notice')} {told}::{one.code} {message}"


def _lines(one: Diagnostic) -> dict[str, object]:
    place = one.place
    lines: dict[str, object] = {"line": place.line, "endLine": place.end_line}
    # GitHub takes columns only of what is on one line.
    return lines | {"col": place.column, "endColumn": place.end_column} if place.line == place.end_line else lines


def _escaped(text: str, characters: Sequence[tuple[str, str]]) -> str:
    for character, escape in characters:
        text = text.replace(character, escape)
    return text

"""Diagnostics for people: one line each that editors and terminals can follow, the source line and a range under it."""

import os
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

from thena_contract.anchor import Place
from thena_contract.fault import Severity
from thena_contract.frozen import frozen
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability
from thena_lint.unseen.part import Unseen

Lines = Callable[[Place], Sequence[str]]
"""The lines of the file, or of the cell of a notebook, that a place is in; none where it can't be read."""


@frozen
class Palette:
    """What is written around a part of the text. Empty strings colour nothing."""

    bold: str = ""
    dim: str = ""
    error: str = ""
    warning: str = ""
    note: str = ""
    reset: str = ""

    def of(self, severity: Severity) -> str:
        """The colour of a severity."""
        return {Severity.ERROR: self.error, Severity.WARNING: self.warning}.get(severity, self.note)


@frozen(kw_only=True)
class Fixed:
    """How many faults are gone, and whether those count as fixable that have an unsafe fix alone."""

    count: int = 0
    is_unsafe_too: bool = False

    @property
    def marked(self) -> Collection[Applicability]:
        """What is marked as fixable."""
        return (Applicability.SAFE, Applicability.UNSAFE) if self.is_unsafe_too else (Applicability.SAFE,)


NOTHING_FIXED: Final = Fixed()
_MARK: Final = "[*]"

PLAIN = Palette()
COLOURED = Palette("\x1b[1m", "\x1b[2m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;36m", "\x1b[0m")


def render_text(
    diagnostics: Sequence[Diagnostic],
    checked: int,
    *,
    lines: Lines,
    cwd: Path,
    palette: Palette = PLAIN,
    is_complete: bool = True,
    fixing: Fixed = NOTHING_FIXED,
) -> str:
    """All diagnostics and last lines that count them; there is no all-clear where not all could be read."""
    blocks = render_blocks(diagnostics, lines=lines, cwd=cwd, palette=palette, fixing=fixing)
    return blocks + _summary(diagnostics, checked, palette, fixing, is_complete=is_complete)


def render_concise(
    diagnostics: Sequence[Diagnostic],
    checked: int,
    *,
    cwd: Path,
    palette: Palette = PLAIN,
    is_complete: bool = True,
    fixing: Fixed = NOTHING_FIXED,
) -> str:
    """All diagnostics, one line each, and the last lines of the whole text."""
    lines = "".join(f"{_head(one, cwd, palette, fixing)}\n" for one in diagnostics)
    return lines + _summary(diagnostics, checked, palette, fixing, is_complete=is_complete)


def render_blocks(
    diagnostics: Sequence[Diagnostic],
    *,
    lines: Lines,
    cwd: Path,
    palette: Palette = PLAIN,
    fixing: Fixed = NOTHING_FIXED,
) -> str:
    """All diagnostics, each followed by an empty line."""
    blocks = ("\n".join(_block(one, lines(one.place), cwd, palette, fixing)) for one in diagnostics)
    return "".join(f"{block}\n\n" for block in blocks)


def render_unseen(unseen: Sequence[Unseen], *, cwd: Path, palette: Palette = PLAIN) -> str:
    """What couldn't be seen, one line each, and a line that says what it means."""
    lines = (
        f"{palette.bold}{shown(one.place.path, cwd)}{palette.reset}{position(one.place)} "
        f"{palette.note}unknown{palette.reset} {one.what}: {_printable(one.reason)}.\n"
        for one in unseen
    )
    end = f"{counted(len(unseen), 'part')} couldn't be seen; what rests on them is left to `Thena(...)`."
    return "\n" + "".join(lines) + (f"\n{end}\n" if unseen else "All that is declared was seen.\n")


def shown(path: str, cwd: Path) -> str:
    """A path as the user would type it: from the current folder, if it is inside."""
    return os.path.relpath(path, cwd) if Path(path).is_relative_to(cwd) else path


def _block(one: Diagnostic, lines: Sequence[str], cwd: Path, palette: Palette, fixing: Fixed) -> Iterable[str]:
    place = one.place
    yield _head(one, cwd, palette, fixing)
    number = str(place.line)
    gutter = " " * len(number)
    if place.line <= len(lines) and lines[place.line - 1].strip():
        line = lines[place.line - 1].rstrip()
        yield f"{palette.dim}{number} |{palette.reset} {_printable(line)}"
        yield f"{palette.dim}{gutter} |{palette.reset} {palette.of(one.severity)}{_marks(line, place)}{palette.reset}"
    for related in one.related:
        there = related.place
        yield (f"{palette.dim}{gutter} ={palette.reset} {shown(there.path, cwd)}{position(there)} {related.message}")


def _head(one: Diagnostic, cwd: Path, palette: Palette, fixing: Fixed) -> str:
    at = f"{palette.bold}{shown(one.place.path, cwd)}{palette.reset}{position(one.place)}"
    mark = f" {_MARK}" if one.fixable in fixing.marked else ""
    return f"{at} {palette.of(one.severity)}{one.code}{palette.reset}{mark} {one.message}"


def position(place: Place) -> str:
    """What stands behind a path: `:8:18:`, in a notebook `:cell 3:8:18:`."""
    return f"{'' if place.cell is None else f':cell {place.cell}'}:{place.line}:{place.column}:"


def _marks(line: str, place: Place) -> str:
    """A range under a line: what is before it keeps its width, tabs stay tabs."""
    start = place.column - 1
    end = place.end_column - 1 if place.end_line == place.line else len(line)
    before = "".join("\t" if char == "\t" else " " * _width(char) for char in line[:start])
    return before + "^" * max(sum(map(_width, line[start:end])), 1)


def _width(char: str) -> int:
    """How many columns of a terminal a character takes."""
    if unicodedata.combining(char) or unicodedata.category(char) in ("Cc", "Cf", "Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _printable(line: str) -> str:
    """Without control characters, which could say anything to a terminal."""
    return "".join(char for char in line if char == "\t" or unicodedata.category(char) != "Cc")


def _summary(
    diagnostics: Sequence[Diagnostic], checked: int, palette: Palette, fixing: Fixed, *, is_complete: bool
) -> str:
    if fixing.count:
        found = counted(fixing.count + len(diagnostics), "fault")
        end = f"Found {found} ({fixing.count} fixed, {len(diagnostics)} remaining)."
    elif not diagnostics and not is_complete:
        return f"Not all could be read: {counted(checked, 'file')} checked.\n"
    elif not diagnostics:
        return f"All clear: {counted(checked, 'file')} checked.\n"
    else:
        files = len({one.place.path for one in diagnostics})
        end = f"Found {counted(len(diagnostics), 'fault')} in {counted(files, 'file')}."
    return f"{palette.bold}{end}{palette.reset}\n{_fixable(diagnostics, fixing)}"


def _fixable(diagnostics: Sequence[Diagnostic], fixing: Fixed) -> str:
    """A line that tells how many can be fixed, and with which options; nothing if none can."""
    safe = sum(one.fixable is Applicability.SAFE for one in diagnostics)
    unsafe = sum(one.fixable is Applicability.UNSAFE for one in diagnostics)
    if fixing.is_unsafe_too and safe + unsafe:
        return f"{_MARK} {safe + unsafe} fixable with `--fix --unsafe-fixes`.\n"
    more = f" ({unsafe} more with `--fix --unsafe-fixes`)" if unsafe else ""
    if safe:
        return f"{_MARK} {safe} fixable with `--fix`{more}.\n"
    return f"{unsafe} fixable with `--fix --unsafe-fixes`.\n" if unsafe else ""


def counted(count: int, noun: str) -> str:
    """A number of things: one file, two files."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"

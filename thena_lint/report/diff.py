"""What fixes would change, as a unified diff that `patch` and Git can read."""

import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path

from thena_lint.edit import FileCreation, Rewrite
from thena_lint.report.text import shown
from thena_lint.source.pieces import lines_of

_NOTHING = "/dev/null"
_NO_END = "\\ No newline at end of file"


def render_diff(rewrites: Iterable[Rewrite], created: Iterable[FileCreation], *, cwd: Path) -> str:
    """The files that would be others, and those that would be made."""
    changed = (_diff(one.before, one.after, shown(str(one.path), cwd), shown(str(one.path), cwd)) for one in rewrites)
    made = (_diff("", one.text, _NOTHING, shown(str(one.path), cwd)) for one in created)
    return "".join((*changed, *made))


def _diff(before: str, after: str, old: str, new: str) -> str:
    return "".join(map(_ended, _lines(before, after, old, new)))


def _lines(before: str, after: str, old: str, new: str) -> Iterator[str]:
    return difflib.unified_diff(lines_of(before), lines_of(after), old, new)


def _ended(line: str) -> str:
    """A line of a diff; the last line of a file may lack its end."""
    return line if line.endswith(("\n", "\r")) else f"{line}\n{_NO_END}\n"

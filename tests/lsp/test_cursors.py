"""What the editor shows at every marked place of the projects in `tests/cursors`.

A comment `# ^ hover` marks the character above each `^`. What is expected stands in `hover.md` beside the project's
files; `THENA_REWRITE=1` writes it anew, to be read before it is committed.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from thena_lsp.convert import Encoding
from thena_lsp.features.hover import hover_at
from thena_lsp.session import Session

CURSORS = Path(__file__).parents[1] / "cursors"
PROJECTS = sorted(folder for folder in CURSORS.iterdir() if folder.is_dir())


def marked(text: str) -> Iterator[tuple[int, int]]:
    """Line and character (from 0) of every mark: the nearest line above that is neither a mark nor empty."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if re.match(r"\s*#.*\^ hover", line):
            above = number - 1
            while not lines[above].strip() or "^ hover" in lines[above]:
                above -= 1
            yield from ((above, match.start()) for match in re.finditer(r"\^", line))


def shown(project: Path) -> str:
    """Everything that the editor shows at the marks of a project, as one document."""
    session = Session(Encoding.UTF16, [project])
    while session.read_some():
        pass
    rows: list[str] = []
    for path in sorted(project.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        for line, character in marked(text):
            hover = hover_at(session, path.as_uri(), lsp.Position(line, character))
            word = re.match(r"\w*", text.split("\n")[line][character:])
            title = f"{path.name}:{line + 1}:{character + 1} {word[0] if word else ''}"
            rows.append(f"## {title}\n\n{_body(session, path, hover)}\n")
    return "\n".join(rows)


def _body(session: Session, path: Path, hover: lsp.Hover | None) -> str:
    if hover is None:
        return "(nothing)"
    assert isinstance(hover.contents, lsp.MarkupContent)
    assert hover.range is not None
    lines = session.snapshot().lines_of(str(path))
    start, end = (lines.offset(one, session.encoding) for one in (hover.range.start, hover.range.end))
    over = " ".join(lines.text[start:end].split())
    return f"over `{over}`\n\n{hover.contents.value}"


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_every_marked_place_shows_what_is_expected(project: Path) -> None:
    """The hovers of a project are those of its `hover.md`."""
    expected = project / "hover.md"
    found = shown(project)
    if os.environ.get("THENA_REWRITE"):
        expected.write_text(found, encoding="utf-8")
    assert expected.read_text(encoding="utf-8") == found

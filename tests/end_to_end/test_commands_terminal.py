"""The commands on a real terminal (a pseudo-terminal): colours where they are wanted, streamed text between rows."""

import re
from pathlib import Path

import pytest

from tests.cli.flow_project import edit, write_project
from tests.cli.terminal import Terminal, shown

_COLOUR = re.compile(r"\x1b\[(\d;)*3\d")


def test_streamed_text_stands_between_the_rows_of_the_tree(tmp_path: Path) -> None:
    """What a model says is a line of its own, whole, before the row that ends its turn; the result isn't said twice."""
    write_project(tmp_path)
    terminal = Terminal("run", "flow", "--stream", cwd=tmp_path)
    assert 0 == terminal.end()
    lines = [line.strip() for line in shown(terminal.written).splitlines()]
    said = lines.index("answer one: Write a note.")
    assert (1, "✓ done  every step ran  <t>") == (lines.count("answer one: Write a note."), lines[-1])
    assert lines[said:].count("✓ agent Writer  <t>") == 1


@pytest.mark.parametrize(
    ("variables", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_colours_are_for_terminals_whose_owner_wants_them(
    tmp_path: Path, variables: dict[str, str], is_coloured: bool
) -> None:
    """`NO_COLOR` and a terminal that can't show any leave the words alone."""
    flow = write_project(tmp_path)
    edit(flow / "workflow.py", "    state=FlowState,\n", "")
    told = []
    for arguments in (["doctor", "--offline"], ["check", "flow"]):
        terminal = Terminal(*arguments, cwd=tmp_path, **variables)
        terminal.end()
        told.append(_COLOUR.search(terminal.written) is not None)
    assert [is_coloured, is_coloured] == told

"""`thena dev` on a real terminal (a pseudo-terminal): redrawn in place, one page a run, the cursor given back."""

import re
import signal
from pathlib import Path

from tests.cli.flow_project import edit, write_project
from tests.cli.terminal import Terminal, shown

HIDE_CURSOR, SHOW_CURSOR, CLEAR = "\x1b[?25l", "\x1b[?25h", "\x1b[H\x1b[J"


def test_once_leaves_the_whole_tree_on_the_screen(tmp_path: Path) -> None:
    """After the end the tree stands there once more, whole, with the output and the reason below it."""
    flow = write_project(tmp_path)
    edit(flow / "tools.py", "        s.notes", '        print("noting", text)\n        s.notes')
    terminal = Terminal("dev", "flow", "--once", cwd=tmp_path)
    assert 0 == terminal.end()
    assert shown(terminal.written).endswith(
        """\
✓ workflow Flow  <t>
  ✓ loop  <t>  2 iterations, stopped by until
    ✓ agent Writer  <t>
      ✓ chat  <t>
        ✓ tool note  <t>
    ✓ agent Writer  <t>
      ✓ chat  <t>

answer one: Write a note.

✓ done  every step ran  <t>
"""
    )
    # It stands on a line of its own, whether or not a spinner was taken back there.
    assert "noting a" in shown(terminal.written).replace("\r", "\n").splitlines()
    assert terminal.written.count(HIDE_CURSOR) == terminal.written.count(SHOW_CURSOR)


def test_every_run_has_a_page_and_the_last_good_result_stays(tmp_path: Path) -> None:
    """A save turns the page; a page of faults keeps the last good result in sight."""
    flow = write_project(tmp_path)
    terminal = Terminal("dev", "flow", cwd=tmp_path)
    assert CLEAR not in terminal.until("Ctrl-C to leave")
    edit(flow / "workflow.py", "    state=FlowState,\n", "")
    page = terminal.until("Ctrl-C to leave").partition(CLEAR)[2]
    assert "│ answer one: Write a note." in shown(page)
    assert "THN201" in shown(page)
    terminal.process.send_signal(signal.SIGINT)
    assert 130 == terminal.end()


def test_no_clear_keeps_earlier_runs(tmp_path: Path) -> None:
    """With `--no-clear` nothing is cleared away."""
    flow = write_project(tmp_path)
    terminal = Terminal("dev", "flow", "--no-clear", cwd=tmp_path)
    terminal.until("Ctrl-C to leave")
    edit(flow / "models.py", "answer one", "answer two")
    assert CLEAR not in terminal.until("Ctrl-C to leave")
    terminal.process.send_signal(signal.SIGINT)
    assert 130 == terminal.end()


def test_no_colour_is_honoured(tmp_path: Path) -> None:
    """With `NO_COLOR` set, text may be bold or dim but has no colour."""
    write_project(tmp_path)
    terminal = Terminal("dev", "flow", "--once", cwd=tmp_path, NO_COLOR="1")
    assert 0 == terminal.end()
    colours = re.findall(r"\x1b\[(?:\d+;)*(?:3[0-7]|9[0-7]|38|4[0-7])(?:;\d+)*m", terminal.written)
    assert [] == colours

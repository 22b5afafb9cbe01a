"""`thena dev` on a real terminal (a pseudo-terminal): redrawn in place, one page a run, the cursor given back."""

import os
import pty
import re
import select
import signal
import subprocess
import time
from pathlib import Path

from tests.cli.flow_project import edit, write_project
from tests.cli.thena_process import LONGEST_WAIT, command, environment, timeless

HIDE_CURSOR, SHOW_CURSOR, CLEAR = "\x1b[?25l", "\x1b[?25h", "\x1b[H\x1b[J"
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A pseudo-terminal with `thena` in it."""

    def __init__(self, *arguments: str, cwd: Path, **variables: str) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            command(*arguments),
            cwd=cwd,
            env={**environment(), "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30", **variables},
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        self.written = ""

    def until(self, text: str) -> str:
        """Read until `text` was written; return everything since the last time."""
        began = len(self.written)
        deadline = time.monotonic() + LONGEST_WAIT
        while text not in self.written[began:]:
            assert time.monotonic() < deadline, f"waited in vain for {text!r} in:\n{self.written}"
            assert self._read(), f"ended before {text!r}:\n{self.written}"
        return self.written[began:]

    def end(self) -> int:
        """Read what is left and return the exit code."""
        while self._read():
            pass
        os.close(self._master)
        return self.process.wait(LONGEST_WAIT)

    def _read(self) -> bool:
        if not select.select([self._master], [], [], LONGEST_WAIT)[0]:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # Linux's way to say that the other side is closed
            return False
        self.written += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)


def shown(written: str) -> str:
    """What was written, without colours, and without what was taken back."""
    # What is redrawn is followed by an order to erase it; only what stays is compared.
    return timeless(_CONTROL.sub("", written))


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

"""The commands on a real terminal (a pseudo-terminal): colours where they are wanted, streamed text between rows."""

import re
import signal
import time
from pathlib import Path

import pytest

from tests.cli.flow_project import edit, write_project
from tests.cli.terminal import Terminal, shown
from tests.cli.thena_process import descendants, wait_until_gone

_SHOW_CURSOR = "\x1b[?25h"
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


@pytest.mark.parametrize(("how", "code"), [("the terminal is closed", 129), ("SIGTERM", 143)])
@pytest.mark.parametrize("arguments", [["dev", "flow"], ["dev", "flow", "--json"], ["run", "flow"]])
def test_a_run_cleans_up_when_the_terminal_is_closed(tmp_path: Path, arguments: list[str], how: str, code: int) -> None:
    """It has its second, although nothing can be written any more; the exit code says why, and no process is left."""
    flow = write_project(tmp_path)
    edit(flow / "models.py", "delay=0.0", "delay=300.0")
    edit(
        flow / "agents.py",
        "        self.s = s",
        "        self.s = s\n\n    async def before_prompt(self, prompt, ctx):\n"
        "        ctx.on_dispose(lambda: open('disposed', 'w').close())\n        return prompt",
    )
    terminal = Terminal(*arguments, cwd=tmp_path, has_keys=True)
    terminal.until("chat")
    started = descendants(terminal.process.pid)
    if code == 129:
        assert 129 == terminal.hang_up()
    else:
        terminal.process.send_signal(signal.SIGTERM)
        assert 143 == terminal.end()
    assert (set(), True) == (wait_until_gone(started), (tmp_path / "disposed").exists())


def test_an_answer_is_there_before_its_process_has_ended(tmp_path: Path) -> None:
    """`thena run` shows it at once, and Ctrl-C doesn't wait for what still goes on."""
    flow = write_project(tmp_path)
    late = "\nimport atexit, time\natexit.register(time.sleep, 300)\n\n\ndef answer"
    edit(flow / "models.py", "\n\ndef answer", late)
    terminal = Terminal("run", "flow", cwd=tmp_path, has_keys=True)
    terminal.until("answer one")
    terminal.type("\x03")
    assert 130 == terminal.end()
    assert "KeyboardInterrupt" not in terminal.written


@pytest.mark.parametrize("arguments", [["run", "flow"], ["dev", "flow"]])
def test_ctrl_c_counts_however_much_is_printed(tmp_path: Path, arguments: list[str]) -> None:
    """A run that can't clean up, because it prints on and on, ends after its second."""
    flow = write_project(tmp_path)
    edit(flow / "models.py", "    if messages", "    while True:\n        print('more')\n    if messages")
    terminal = Terminal(*arguments, cwd=tmp_path, has_keys=True)
    terminal.until("more\nmore\n")
    started = descendants(terminal.process.pid)
    terminal.type("\x03")
    assert (130, set()) == (terminal.end(), wait_until_gone(started))


def test_a_question_is_there_before_its_answer(tmp_path: Path) -> None:
    """What `input()` asks for is seen while it waits, and nothing is redrawn over what is typed."""
    flow = write_project(tmp_path)
    edit(flow / "tools.py", "        s.notes", "        print('told', input('Your name? '))\n        s.notes")
    terminal = Terminal("run", "flow", cwd=tmp_path, has_keys=True)
    asked = terminal.until("Your name?").partition("Your name?")[2]
    if _SHOW_CURSOR not in asked:
        terminal.until(_SHOW_CURSOR)
    terminal.type("quin")
    time.sleep(0.5)
    terminal.type("cy\n")
    assert 0 == terminal.end()
    typed = shown(terminal.written).partition("Your name? ")[2]
    assert (True, True) == ("quincy" in typed.partition("told")[0], "told quincy\n" in typed)
    assert typed.endswith("answer one: Write a note.\n")


def test_words_stay_whole_on_a_narrow_terminal(tmp_path: Path) -> None:
    """Lines are broken between words and what goes on is indented; paths and what can be copied stay in one piece."""
    flow = write_project(tmp_path)
    edit(flow / "models.py", "answer one: ", "x" * 50 + " and a few words that go on for longer than a line: ")
    dev = Terminal("dev", "flow", "--once", cwd=tmp_path, COLUMNS="40")
    assert 0 == dev.end()
    whole = "x" * 50
    lines = shown(dev.written).replace("\r", "\n").splitlines()
    assert {whole} == {line for line in lines if len(line) > 40}
    said = lines.index(whole)
    assert ["and a few words that go on for longer", "than a line: Write a note."] == lines[said + 1 : said + 3]
    # Where that row is broken depends on how long the loop took.
    assert "2 iterations, stopped by until ✓ agent" in " ".join(" ".join(lines[:said]).split())
    wrong = Terminal("rnu", cwd=tmp_path, COLUMNS="40")
    assert 2 == wrong.end()
    assert """\
thena: `rnu` is no command. Did you mean
`run`? `thena --help` shows what it
takes.
""" == shown(wrong.written)

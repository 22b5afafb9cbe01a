"""The keys of `thena dev`, on the terminal of a real session."""

import time
from pathlib import Path

from tests.cli.flow_project import edit, write_project
from tests.cli.terminal import Terminal, shown

RESTING = "q to leave"


def test_each_key_does_what_the_help_says(tmp_path: Path) -> None:
    """One session, key by key; leaving it gives the terminal back."""
    flow = write_project(tmp_path)
    edit(flow / "models.py", "messages[0].content.strip()", 'next(m.content for m in messages if m.role == "user")')
    terminal = Terminal("dev", "flow", "first", cwd=tmp_path, has_keys=True)
    assert "answer one: first" in shown(terminal.until(RESTING))
    assert not terminal.is_echoing

    terminal.type("?")
    assert "  i  type another prompt\n" in shown(terminal.until("as Ctrl-C does"))

    terminal.type("r")
    again = shown(terminal.until(RESTING))
    assert ("answer one: first" in again, "as in the last run: steps and output" in again) == (True, True)

    terminal.type("i")
    terminal.until("type a prompt")
    assert terminal.is_echoing
    terminal.type("second\n")
    assert "answer one: second" in shown(terminal.until(RESTING))

    terminal.type("f")
    assert "no run has failed" in shown(terminal.until("no run has failed"))

    terminal.type("p")
    terminal.until("paused")
    edit(flow / "models.py", "answer one", "answer two")
    time.sleep(0.5)
    terminal.type("l")
    assert "no faults" in shown(terminal.until(RESTING))
    terminal.type("p")
    changed = shown(terminal.until(RESTING))
    assert ("▸ saved  flow/models.py" in changed, "answer two: second" in changed) == (True, True)
    assert "    - answer one: second\n    + answer two: second\n" in changed

    edit(flow / "models.py", 'return "answer two', '1 / 0; return "answer two')
    assert "ZeroDivisionError" in shown(terminal.until(RESTING))
    terminal.type("c")
    assert "\x1b[H\x1b[J" in terminal.until(RESTING)
    edit(flow / "models.py", "1 / 0; ", "")
    assert "answer two: second" in shown(terminal.until(RESTING))

    terminal.type("q")
    assert 0 == terminal.end()


def test_a_program_that_reads_its_standard_input_is_given_what_is_typed(tmp_path: Path) -> None:
    """Its line isn't taken for keys, and keys are keys again afterwards."""
    flow = write_project(tmp_path)
    edit(flow / "tools.py", "        s.notes", "        print('told', input('Your name? '))\n        s.notes")
    terminal = Terminal("dev", "flow", cwd=tmp_path, has_keys=True)
    terminal.until("type a line for the run")
    assert "Your name?" in shown(terminal.written)
    terminal.type("quincy\n")
    assert "told quincy" in shown(terminal.until(RESTING))
    terminal.type("q")
    assert 0 == terminal.end()


def test_saves_wait_while_a_prompt_is_typed(tmp_path: Path) -> None:
    """They count once it is typed, in one run; an empty line and Ctrl-C keep the prompt, and the session goes on."""
    flow = write_project(tmp_path)
    edit(flow / "models.py", "messages[0].content.strip()", 'next(m.content for m in messages if m.role == "user")')
    terminal = Terminal("dev", "flow", "first", cwd=tmp_path, has_keys=True)
    terminal.until(RESTING)
    terminal.type("i")
    terminal.until("type a prompt")
    edit(flow / "models.py", "answer one", "answer two")
    time.sleep(0.5)
    terminal.type("second\n")
    typed = shown(terminal.until(RESTING))
    assert (1, True) == (typed.count("✓ done"), "answer two: second" in typed)
    assert typed.index("second\n") < typed.index("▸ saved  flow/models.py")

    for leaving in ("\n", "half\x03"):
        terminal.type("i")
        terminal.until("type a prompt")
        terminal.type(leaving)
        terminal.until("the prompt stays")
        assert not terminal.is_echoing
    terminal.type("r")
    assert "answer two: second" in shown(terminal.until(RESTING))
    terminal.type("q")
    assert 0 == terminal.end()


def test_half_an_answer_is_no_keys_once_its_run_is_stopped(tmp_path: Path) -> None:
    """A save ends the run that asks; what is typed up to Enter is dropped, which is said, and then keys are keys."""
    flow = write_project(tmp_path)
    edit(flow / "tools.py", "        s.notes", "        print('told', input('Your name? '))\n        s.notes")
    terminal = Terminal("dev", "flow", cwd=tmp_path, has_keys=True)
    terminal.until("type a line for the run")
    terminal.type("Rob q")
    terminal.until("Rob q")
    edit(flow / "tools.py", "input('Your name? ')", "'nobody'")
    terminal.until("the run that asked is over; what is typed up to Enter is dropped")
    assert "told nobody" in shown(terminal.until(RESTING))
    terminal.type("ert q\n?")
    terminal.until("as Ctrl-C does")
    terminal.type("q")
    assert 0 == terminal.end()


def test_a_question_waits_until_a_prompt_is_typed(tmp_path: Path) -> None:
    """A run that asks meanwhile is given the line that is typed next."""
    flow = write_project(tmp_path)
    asks = (
        "        import time\n        print('ready')\n        time.sleep(2)\n        print('told', input('Name? '))\n"
    )
    edit(flow / "tools.py", "        s.notes", f"{asks}        s.notes")
    terminal = Terminal("dev", "flow", cwd=tmp_path, has_keys=True)
    terminal.until("ready")
    terminal.type("i")
    terminal.until("type a prompt")
    terminal.until("Name?")
    terminal.type("\n")
    terminal.until("the prompt stays")
    terminal.until("type a line for the run")
    terminal.type("quincy\n")
    assert "told quincy" in shown(terminal.until(RESTING))
    terminal.type("q")
    assert 0 == terminal.end()

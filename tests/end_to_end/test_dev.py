"""`thena dev` as a real process, over a project whose files are really edited."""

from pathlib import Path

import pytest

from tests.cli.flow_project import FILES, edit, write_project
from tests.cli.thena_process import DevSession, descendants, thena, timeless, wait_until_gone

RESTING = "watching flow"


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    """The package of a fresh project; commands are given in the folder above."""
    return write_project(tmp_path)


def test_once_lints_runs_and_shows_everything(flow: Path, tmp_path: Path) -> None:
    """Verdict, tree, prints, output, why it ended and how long it took: as plain lines, with exit code 0."""
    edit(flow / "tools.py", "        s.notes", '        print("noting", text)\n        s.notes')
    done = thena("dev", "flow", "--once", cwd=tmp_path)
    shown = timeless(done.stdout).splitlines()
    assert ["✓ lint  6 files, no faults  <t>", ""] == shown[:2]
    # Which rows are written as open, and so in which order, is a matter of time.
    rows = ["noting a", "        ✓ tool note  <t>"] + 2 * ["      ✓ chat  <t>", "    ✓ agent Writer  <t>"]
    assert sorted(rows) == sorted(line for line in shown[2:-6] if "▸" not in line and "loop" not in line)
    assert [
        "  ✓ loop  <t>  2 iterations, stopped by until",
        "✓ workflow Flow  <t>",
        "",
        "answer one: Write a note.",
        "",
        "✓ done  every step ran  <t>",
    ] == shown[-6:]
    assert ("", 0) == (done.stderr, done.returncode)


def test_a_prompt_on_the_command_line_reaches_the_model(flow: Path, tmp_path: Path) -> None:
    """PROMPT is what the run is asked to do."""
    edit(flow / "models.py", "messages[0].content.strip()", 'next(m.content for m in messages if m.role == "user")')
    done = thena("dev", "flow", "Say hello", "--once", cwd=tmp_path)
    assert "answer one: Say hello\n" in done.stdout


def test_a_save_of_a_python_file_runs_again(flow: Path, tmp_path: Path) -> None:
    """The new code is what runs, although neither second nor size of the file need change."""
    with DevSession("flow", cwd=tmp_path) as session:
        session.until("answer one")
        session.until(RESTING)
        edit(flow / "models.py", "answer one", "answer two")
        assert "▸ saved  flow/models.py" in session.until("answer two")
        session.until(RESTING)
        edit(flow / "models.py", "answer two", "answer six")
        session.until("answer six")


def test_a_save_of_a_prompt_runs_again(flow: Path, tmp_path: Path) -> None:
    """A prompt is part of the workflow."""
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        edit(flow / "writer.agent.md", "a note", "two notes")
        assert "▸ saved  flow/writer.agent.md" in session.until("answer one: Write two notes.")


def test_a_new_file_is_linted(flow: Path, tmp_path: Path) -> None:
    """Folders are watched, so a file that wasn't there counts."""
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        (flow / "extra.py").write_text("", encoding="utf-8")
        assert "✓ lint  7 files, no faults  <t>" in [timeless(line) for line in session.until(RESTING)]


def test_an_identical_save_does_not_run_again(flow: Path, tmp_path: Path) -> None:
    """A touch and a save without a change are followed by nothing; the next real save is."""
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        (flow / "models.py").touch()
        edit(flow / "models.py", "answer one", "answer one")
        edit(flow / "writer.agent.md", "a note", "two notes")
        assert ["", "▸ saved  flow/writer.agent.md"] == session.until("saved")


def test_a_save_cancels_the_run_in_flight(flow: Path, tmp_path: Path) -> None:
    """The old run ends where it stands and says so, and the new code runs."""
    edit(flow / "models.py", "delay=0.0", "delay=300.0")
    with DevSession("flow", cwd=tmp_path) as session:
        session.until("▸ agent Writer")
        edit(flow / "models.py", "delay=300.0", "delay=0.0")
        assert "■ cancelled at agent Writer  <t>" in [timeless(line) for line in session.until("answer one")]


def test_a_run_that_will_not_end_is_killed_with_all_that_it_started(flow: Path, tmp_path: Path) -> None:
    """After its second of grace the whole process group goes."""
    stubborn = """\
        import signal, subprocess, sys, time
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
        print("sleeping")
        while True:
            time.sleep(1)
"""
    agents = FILES["flow/agents.py"] + "\n    async def before_prompt(self, prompt, ctx):\n" + stubborn
    (flow / "agents.py").write_text(agents, encoding="utf-8")
    with DevSession("flow", cwd=tmp_path) as session:
        session.until("sleeping")
        started = descendants(session.pid)
        (flow / "agents.py").write_text(FILES["flow/agents.py"], encoding="utf-8")
        assert "■ cancelled at agent Writer  <t>" in [timeless(line) for line in session.until("answer one")]
        spares = descendants(session.pid)
        assert set() == wait_until_gone(started - spares)


def test_a_syntax_error_is_survived_and_mended(flow: Path, tmp_path: Path) -> None:
    """It is shown with its place, nothing runs, and the next good save does."""
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        edit(flow / "models.py", "def model()", "def model(")
        shown = session.until("waiting for changes")
        assert [] == [line for line in shown if "workflow Flow" in line]
        assert [] != [line for line in shown if "flow/models.py:" in line]
        edit(flow / "models.py", "def model(", "def model()")
        session.until("answer one")


def test_an_import_error_is_survived_and_mended(flow: Path, tmp_path: Path) -> None:
    """What only the import shows is shown with the user's own lines."""
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        edit(flow / "models.py", "from collections", "import nowhere\nfrom collections")
        shown = session.until("waiting for changes")
        assert "✗ import  ModuleNotFoundError: No module named 'nowhere'" in shown
        assert [] != [line for line in shown if 'File "flow/models.py", line 1' in line]
        edit(flow / "models.py", "import nowhere\n", "")
        session.until("answer one")


def test_a_fault_is_shown_instead_of_a_run_and_mended(flow: Path, tmp_path: Path) -> None:
    """Without `state=` both requests for it are faults, in the words of start-up; mending it runs again."""
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        edit(flow / "workflow.py", "    state=FlowState,\n", "")
        shown = "\n".join(session.until("waiting for changes"))
        assert "✗ lint  6 files, 2 faults" in shown
        for subject, index in (("Writer.__init__", 0), ("Note.execute", 1)):
            assert (
                f"`{subject}` parameter {index} `s` asks for the state, but workflow `Flow` declares none. "
                "Add `state=YourState` to `@Workflow` on `Flow`." in shown
            )
        assert "▸ workflow" not in shown
        edit(flow / "workflow.py", "@Workflow(\n", "@Workflow(\n    state=FlowState,\n")
        session.until("answer one")


def test_a_fault_leaves_the_run_in_flight_alone(flow: Path, tmp_path: Path) -> None:
    """The run of the last good code is not thrown away for code that can't run."""
    edit(flow / "models.py", "delay=0.0", "delay=300.0")
    with DevSession("flow", cwd=tmp_path) as session:
        session.until("▸ agent Writer")
        edit(flow / "workflow.py", "    state=FlowState,\n", "")
        session.until("the run of the last good code goes on")
        edit(flow / "models.py", "delay=300.0", "delay=0.0")
        assert [] == [line for line in session.until("goes on") if "cancelled" in line]
        edit(flow / "workflow.py", "@Workflow(\n", "@Workflow(\n    state=FlowState,\n")
        session.until("cancelled at agent Writer")
        session.until("answer one")


def test_without_the_linter_start_up_says_the_same(flow: Path, tmp_path: Path) -> None:
    """`--lint=off` leaves the verdict to the process that runs the code."""
    edit(flow / "workflow.py", "    state=FlowState,\n", "")
    done = thena("dev", "flow", "--once", "--lint=off", cwd=tmp_path)
    assert "✗ start-up  2 faults" in done.stdout
    assert "`Writer.__init__` parameter 0 `s` asks for the state, but workflow `Flow` declares none." in done.stdout
    assert ("lint" in done.stdout.splitlines()[0], done.returncode) == (False, 1)


@pytest.mark.parametrize(
    ("file", "old", "new", "shown"),
    [
        ("workflow.py", "    state=FlowState,\n", "", "THN201"),
        ("models.py", "def model()", "def model(", "flow/models.py:"),
        ("models.py", "from collections", "import nowhere\nfrom collections", "✗ import  ModuleNotFoundError"),
        ("models.py", "def answer(", "1 / 0\n\n\ndef answer(", "ZeroDivisionError"),
        (
            "models.py",
            "    return ScriptedProvider",
            "    raise OSError('no model')\n    return ScriptedProvider",
            "no model",
        ),
        (
            "models.py",
            "    return ScriptedProvider",
            "    import os\n    os._exit(7)\n    return ScriptedProvider",
            "code 7",
        ),
    ],
)
def test_once_exits_with_1_when_it_did_not_work(
    flow: Path, tmp_path: Path, file: str, old: str, new: str, shown: str
) -> None:
    """Faults, syntax errors, failing imports, failing runs and a dying process are all told, without our traceback."""
    edit(flow / file, old, new)
    done = thena("dev", "flow", "--once", cwd=tmp_path)
    assert (shown in done.stdout, "thena_cli" in done.stdout + done.stderr, done.returncode) == (True, False, 1)


def test_a_target_that_is_nothing_is_a_usage_error(tmp_path: Path) -> None:
    """The message names it, on standard error, and the exit code is 2."""
    done = thena("dev", "nowhere.py", "--once", cwd=tmp_path)
    assert ("", 2) == (done.stdout, done.returncode)
    assert "thena: " == done.stderr[:7]
    assert "nowhere.py" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("moment", ["while a run is in flight", "while nothing runs"])
def test_ctrl_c_ends_it_and_leaves_no_process(flow: Path, tmp_path: Path, moment: str) -> None:
    """The exit code is 130, and neither the run nor the spare process is left."""
    if moment == "while a run is in flight":
        edit(flow / "models.py", "delay=0.0", "delay=300.0")
    with DevSession("flow", cwd=tmp_path) as session:
        session.until("▸ agent Writer" if moment == "while a run is in flight" else RESTING)
        started = descendants(session.pid)
        assert set() != started
        assert 130 == session.interrupt()
        assert set() == wait_until_gone(started)
        assert [] == [line for line in session.rest() if "Traceback" in line]


def test_no_control_characters_reach_a_pipe(flow: Path, tmp_path: Path) -> None:
    """What isn't a terminal gets plain lines, of every kind."""
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        edit(flow / "workflow.py", "    state=FlowState,\n", "")
        session.until("waiting for changes")
        session.interrupt()
        session.rest()
        assert [] == [line for line in session.seen if not line.isprintable()]


def test_an_answer_is_shown_before_its_process_has_ended(flow: Path, tmp_path: Path) -> None:
    """A process that takes its time to end is ended by the next run and by leaving, and no sooner."""
    edit(
        flow / "models.py", "\n\ndef answer", "\nimport atexit, time\natexit.register(time.sleep, 300)\n\n\ndef answer"
    )
    with DevSession("flow", cwd=tmp_path) as session:
        session.until("answer one")
        session.until(RESTING)
        left = descendants(session.pid)
        edit(flow / "models.py", "answer one", "answer two")
        session.until("answer two")
        assert not [line for line in session.until(RESTING) if "KeyboardInterrupt" in line]
        left |= descendants(session.pid)
        assert 130 == session.interrupt()
        assert set() == wait_until_gone(left)


def test_what_a_process_writes_while_it_ends_is_its_own(flow: Path, tmp_path: Path) -> None:
    """A file that was read and is written after the answer is no reason to run again."""
    (tmp_path / "seen.txt").write_text("none", encoding="utf-8")
    late = "\nimport atexit, pathlib, time\n_SEEN = pathlib.Path('seen.txt')\n_SEEN.read_text()\n"
    late += "atexit.register(lambda: (time.sleep(0.5), _SEEN.write_text('all'), print('written')))\n"
    edit(flow / "models.py", "\n\ndef answer", f"{late}\n\ndef answer")
    with DevSession("flow", cwd=tmp_path) as session:
        session.until("answer one")
        session.until(RESTING)
        session.until("written")
        edit(flow / "models.py", "answer one", "answer two")
        assert [] == [line for line in session.until("answer two") if "seen.txt" in line]


def test_a_target_that_is_gone_is_waited_for(flow: Path, tmp_path: Path) -> None:
    """Nothing is run meanwhile, and another target in its place is."""
    text = (flow / "workflow.py").read_text(encoding="utf-8")
    with DevSession("flow", cwd=tmp_path) as session:
        session.until(RESTING)
        (flow / "workflow.py").unlink()
        gone = [timeless(line) for line in session.until("waiting for changes")]
        assert ["", "▸ gone  flow/workflow.py", "✓ lint  5 files, no faults  <t>"] == gone[:3]
        assert "· not run  `flow/workflow.py` is gone; waiting for it" == gone[3]
        edit(flow / "models.py", "answer one", "answer two")
        session.until("`flow/workflow.py` is gone; waiting for it")
        (flow / "workflow.py").write_text(text, encoding="utf-8")
        assert "▸ saved  flow/workflow.py" in session.until("answer two")

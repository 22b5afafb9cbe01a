"""`thena run` and the command line around it, as real processes."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.flow_project import edit, write_project
from tests.cli.thena_process import (
    LONGEST_WAIT,
    command,
    descendants,
    environment,
    thena,
    timeless,
    wait_until_gone,
)
from thena_runtime.observability.events import Event

ENDED = sorted(
    """\
    ✓ agent Writer  <t>
      ✓ chat  <t>
        ✓ tool note  <t>
    ✓ agent Writer  <t>
      ✓ chat  <t>
  ✓ loop  <t>  2 iterations, stopped by until
✓ workflow Flow  <t>

✓ done  every step ran  <t>
""".splitlines()
)


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    """The package of a fresh project; commands are given in the folder above."""
    return write_project(tmp_path)


def ended(shown: str) -> list[str]:
    """The rows of what came to its end. Which rows are written as open, and so in which order, is a matter of time."""
    return sorted(line for line in timeless(shown).splitlines() if "▸" not in line)


@pytest.mark.parametrize("target", ["flow", "flow/workflow.py", "flow.workflow", "flow.workflow:app", "flow:Flow"])
def test_the_result_is_all_that_standard_output_gets(flow: Path, tmp_path: Path, target: str) -> None:
    """The tree goes to standard error, however the workflow is named."""
    done = thena("run", target, cwd=tmp_path)
    assert ("answer one: Write a note.\n", ENDED, 0) == (done.stdout, ended(done.stderr), done.returncode)


def test_the_workflows_own_log_is_not_shown_beside_the_tree(flow: Path, tmp_path: Path) -> None:
    """`log=True` would print the same tree once more."""
    edit(flow / "workflow.py", "Thena(Flow)", "Thena(Flow, ThenaConfig(log=True))")
    edit(flow / "workflow.py", "import Thena,", "import Thena, ThenaConfig,")
    assert ENDED == ended(thena("run", "flow", cwd=tmp_path).stderr)


def test_what_the_users_code_prints_is_shown_where_it_belongs(flow: Path, tmp_path: Path) -> None:
    """A print, from Python or from a program that was started, comes before the end of the node that it happened in."""
    talkative = (
        "        import os\n        print('from Python')\n        os.system('echo from a program')\n        s.notes"
    )
    edit(flow / "tools.py", "        s.notes", talkative)
    shown = timeless(thena("run", "flow", cwd=tmp_path).stderr).splitlines()
    told = ["from Python", "from a program", "        ✓ tool note  <t>"]
    assert told == [line for line in shown if line in told]


def test_a_flood_of_prints_loses_nothing(flow: Path, tmp_path: Path) -> None:
    """However much is printed, and however fast the process ends after it, every line and the result arrive."""
    flood = (
        "        for number in range(50_000):\n"
        "            print('line', number)\n"
        "        print('x' * 1_000_000)\n"
        "        s.notes"
    )
    edit(flow / "tools.py", "        s.notes", flood)
    done = thena("run", "flow", cwd=tmp_path)
    printed = [line for line in done.stderr.splitlines() if line.startswith("line ")]
    assert [f"line {number}" for number in range(50_000)] == printed
    assert "x" * 1_000_000 in done.stderr
    assert ("answer one: Write a note.\n", 0) == (done.stdout, done.returncode)


def test_what_a_run_left_behind_holds_nothing_up(flow: Path, tmp_path: Path) -> None:
    """A program that left the process's group and holds its pipes open doesn't keep the command waiting."""
    daemon = (
        "        import subprocess, sys\n"
        "        sleep = [sys.executable, '-c', 'import time; time.sleep(300)']\n"
        "        other = subprocess.Popen(sleep, start_new_session=True)\n"
        "        print('daemon', other.pid)\n"
        "        s.notes"
    )
    edit(flow / "tools.py", "        s.notes", daemon)
    done = thena("run", "flow", cwd=tmp_path)
    pid = int(next(line for line in done.stderr.splitlines() if line.startswith("daemon")).split()[1])
    os.kill(pid, signal.SIGKILL)
    assert ("answer one: Write a note.\n", 0) == (done.stdout, done.returncode)


def test_json_prints_every_event_and_the_outcome(flow: Path, tmp_path: Path) -> None:
    """One object a line: the events of the run in order, and then its result."""
    done = thena("run", "flow", "--json", cwd=tmp_path)
    *events, outcome = map(json.loads, done.stdout.splitlines())
    read = [Event.from_json(json.dumps(row["event"])) for row in events]
    assert list(range(1, len(read) + 1)) == [event.sequence for event in read]
    assert [("start", "workflow"), ("end", "workflow")] == [(event.phase, event.kind) for event in (read[0], read[-1])]
    assert ("result", "answer one: Write a note.") == (outcome["type"], outcome["output"])
    assert ("", 0) == (done.stderr, done.returncode)


def test_a_failed_run_prints_no_result(flow: Path, tmp_path: Path) -> None:
    """The reason and the user's own lines go to standard error, and the exit code is 1."""
    edit(
        flow / "models.py", "    return ScriptedProvider", "    raise OSError('no model')\n    return ScriptedProvider"
    )
    done = thena("run", "flow", cwd=tmp_path)
    assert ("", 1) == (done.stdout, done.returncode)
    assert "✗ failed  OSError: no model" in done.stderr
    assert 1 == done.stderr.count("no model") - done.stderr.count("raise OSError")
    assert 'File "flow/models.py", line 13, in model' in done.stderr
    assert "thena_runtime" not in done.stderr


def test_start_up_shows_faults_with_their_source_lines(flow: Path, tmp_path: Path) -> None:
    """What `Thena(...)` refuses is shown like what the linter finds."""
    edit(flow / "workflow.py", "    state=FlowState,\n", "")
    done = thena("run", "flow", cwd=tmp_path)
    assert (
        "THN201 `Writer.__init__` parameter 0 `s` asks for the state, but workflow `Flow` declares none. "
        "Add `state=YourState` to `@Workflow` on `Flow`.\n"
        "9 |     def __init__(self, s: State[FlowState]) -> None:\n" in done.stderr
    )
    assert ("", 1) == (done.stdout, done.returncode)
    assert "✗ start-up  2 faults\n" == done.stderr[-len("✗ start-up  2 faults\n") :]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "nowhere"], "`nowhere` is no file, folder or module here"),
        (["run", "flow:Nobody"], "`Nobody`"),
        (["run", "flow/writer.agent.md"], "is no Python file"),
        (["run"], "thena run: missing argument `TARGET`. `thena run --help` shows what it takes.\n"),
        (["run", "flow", "--budget"], "thena run: option `--budget` requires an argument. `thena run --help` shows"),
        (["generate"], "thena generate: missing argument `KIND`. Choose from: agent, tool, workflow, state, provider."),
        (["run", "flow", "--jason"], "thena run: no such option `--jason`. Did you mean `--json`?"),
        (["walk"], "thena: `walk` is no command. Type one of: dev, run, "),
        (["rnu", "flow"], "thena: `rnu` is no command. Did you mean `run`? `thena --help` shows what it takes.\n"),
        ([], "Usage: thena [OPTIONS] COMMAND [ARGS]..."),
        (["run", "bare.py"], "`Flow` is decorated with `@Workflow` without a call. Write `@Workflow(...)`."),
        (["run", "a.b.py"], "`a.b.py` can't be imported, because of the dot in `a.b`."),
    ],
)
def test_a_wrong_command_line_is_a_usage_error(flow: Path, tmp_path: Path, arguments: list[str], told: str) -> None:
    """It is told in a sentence on standard error, with exit code 2 and without a traceback."""
    source = (flow / "workflow.py").read_text(encoding="utf-8")
    (tmp_path / "a.b.py").write_text(source, encoding="utf-8")
    bare = re.sub(r"@Workflow\(.*?\n\)", "@Workflow", source.replace("app = Thena(Flow)", ""), flags=re.DOTALL)
    (tmp_path / "bare.py").write_text(bare, encoding="utf-8")
    done = thena(*arguments, cwd=tmp_path)
    assert ("", 2) == (done.stdout, done.returncode)
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_an_app_that_is_made_only_in_a_program_gives_way_to_the_workflow(flow: Path, tmp_path: Path) -> None:
    """Nobody typed `app`, so that an import which makes none is no mistake."""
    edit(flow / "workflow.py", "app = Thena(Flow)", "if __name__ == '__main__':\n    app = Thena(Flow)")
    done = thena("run", "flow", cwd=tmp_path)
    assert ("answer one: Write a note.\n", 0) == (done.stdout, done.returncode)


@pytest.mark.parametrize("prompt", ["--wait", "-5", "-- x"])
@pytest.mark.parametrize("start", [["run"], ["dev", "--once"]])
def test_a_prompt_may_look_like_an_option(flow: Path, tmp_path: Path, start: list[str], prompt: str) -> None:
    """Behind `--` everything is text, for the command and for the process that it starts."""
    edit(flow / "models.py", "messages[0].content.strip()", 'next(m.content for m in messages if m.role == "user")')
    done = thena(*start, "flow", "--", prompt, cwd=tmp_path)
    assert (0, True) == (done.returncode, f"answer one: {prompt}\n" in done.stdout)


def test_a_fault_without_a_code_is_shown_once_in_the_linters_form(flow: Path, tmp_path: Path) -> None:
    """It stands at the class that it is about, although the class is in another file than the app."""
    edit(flow / "agents.py", "tools=[Note]", 'tools=[Note], output=type("Data", (), {})')
    for arguments in (["run", "flow"], ["dev", "flow", "--once"]):
        done = thena(*arguments, cwd=tmp_path)
        shown = done.stdout + done.stderr
        told = (
            "flow/agents.py:8:1: start-up `output` of `Writer` is the class `Data`, which a model can't be told about ("
        )
        assert (1, 1, 1) == (done.returncode, shown.count(told), shown.count("`output` of"))
        assert "\n8 | class Writer:\n" in shown
        assert "✗ start-up  1 fault\n" == shown[-len("✗ start-up  1 fault\n") :]


def test_an_error_of_several_lines_is_shown_once(flow: Path, tmp_path: Path) -> None:
    """Its text is told beside its frames and not again below them; a note that was added to it is kept."""
    error = "error = ValueError('first\\nsecond')\n    error.add_note('a note')\n    raise error\n    return Scripted"
    edit(flow / "models.py", "return Scripted", error)
    shown = thena("run", "flow", cwd=tmp_path).stderr
    assert "✗ failed  ValueError: first second" in shown
    assert (1, 0) == (shown.count("a note"), shown.count("\nsecond"))


def test_a_name_that_only_the_import_can_miss_is_a_usage_error(flow: Path, tmp_path: Path) -> None:
    """Where text can't tell, the child does, and the answer is the same."""
    (tmp_path / "stars.py").write_text("from flow.workflow import *\n", encoding="utf-8")
    done = thena("run", "stars:nobody", cwd=tmp_path)
    assert ("", 2) == (done.stdout, done.returncode)
    assert "✗ target  module `stars` has no `nobody`." in done.stderr


def test_ctrl_c_cancels_the_run_and_leaves_no_process(flow: Path, tmp_path: Path) -> None:
    """The run says where it was cut off, and the exit code is 130."""
    edit(flow / "models.py", "delay=0.0", "delay=300.0")
    process = subprocess.Popen(
        command("run", "flow", "--json"),
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    with process:
        assert process.stdout is not None
        while '"kind":"chat"' not in process.stdout.readline():
            assert process.poll() is None
        started = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        last = process.communicate(timeout=LONGEST_WAIT)[0].splitlines()[-1]
    assert ("cancelled", 130) == (json.loads(last)["type"], process.returncode)
    assert set() == wait_until_gone(started)


@pytest.mark.parametrize("arguments", [["run", "flow"], ["dev", "flow", "--once"], ["dev", "flow"]])
def test_a_reader_that_leaves_is_no_error_of_ours(flow: Path, tmp_path: Path, arguments: list[str]) -> None:
    """A closed pipe ends the command quietly."""
    with subprocess.Popen(
        command(*arguments), cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        told = process.stderr.read().decode()
    assert (1, False) == (process.returncode, "Traceback" in told)


def test_a_stream_that_cannot_encode_the_signs_gets_others(flow: Path, tmp_path: Path) -> None:
    """An ASCII stream is written in ASCII, and nothing fails."""
    done = subprocess.run(
        command("dev", "flow", "--once"),
        cwd=tmp_path,
        env={**environment(), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        encoding="ascii",
        timeout=LONGEST_WAIT,
        check=False,
    )
    assert ("+ lint  6 files, no faults  <t>", 0) == (timeless(done.stdout).splitlines()[0], done.returncode)


def test_help_and_version_load_nothing_heavy() -> None:
    """What a command needs is imported when it runs."""
    code = "import sys, thena_cli.commands.line; print([m for m in sys.modules if m.partition('.')[0] in sys.argv[1:]])"
    heavy = ["rich", "watchfiles", "libcst", "asyncio", "thena_lint", "thena_runtime", "pydantic", "httpx"]
    loaded = subprocess.run([sys.executable, "-c", code, *heavy], capture_output=True, text=True, check=True)
    assert "[]\n" == loaded.stdout


@pytest.mark.parametrize("arguments", [["--help"], ["dev", "--help"], ["run", "--help"], ["--version"]])
def test_help_and_version_are_no_error(tmp_path: Path, arguments: list[str]) -> None:
    """They are printed on standard output with exit code 0."""
    done = thena(*arguments, cwd=tmp_path)
    assert (0, "", True) == (done.returncode, done.stderr, "thena" in done.stdout)

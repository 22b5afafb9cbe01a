"""Streams and folders as an odd environment gives them: closed, full, left, gone. Each test is a real process."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.flow_project import edit, write_project
from tests.cli.thena_process import (
    LONGEST_WAIT,
    DevSession,
    command,
    descendants,
    environment,
    thena,
    timeless,
    wait_until_gone,
)

RUNS = [["run", "flow"], ["run", "flow", "--json"], ["dev", "flow", "--once"], ["dev", "flow"]]
FULL = Path("/dev/full")


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    """The package of a fresh project; commands are given in the folder above."""
    return write_project(tmp_path)


def shell(line: str, *, cwd: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run a line of shell in which `thena` is this checkout's."""
    script = (
        f'thena() {{ "{sys.executable}" -m thena_cli "$@"; }}\n'
        f'lint() {{ "{sys.executable}" -m thena_lint "$@"; }}\n{line}'
    )
    return subprocess.run(
        ["/bin/sh", "-c", script],
        cwd=cwd,
        env={**environment(), **variables},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        timeout=LONGEST_WAIT,
        check=False,
    )


@pytest.mark.parametrize("arguments", RUNS)
def test_a_reader_that_leaves_in_the_middle_ends_the_command_quietly(
    flow: Path, tmp_path: Path, arguments: list[str]
) -> None:
    """`thena dev … | head -1` shows one line and nothing else."""
    # A long tree and a long answer: more than a pipe holds, so that writing isn't over before the reader has left.
    edit(flow / "models.py", 'messages[-1].role == "tool"', "len(messages) > 120")
    edit(flow / "models.py", 'text="a"', "text=str(len(messages))")
    edit(flow / "models.py", "messages[0].content.strip()", '"x" * 200_000')
    edit(flow / "workflow.py", "max_iterations=5", "max_iterations=100")
    with subprocess.Popen(
        command(*arguments),
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        process.stdout.close()
        process.stdout = None
        try:
            _, told = process.communicate(timeout=LONGEST_WAIT)
        finally:
            process.kill()
    assert (False, False) == (b"Traceback" in told, b"fault of thena" in told)
    assert 1 == process.returncode


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [*RUNS, ["--version"]])
def test_a_full_disk_is_told_in_one_line(flow: Path, tmp_path: Path, arguments: list[str]) -> None:
    """The reason is the system's, and the exit code is 2."""
    done = shell(f"thena {' '.join(arguments)} >/dev/full", cwd=tmp_path)
    told = [line for line in done.stderr.splitlines() if line.startswith("thena: ")]
    assert [f"thena: the output can't be written: {os.strerror(errno.ENOSPC)}."] == told
    assert (2, False) == (done.returncode, "Traceback" in done.stderr)


@pytest.mark.parametrize("arguments", RUNS)
def test_a_closed_output_is_told_before_anything_runs(flow: Path, tmp_path: Path, arguments: list[str]) -> None:
    """A run whose result goes nowhere is not paid for."""
    edit(flow / "models.py", "def answer(", "open('imported', 'w').close()\n\n\ndef answer(")
    done = shell(f"thena {' '.join(arguments)} >&-", cwd=tmp_path)
    told = "thena: standard output is closed. Send it to a terminal, a file or a pipe.\n"
    assert (2, told, False) == (done.returncode, done.stderr, (tmp_path / "imported").exists())


@pytest.mark.parametrize("closed", ["2>&-", "<&- 2>&-", "2>/dev/full" if FULL.exists() else "2>&-"])
def test_the_result_is_there_without_a_place_for_the_tree(flow: Path, tmp_path: Path, closed: str) -> None:
    """Standard error only accompanies the result of a run."""
    done = shell(f"thena run flow {closed}", cwd=tmp_path)
    assert ("answer one: Write a note.\n", 0) == (done.stdout, done.returncode)


@pytest.mark.parametrize("arguments", [["run", "."], ["dev", ".", "--once"], ["dev", "flow.py"]])
def test_a_folder_that_is_gone_is_told_in_one_line(tmp_path: Path, arguments: list[str]) -> None:
    """Whoever stands in a deleted folder can't name anything from there."""
    done = shell(f"mkdir gone && cd gone && rmdir ../gone && thena {' '.join(arguments)}", cwd=tmp_path)
    reason = os.strerror(errno.ENOENT)
    told = f"thena: the current folder can't be read: {reason}. Go to one that can.\n"
    assert ("", told, 2) == (done.stdout, done.stderr, done.returncode)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("lint flow >&-", "standard output is closed. Send it to a terminal, a file or a pipe."),
        ("lint flow >/dev/full", f"the output can't be written: {os.strerror(errno.ENOSPC)}."),
        (
            "mkdir gone && cd gone && rmdir ../gone && lint",
            f"the current folder can't be read: {os.strerror(errno.ENOENT)}. Go to one that can.",
        ),
    ],
)
def test_the_linter_by_itself_answers_alike(flow: Path, tmp_path: Path, line: str, told: str) -> None:
    """In one line, with the exit code of a linter that could not do its work."""
    if "/dev/full" in line and not FULL.exists():
        pytest.skip("no device that is always full")
    done = shell(line, cwd=tmp_path)
    assert ("", f"thena-lint: {told}\n", 2) == (done.stdout, done.stderr, done.returncode)


def test_a_session_outlives_its_folder(tmp_path: Path) -> None:
    """Deleting the folder is told as a target that isn't there, and when it is back the session goes on."""
    place = tmp_path / "place"
    flow = write_project(place)
    with DevSession("flow", cwd=place) as session:
        session.until("watching flow")
        away = tmp_path / "away"
        shutil.copytree(place, away)
        shutil.rmtree(place)
        shown = session.until("waiting for changes")
        assert [] == [line for line in shown if "Traceback" in line or "died" in line]
        shutil.copytree(away, place)
        edit(flow / "models.py", "answer one", "answer two")
        session.until("answer two")


def test_a_target_that_comes_back_as_it_was_runs_again(flow: Path, tmp_path: Path) -> None:
    """A run that was in flight meanwhile may have missed it."""
    target = flow / "workflow.py"
    with DevSession("flow/workflow.py", cwd=tmp_path) as session:
        session.until("watching flow")
        target.rename(tmp_path / "away")
        session.until("waiting for changes")
        (tmp_path / "away").rename(target)
        session.until("answer one")


@pytest.mark.parametrize("command_name", ["run", "dev"])
def test_a_file_in_an_unreadable_folder_is_told_in_one_line(flow: Path, tmp_path: Path, command_name: str) -> None:
    """The reason is the system's."""
    # Root reads every folder, unless it gives that right away.
    weaker = "setpriv --bounding-set -dac_override,-dac_read_search --inh-caps -all"
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("root reads every folder")
    start = f"{weaker if os.geteuid() == 0 else ''} '{sys.executable}' -m thena_cli"
    flow.chmod(0)
    try:
        done = shell(f"{start} {command_name} flow/workflow.py", cwd=tmp_path)
    finally:
        flow.chmod(0o755)
    reason = os.strerror(errno.EACCES)
    told = f"thena: `flow/workflow.py` can't be read: {reason}. Name something that can.\n"
    assert ("", told, 2) == (done.stdout, done.stderr, done.returncode)


@pytest.mark.parametrize("name", ["x" * 300, "~nobody-has-this-name/flow.py"])
def test_a_target_that_the_system_refuses_is_a_usage_error(tmp_path: Path, name: str) -> None:
    """It is told in one line, without a traceback."""
    done = thena("run", name, cwd=tmp_path)
    assert ("", 1, "thena: ", 2) == (done.stdout, done.stderr.count("\n"), done.stderr[:7], done.returncode)


@pytest.mark.parametrize(
    "variables", [{"TERM": "dumb"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"TERM": ""}]
)
def test_odd_environments_change_no_result(flow: Path, tmp_path: Path, variables: dict[str, str]) -> None:
    """A terminal that can't do anything and a locale without signs."""
    done = shell("unset HOME; thena dev flow --once", cwd=tmp_path, **variables)
    sign = "+" if "LC_ALL" in variables else "✓"
    assert f"{sign} lint  6 files, no faults  <t>" == timeless(done.stdout).splitlines()[0]
    assert ("", 0) == (done.stderr, done.returncode)


INTERRUPTED = """
import signal, sys


class Interrupting:
    def __init__(self, moment):
        self.left = moment

    def find_spec(self, name, path=None, target=None):
        self.left -= 1
        if self.left == 0:
            signal.raise_signal(signal.SIGINT)


moment, door = sys.argv[1:3]
del sys.argv[1:3]
main = __import__(door, fromlist=["main"]).main
sys.meta_path.insert(0, Interrupting(int(moment)))
sys.exit(main())
"""


@pytest.mark.parametrize("moment", [1, 3, 20])
@pytest.mark.parametrize("door", ["thena_cli.main", "thena_lint.__main__"])
def test_ctrl_c_in_the_middle_of_the_imports_leaves_no_traceback(tmp_path: Path, door: str, moment: int) -> None:
    """However early it comes once the command has begun, it ends with 130 and without a word."""
    arguments = {"thena_cli.main": ["dev", "."], "thena_lint.__main__": ["."]}[door]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(moment), door, *arguments],
        cwd=tmp_path,
        env={**environment(), "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        timeout=LONGEST_WAIT,
        check=False,
    )
    assert ("", "", 130) == (done.stdout, done.stderr, done.returncode)


def test_a_killed_command_leaves_no_run_behind(flow: Path, tmp_path: Path) -> None:
    """`kill -9` gives nobody time to clean up, and the run ends all the same."""
    edit(flow / "models.py", "delay=0.0", "delay=300.0")
    for arguments in (["dev", "flow"], ["run", "flow"]):
        with subprocess.Popen(
            command(*arguments),
            cwd=tmp_path,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        ) as process:
            assert process.stdout is not None
            while "workflow Flow" not in process.stdout.readline():
                assert process.poll() is None
            started = descendants(process.pid)
            assert set() != started
            process.send_signal(signal.SIGKILL)
        assert set() == wait_until_gone(started)

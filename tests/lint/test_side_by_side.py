"""Work that two processes do: it finds what one finds, whatever becomes of the second one."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.lint.project import write_project

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) < 2, reason="one process does it all there"
)

PROGRAM = """
import os, signal, sys, time
from thena_lint.__main__ import main

# Whoever starts tests in the background lets them ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
begun = []
os.register_at_fork(after_in_parent=lambda: begun.append(True), after_in_child=lambda: {in_copy})
code = main()
print("begun:", len(begun), file=sys.stderr)
sys.stdout.flush()
os._exit(code)
"""
"""The linter, in whose copies something happens as soon as they begin."""

NOTHING = "None"
KILLED = "os.kill(os.getpid(), signal.SIGKILL)"
KILLED_LATER = "signal.setitimer(signal.ITIMER_REAL, 0.1)"
STUCK = "(print(os.getpid(), flush=True), time.sleep(600))"
SMALL_FILES = 3_000
COPIES = 2
"""One for half of the files, and one for half of the workflows."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project in which two processes have work: many files, and many workflows, with faults in both halves."""
    root = tmp_path_factory.mktemp("large") / "project"
    written = write_project(root, 200, 1.0)
    for number, workflow in enumerate(written.workflows):
        if number % 5 == 1:
            workflow.write_text(workflow.read_text().replace("state=Draft, ", ""))
        if number % 7 == 1:
            rules = workflow.with_name("rules.py")
            rules.write_text(rules.read_text().replace("s.approved", "s.aproved"))
        if number % 9 == 1:
            workflow.write_text(f"{workflow.read_text()}\nLEFT = 1  # thena: ignore[THN201]\n")
        app = "from thena_runtime import Thena\n\nfrom .workflow import Flow{n}\n\nAPP = Thena(Flow{n})\n"
        workflow.with_name("app.py").write_text(app.format(n=number))
    (root / "small").mkdir()
    for number in range(SMALL_FILES):
        (root / "small" / f"m{number}.py").write_text("X = 1\n")
    return root


def lint(project: Path, *arguments: str, in_copy: str = NOTHING, cores: int = 2) -> tuple[int, bytes, int]:
    """The exit code of a run, what it told, and how many copies of it were begun."""
    some = set(sorted(os.sched_getaffinity(0))[:cores])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(in_copy=in_copy), str(project), "--output-format", "json", *arguments],
        capture_output=True,
        check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, some),
    )
    *told, begun = done.stderr.decode().splitlines()
    assert [] == told
    return done.returncode, done.stdout, int(begun.removeprefix("begun: "))


def test_two_processes_tell_what_one_tells(project: Path) -> None:
    """With a second core half of the work is done by a copy, and the report is the same to the last byte."""
    code, told, begun = lint(project, "--no-cache", cores=1)

    assert (1, 0) == (code, begun)
    assert (code, told, COPIES) == lint(project, "--no-cache")
    assert {"THN201", "THN301", "THN602", "THN902"} == {row["code"] for row in json.loads(told)}


@pytest.mark.parametrize("end", [KILLED, KILLED_LATER])
def test_what_a_copy_leaves_undone_is_done_here(project: Path, end: str) -> None:
    """A copy that is killed, at once or in the middle, changes nothing of the report."""
    code, told, _ = lint(project, "--no-cache", cores=1)

    assert (code, told, COPIES) == lint(project, "--no-cache", in_copy=end)


def test_an_answer_rests_on_what_the_copy_read_too(project: Path, tmp_path: Path) -> None:
    """A kept answer stands as long as nothing changes, and no longer than what the copy alone has read."""
    cache = ("--cache-dir", str(tmp_path))
    first, again = lint(project, *cache), lint(project, *cache)
    state = max(project.glob("app/feature_*/state.py"))
    text = state.read_text()
    try:
        state.write_text(text.replace("approved", "accepted"))
        changed, anew = lint(project, *cache), lint(project, "--no-cache", cores=1)
    finally:
        state.write_text(text)

    assert (first[:2], 0) == (again[:2], again[2])
    assert changed[:2] == anew[:2] != first[:2]


def test_ctrl_c_ends_the_copy(project: Path) -> None:
    """Whoever interrupts the linter leaves no process behind."""
    program = PROGRAM.format(in_copy=STUCK)
    with subprocess.Popen(
        [sys.executable, "-c", program, str(project), "--no-cache"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        copy = int(running.stdout.readline())
        # Until it waits for what the copy has to say, it works.
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        running.wait(60)

    assert 130 == running.returncode
    with pytest.raises(ProcessLookupError):
        os.kill(copy, 0)


def test_what_fails_in_a_copy_fails_here() -> None:
    """What the copy's piece of work raises is raised to whoever asked for both."""
    program = (
        "from thena_lint.source.side_by_side import side_by_side\n"
        "try:\n"
        "    side_by_side(lambda: 1, lambda: 1 // 0)\n"
        "except ZeroDivisionError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert "integer division or modulo by zero\n" == done.stdout

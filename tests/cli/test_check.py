"""`thena check`: what start-up says, without a run."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.flow_project import edit, write_project
from tests.cli.thena_process import command, descendants, environment, thena, wait_until_gone


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    """The package of a fresh project; commands are given in the folder above."""
    return write_project(tmp_path)


def test_a_right_workflow_is_counted(flow: Path, tmp_path: Path) -> None:
    """One line, exit code 0, and no model is asked."""
    edit(flow / "models.py", "    return ScriptedProvider", "    raise OSError\n    return ScriptedProvider")
    done = thena("check", "flow", cwd=tmp_path)
    told = "✓ start-up  workflow Flow: 1 agent, 1 tool, no faults\n"
    assert (told, "", 0) == (done.stdout, done.stderr, done.returncode)


@pytest.mark.parametrize("target", ["ns.b.flow", "ns/b/flow.py", "ns.b.flow:Flow"])
def test_packages_that_do_not_say_so_are_imported(tmp_path: Path, target: str) -> None:
    """From the current folder, beside the neighbours of the file itself."""
    files = {
        "ns/a/state.py": "class S: ...\n",
        "ns/b/models.py": "from thena_runtime import ScriptedProvider\n\nPROVIDER = ScriptedProvider(['x'])\n",
        "ns/b/flow.py": (
            "from models import PROVIDER\nfrom ns.a.state import S\n"
            "from thena_runtime import Agent, Prompt, Workflow\n\n"
            "@Agent(provider=PROVIDER, prompt=Prompt('p'))\nclass A: ...\n\n"
            "@Workflow(steps=[A], state=S)\nclass Flow: ...\n"
        ),
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    done = thena("check", target, cwd=tmp_path)
    told = "✓ start-up  workflow Flow: 1 agent, 0 tools, no faults\n"
    assert (told, "", 0) == (done.stdout, done.stderr, done.returncode)


def test_faults_are_shown_with_their_source_lines(flow: Path, tmp_path: Path) -> None:
    """The text is the linter's, the exit code 1."""
    edit(flow / "workflow.py", "    state=FlowState,\n", "")
    done = thena("check", "flow", cwd=tmp_path)
    assert (
        "THN201 `Writer.__init__` parameter 0 `s` asks for the state, but workflow `Flow` declares none. "
        "Add `state=YourState` to `@Workflow` on `Flow`.\n"
        "9 |     def __init__(self, s: State[FlowState]) -> None:\n" in done.stdout
    )
    assert ("✗ start-up  2 faults", "", 1) == (done.stdout.splitlines()[-1], done.stderr, done.returncode)


def test_a_warning_is_shown_once_and_is_no_failure(flow: Path, tmp_path: Path) -> None:
    """It stands at its line, Python's own way of telling it is left out, and the exit code stays 0."""
    edit(flow / "agents.py", "        self.s = s\n", "        self.s = s\n\n    def after_respons(self, r): ...\n")
    done = thena("check", "flow", cwd=tmp_path)
    assert (1, "", 0) == (done.stdout.count("after_respons`"), done.stderr, done.returncode)
    last = done.stdout.splitlines()[-1]
    assert "! start-up  workflow Flow: 1 agent, 1 tool, 1 warning" == last


def test_json_is_the_judgement(flow: Path, tmp_path: Path) -> None:
    """One object: how much there is and what was found, or the faults."""
    done = thena("check", "flow", "--json", cwd=tmp_path)
    told = {"type": "judged", "workflow": "Flow", "workflows": 1, "agents": 1, "tools": 1, "findings": []}
    assert (told, "", 0) == (json.loads(done.stdout), done.stderr, done.returncode)
    edit(flow / "workflow.py", "    state=FlowState,\n", "")
    done = thena("check", "flow", "--json", cwd=tmp_path)
    assert (["THN201", "THN201"], 1) == (
        [finding["code"] for finding in json.loads(done.stdout)["findings"]],
        done.returncode,
    )


def test_a_package_that_is_missing_is_told_with_what_helps(flow: Path, tmp_path: Path) -> None:
    """The cause, the line, and the command that shows the environment; the exit code is 1."""
    edit(flow / "models.py", "from collections", "import nowhere\nfrom collections")
    done = thena("check", "flow", cwd=tmp_path)
    assert "✗ import  ModuleNotFoundError: No module named 'nowhere'\n" in done.stdout
    assert "if `nowhere` is a package, install it into the environment of `thena`, which `thena doctor` shows" in (
        done.stdout
    )
    assert ("", 1) == (done.stderr, done.returncode)


@pytest.mark.parametrize("name", ["check", "graph"])
def test_ctrl_c_ends_an_import_that_never_does(flow: Path, tmp_path: Path, name: str) -> None:
    """The exit code is 130, and no process is left."""
    edit(
        flow / "models.py",
        "from collections",
        "import time\nprint('sleeping', flush=True)\ntime.sleep(300)\nfrom collections",
    )
    with subprocess.Popen(
        command(name, "flow"),
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    ) as process:
        assert process.stdout is not None
        while "sleeping" not in process.stdout.readline():
            assert process.poll() is None
        started = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        told = process.stdout.read()
    assert (130, True) == (process.returncode, "■ cancelled" in told)
    assert set() == wait_until_gone(started)

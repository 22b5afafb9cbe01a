"""The child process: what it says on stdout, line by line, and how it ends. Each test starts a real one."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.thena_process import wait_until_gone
from thena_runtime.observability.events import Event

ROOT = Path(__file__).parents[2]

HEAD = """
import asyncio, sys
from thena_runtime import *

PROVIDER = ScriptedProvider(["hello"])
"""

FLOW = """
@Agent(provider=PROVIDER, prompt=Prompt("p"))
class A:
    def after_response(self, response, ctx):
        print("printed by the user")
        return f"{response}, {ctx.state.history[0].content!r}"

@Workflow(steps=[A])
class Flow: ...
"""

SLOW = """
@Tool(name="wait", description="Wait.")
class Wait:
    async def execute(self, ctx: Context) -> str:
        ctx.on_dispose(lambda: print("cleaned up", file=sys.stderr, flush=True))
        await asyncio.sleep(60)
        return "waited"

@Agent(provider=ScriptedProvider([tool_call("wait")]), prompt=Prompt("p"), tools=[Wait])
class A: ...

@Workflow(steps=[A])
class Flow: ...
"""


def write(folder: Path, source: str, name: str = "flow") -> None:
    """Write a module of a user's."""
    (folder / f"{name}.py").write_text(HEAD + textwrap.dedent(source), encoding="utf-8")


def environment() -> dict[str, str]:
    """The child finds this checkout and nothing of the test's."""
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def run(folder: Path, *arguments: str, order: object = None) -> tuple[int, list[dict[str, Any]], str]:
    """Run a child to its end: exit code, lines and stderr. Lines that are no JSON fail the test."""
    done = subprocess.run(
        [sys.executable, "-m", "thena_runtime.child", *arguments],
        cwd=folder,
        env=environment(),
        input=None if order is None else json.dumps(order) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@contextmanager
def started(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start a child that never outlives the block."""
    child = subprocess.Popen(
        [sys.executable, "-m", "thena_runtime.child", *arguments],
        cwd=folder,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def test_a_run_is_told_as_events_and_then_its_result(tmp_path: Path) -> None:
    """The events read back as they were, what the user prints goes to stderr, and the exit code is 0."""
    write(tmp_path, FLOW + "\napp = Thena(Flow, ThenaConfig(log=True))\n")

    code, lines, err = run(tmp_path, "flow", "--prompt", "hi there")

    assert ["event"] * 6 + ["result"] == [line["type"] for line in lines]
    events = [Event.from_json(json.dumps(line["event"])) for line in lines[:-1]]
    assert [("workflow", "start"), ("agent", "start"), ("chat", "start")] == [
        (event.kind, event.phase) for event in events[:3]
    ]
    assert {
        "type": "result",
        "run_id": events[0].run_id,
        "output": "hello, 'hi there'",
        "stopped_by": None,
    } == lines[-1]
    assert (0, "printed by the user\n") == (code, err)


def test_an_output_that_is_data_is_told_as_json(tmp_path: Path) -> None:
    """A value that an agent answers with stands in the result's line as JSON."""
    write(
        tmp_path,
        """
        from dataclasses import dataclass
        from thena_runtime import Agent, Prompt, ScriptedProvider, Workflow

        @dataclass
        class Verdict:
            approved: bool

        @Agent(provider=ScriptedProvider(['{"approved": true}']), prompt=Prompt("p"), output=Verdict)
        class A: ...

        @Workflow(steps=[A])
        class Flow: ...
        """,
    )

    _, lines, _ = run(tmp_path, "flow")

    assert {"approved": True} == lines[-1]["output"]


def test_without_a_prompt_it_is_empty_and_the_root_is_where_modules_are_found(tmp_path: Path) -> None:
    """A module in a package under `--root`, a workflow by name."""
    package = tmp_path / "src" / "shop"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("", encoding="utf-8")
    write(package, FLOW)

    code, lines, _ = run(tmp_path, "shop.flow:Flow", "--root", str(tmp_path / "src"))

    assert (0, "hello, ''") == (code, lines[-1]["output"])


def test_findings_are_rows_with_their_places(tmp_path: Path) -> None:
    """A `ContractError` while the module is imported, or while an app is made of the workflow."""
    source = """
        class S: ...

        @Agent(provider=PROVIDER, prompt=Prompt("p"))
        class A:
            def __init__(self, s: State[S]) -> None:
                self.s = s

        @Workflow(steps=[A])
        class Flow: ...
        """
    write(tmp_path, source)
    write(tmp_path, source + "\n        app = Thena(Flow)\n", "with_app")

    for module in ("flow", "with_app"):
        code, lines, _ = run(tmp_path, module)

        assert 1 == code
        assert [
            {
                "type": "findings",
                "findings": [
                    {
                        "code": "THN201",
                        "name": "state-not-declared",
                        "severity": "error",
                        "message": "`A.__init__` parameter 0 `s` asks for the state, but workflow `Flow` declares "
                        "none. Add `state=YourState` to `@Workflow` on `Flow`.",
                        "module": module,
                        "declaration": "A",
                        "label": "__init__.s",
                        "path": str(tmp_path / f"{module}.py"),
                        "line": 11,
                    }
                ],
            }
        ] == lines


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("def broken(:", "SyntaxError: invalid syntax (broken.py, line 7)"),
        ("import nowhere_to_be_found", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("sys.exit('no')", "SystemExit: no"),
    ],
)
def test_an_import_that_fails_is_told_with_the_users_frames(tmp_path: Path, source: str, error: str) -> None:
    """The traceback begins in the user's file."""
    write(tmp_path, f"\n{source}", "broken")

    code, lines, _ = run(tmp_path, "broken")

    (line,) = lines
    assert (1, "error", "import", error) == (code, line["type"], line["kind"], line["error"])
    assert f'File "{tmp_path / "broken.py"}", line 7' in line["traceback"]
    assert "child.py" not in line["traceback"]
    assert "importlib" not in line["traceback"]


def test_a_module_that_does_not_exist_is_an_import_error(tmp_path: Path) -> None:
    """There is no frame of the user's to show."""
    code, lines, _ = run(tmp_path, "nothing_here")

    assert (1, "import", "ModuleNotFoundError: No module named 'nothing_here'") == (
        code,
        lines[0]["kind"],
        lines[0]["error"],
    )


@pytest.mark.parametrize(
    ("source", "target", "error"),
    [
        (
            FLOW + "\none, two = Thena(Flow), Thena(Flow)\n",
            "flow",
            "module `flow` has several apps. Type one of: flow:one, flow:two",
        ),
        (
            FLOW + "\n@Workflow(steps=[A])\nclass Other: ...\n",
            "flow",
            "module `flow` has several workflows. Type one of: flow:Flow, flow:Other",
        ),
        (
            "",
            "flow",
            (
                "module `flow` has no app and no workflow. Write `app = Thena(YourWorkflow)` there, or name another "
                "module."
            ),
        ),
        (FLOW, "flow:Folw", "module `flow` has no `Folw`. It has: Flow."),
        (FLOW, "flow:A", "`flow:A` is neither a `Thena` app nor a workflow class."),
        (
            FLOW.replace("@Workflow(steps=[A])", "@Workflow"),
            "flow",
            "`Flow` is decorated with `@Workflow` without a call. Write `@Workflow(...)`.",
        ),
    ],
)
def test_a_target_that_can_not_be_run_says_what_to_type(tmp_path: Path, source: str, target: str, error: str) -> None:
    """Several, none, the wrong name, or no workflow."""
    write(tmp_path, source)

    code, lines, _ = run(tmp_path, target)

    (line,) = lines
    assert (1, "error", "target", error) == (code, line["type"], line["kind"], line["error"])


def test_a_guessed_name_that_is_not_there_gives_way_to_the_only_thing_there_is(tmp_path: Path) -> None:
    """What a reader of text took for the app may be made only where the file is a program."""
    write(tmp_path, FLOW + "\nif __name__ == '__main__':\n    app = Thena(Flow)\n")

    code, lines, _ = run(tmp_path, "flow", "--guess", "app")

    assert (0, "hello, ''") == (code, lines[-1]["output"])


def test_a_guessed_name_that_is_there_decides(tmp_path: Path) -> None:
    """Other apps that the module has, by import for instance, are no doubt then."""
    write(tmp_path, FLOW + "\nother = Thena(Flow)\napp = Thena(Flow)\n")

    assert 0 == run(tmp_path, "flow", "--guess", "app")[0]


def test_a_module_that_is_not_the_file_asked_for_is_refused(tmp_path: Path) -> None:
    """A file that is called as one of Python's own modules is not what is imported."""
    mine = tmp_path / "mine"
    mine.mkdir()
    write(mine, FLOW, "asyncio")

    code, lines, _ = run(tmp_path, "asyncio", "--root", str(mine), "--file", str(mine / "asyncio.py"))

    assert (1, "target") == (code, lines[-1]["kind"])
    assert f"`{mine / 'asyncio.py'}` can't be imported as `asyncio`, which is" in lines[-1]["error"]


@pytest.mark.parametrize("made", ["\napp = Thena(Flow)\n", ""])
def test_what_no_rule_has_a_code_for_is_a_row_at_its_class(tmp_path: Path, made: str) -> None:
    """Each problem is told once, whether the module or its reader made the app; beside findings too."""
    write(tmp_path, FLOW.replace('prompt=Prompt("p")', 'prompt=Prompt("p"), output=type("Data", (), {})') + made)

    code, lines, _ = run(tmp_path, "flow")

    (line,) = lines
    assert (1, "findings") == (code, line["type"])
    (row,) = line["findings"]
    assert row["message"].startswith("`output` of `A` is the class `Data`, which a model can't be told about (")
    assert (None, str(tmp_path / "flow.py"), 8) == (row["code"], row["path"], row["line"])


def test_problems_without_a_code_stand_beside_those_with_one(tmp_path: Path) -> None:
    """Neither hides the other."""
    source = FLOW.replace("steps=[A]", "steps=[A, 3]")
    source = source.replace('prompt=Prompt("p")', 'prompt=Prompt("p"), output=type("Data", (), {})')
    write(tmp_path, source)

    _, lines, _ = run(tmp_path, "flow")

    assert ["THN101", None] == [row["code"] for row in lines[-1]["findings"]]


def test_an_argument_that_an_app_refuses_is_a_row_at_the_users_line(tmp_path: Path) -> None:
    """It is no class's fault, so it stands where the app is made."""
    write(tmp_path, FLOW + "\n\napp = Thena(Flow, 3)\n")

    _, lines, _ = run(tmp_path, "flow")

    (row,) = lines[-1]["findings"]
    assert (None, str(tmp_path / "flow.py"), 17) == (row["code"], row["path"], row["line"])
    assert "`Thena` got a `int` as its config. Give it `ThenaConfig(...)`." == row["message"]


@pytest.mark.parametrize("is_deaf", [False, True])
def test_a_run_ends_when_its_parent_is_gone(tmp_path: Path, is_deaf: bool) -> None:
    """Its clean-ups run, what it started ends with it, and a run that hears nothing ends too."""
    other = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])"
    deaf = "import signal, time; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(300)" if is_deaf else ""
    write(
        tmp_path,
        SLOW.replace(
            "await asyncio",
            f"import subprocess; print({other}.pid, flush=True)\n        {deaf}\n        await asyncio",
        ).replace("lambda: print(", f"lambda: open({str(tmp_path / 'cleaned')!r}, 'w').close() or print("),
    )
    end, lifeline = os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-m", "thena_runtime.child", "--lifeline", str(end), "flow"],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        pass_fds=(end,),
        start_new_session=True,
    )
    with child:
        assert child.stderr is not None
        other_pid = int(child.stderr.readline())
        os.close(end)
        os.close(lifeline)
        assert -signal.SIGKILL == child.wait(timeout=30)
    assert (not is_deaf) == (tmp_path / "cleaned").exists()
    assert set() == wait_until_gone({other_pid})


def test_one_app_under_two_names_and_an_imported_workflow_are_no_doubt(tmp_path: Path) -> None:
    """Two names of one app are one app; a workflow that a module only imports isn't its own."""
    write(tmp_path, FLOW + "\napp = main = Thena(Flow)\n")
    write(tmp_path, "from flow import Flow as Imported\n" + FLOW.replace("class Flow", "class Mine"), "other")

    assert [0, 0] == [run(tmp_path, target)[0] for target in ("flow", "other")]


def test_a_run_that_fails_is_told_with_the_users_frames(tmp_path: Path) -> None:
    """The exception of a hook, in one line and with its place."""
    write(tmp_path, FLOW.replace('print("printed by the user")', "raise LookupError('no such\\nthing')"))

    code, lines, _ = run(tmp_path, "flow")

    line = lines[-1]
    assert (1, "error", "run", "LookupError: no such thing") == (code, line["type"], line["kind"], line["error"])
    assert "raise LookupError" in line["traceback"]
    assert "thena_runtime" not in line["traceback"]


def test_a_tool_that_exits_is_a_failed_run(tmp_path: Path) -> None:
    """`sys.exit` in user code doesn't leave the parent without a last line."""
    write(tmp_path, FLOW.replace('print("printed by the user")', "sys.exit(3)"))

    code, lines, _ = run(tmp_path, "flow")

    assert (1, "error", "run", "SystemExit: 3") == (
        code,
        lines[-1]["type"],
        lines[-1]["kind"],
        lines[-1]["error"],
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_aborts_the_run_and_its_clean_ups_run(tmp_path: Path, number: signal.Signals) -> None:
    """The last line says what was going on, and the exit code is 130."""
    write(tmp_path, SLOW)

    with started(tmp_path, "flow") as child:
        assert child.stdout is not None
        for line in child.stdout:
            if json.loads(line)["event"]["kind"] == "tool":
                break
        child.send_signal(number)
        out, err = child.communicate(timeout=30)

    lines = [json.loads(line) for line in out.splitlines()]
    assert {"type": "cancelled", "at": "tool"} == lines[-1]
    assert ["cancelled"] * 4 == [line["event"]["status"] for line in lines[:-1]]
    assert (130, "cleaned up\n") == (child.returncode, err)


def test_a_deaf_thread_does_not_keep_a_cancelled_child(tmp_path: Path) -> None:
    """A sync tool in its worker thread can't hear; the process ends all the same."""
    write(
        tmp_path,
        SLOW.replace("async def execute", "def execute").replace(
            "await asyncio.sleep(60)", "import time; time.sleep(600)"
        ),
    )

    with started(tmp_path, "flow") as child:
        assert child.stdout is not None
        for line in child.stdout:
            if json.loads(line)["event"]["kind"] == "tool":
                break
        child.send_signal(signal.SIGTERM)
        out, _ = child.communicate(timeout=30)

    assert (130, "cancelled") == (child.returncode, json.loads(out.splitlines()[-1])["type"])


def test_a_signal_during_the_import_is_a_cancellation(tmp_path: Path) -> None:
    """Nothing was going on yet."""
    write(tmp_path, "import time\nprint('importing', flush=True)\ntime.sleep(600)\n")

    with started(tmp_path, "flow") as child:
        assert child.stderr is not None
        assert "importing\n" == child.stderr.readline()
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=30)

    assert (130, {"type": "cancelled", "at": None}) == (child.returncode, json.loads(out))


def test_a_waiting_child_runs_what_it_is_ordered(tmp_path: Path) -> None:
    """The order names target, root, prompt and working directory; stdin may stay open."""
    write(tmp_path, FLOW)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    order = {"target": "flow", "root": str(tmp_path), "prompt": "warm", "cwd": str(elsewhere)}

    with started(ROOT, "--wait") as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(order) + "\n")
        child.stdin.flush()
        lines = [json.loads(line) for line in child.stdout]
        child.wait(timeout=30)

    assert (0, "hello, 'warm'") == (child.returncode, lines[-1]["output"])


def test_a_waiting_child_goes_with_its_parent(tmp_path: Path) -> None:
    """An end of stdin without an order is no fault."""
    with started(tmp_path, "--wait") as child:
        out, err = child.communicate(timeout=30)

    assert (0, "", "") == (child.returncode, out, err)


def test_a_waiting_child_can_be_told_to_end(tmp_path: Path) -> None:
    """A signal before the order says nothing and leaves nothing behind."""
    with started(tmp_path, "--wait") as child:
        child.send_signal(signal.SIGTERM)
        child.wait(timeout=30)

    assert child.returncode in (130, -signal.SIGTERM)  # -SIGTERM when Python itself was still starting


def test_the_files_that_a_run_uses_are_told_if_somebody_asks(tmp_path: Path) -> None:
    """What is written before it is written, what is imported and read at the end of a node or of the run."""
    (tmp_path / "words.py").write_text("WORD = 'x'\n", encoding="utf-8")
    write(
        tmp_path,
        """
        import words
        open("out.txt", "w").write(open("words.py").read())

        @Agent(provider=PROVIDER, prompt=Prompt("p"))
        class A: ...

        @Workflow(steps=[A])
        class Flow: ...
        """,
    )
    order = {"target": "flow", "root": str(tmp_path), "tells_files": True}

    code, lines, _ = run(tmp_path, "--wait", order=order)

    assert (0, "result") == (code, lines[-1]["type"])
    used = [line for line in lines if line["type"] == "used"]
    assert {"type": "used", "imported": [], "read": [], "written": [str(tmp_path / "out.txt")]} == used[0]
    imported = {path for line in used for path in line["imported"]}
    read = {path for line in used for path in line["read"]}
    assert {str(tmp_path / "words.py"), str(tmp_path / "flow.py")} <= imported
    assert str(tmp_path / "words.py") in read
    assert [] == [path for path in imported | read if path.startswith(sys.base_prefix + os.sep)]


def test_a_program_that_reads_its_standard_input_asks_for_each_line(tmp_path: Path) -> None:
    """Its prompt is a line of its own, and the end of the input is one to it too."""
    write(
        tmp_path,
        """
        @Agent(provider=PROVIDER, prompt=Prompt("p"))
        class A:
            async def run(self, text: str, ctx: Context) -> str:
                return input("name? ") + "|" + sys.stdin.read()

        @Workflow(steps=[A])
        class Flow: ...
        """,
    )
    with started(tmp_path, "--wait") as child:
        assert child.stdin is not None
        child.stdin.write(json.dumps({"target": "flow", "root": str(tmp_path), "asks": True}) + "\nAda\none\ntwo\n")
        out, err = child.communicate(timeout=60)
    lines = [json.loads(line) for line in out.splitlines()]
    assert 4 == len([line for line in lines if line["type"] == "asks"])
    assert ("Ada|one\ntwo\n", "name? \n\n\n\n") == (lines[-1]["output"], err)


def test_answers_of_models_are_told_and_used_again(tmp_path: Path) -> None:
    """What a child tells of its answers, the next one takes; without being asked none tells any."""
    write(
        tmp_path,
        """
        class Model:
            identity = "m"

            async def complete(self, request):
                print("asked")
                return Completion(content="hello")

            async def close(self): ...

        @Agent(provider=Model(), prompt=Prompt("p"))
        class A: ...

        @Workflow(steps=[A])
        class Flow: ...
        """,
    )
    order = {"target": "flow", "root": str(tmp_path), "answers": []}
    _, lines, err = run(tmp_path, "--wait", order=order)
    answers = [line["answer"] for line in lines if line["type"] == "answered"]
    assert (1, "asked\n") == (len(answers), err)
    _, lines, err = run(tmp_path, "--wait", order={**order, "answers": answers})
    assert (answers, "") == ([line["answer"] for line in lines if line["type"] == "answered"], err)
    _, lines, err = run(tmp_path, "flow")
    assert ([], "asked\n") == ([line for line in lines if line["type"] == "answered"], err)

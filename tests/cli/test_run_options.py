"""What `thena run` is given beside its target: prompt, state, data, budget; and what else it writes."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.thena_process import LONGEST_WAIT, command, environment, thena, timeless

ECHO = """\
from dataclasses import dataclass

from thena_runtime import Agent, Context, Prompt, ScriptedProvider, Thena, Workflow


@dataclass
class Account:
    name: str
    limit: int = 3


def echo(messages):
    return " | ".join(f"{message.role}: {message.content}" for message in messages)


@Agent(provider=ScriptedProvider([echo]), prompt=Prompt("p"))
class Echo:
    def after_response(self, response: str, ctx: Context) -> str:
        return f"{response} | data: {ctx.data!r}"


@Workflow(steps=[Echo])
class Flow: ...


@Workflow(steps=[Echo, Echo, Echo])
class Thrice: ...


app = Thena(Flow)
typed = Thena(Flow, data=Account)
thrice = Thena(Thrice)
"""


@pytest.fixture
def echo(tmp_path: Path) -> Path:
    """A folder with the module `echo`, whose model answers with all that it was sent."""
    (tmp_path / "echo.py").write_text(ECHO, encoding="utf-8")
    return tmp_path


def test_a_prompt_comes_from_standard_input(echo: Path) -> None:
    """`-` is all of it, but for the line break at its end, and however long it is."""
    long = "x" * 300_000
    done = subprocess.run(
        command("run", "echo.py:app", "-"),
        cwd=echo,
        env=environment(),
        input=f"first\n{long}\n",
        capture_output=True,
        encoding="utf-8",
        timeout=LONGEST_WAIT,
        check=False,
    )
    assert (f"user: first\n{long} | data: {{}}\n", 0) == (done.stdout.partition("system: p | ")[2], done.returncode)


def test_a_prompt_from_a_standard_input_that_is_closed_is_a_usage_error(echo: Path) -> None:
    """It is told in a sentence."""
    line = " ".join([*(f"'{part}'" for part in command("run", "echo.py:app", "-")), "<&-"])
    done = subprocess.run(["sh", "-c", line], cwd=echo, env=environment(), capture_output=True, text=True, check=False)
    told = "thena: standard input is closed. Type the prompt, or send it through a pipe.\n"
    assert ("", told, 2) == (done.stdout, done.stderr, done.returncode)


def test_a_prompt_comes_from_a_file(echo: Path) -> None:
    """`@FILE` is its text, `@@` an `@`."""
    (echo / "prompt.txt").write_text("from a file\n", encoding="utf-8")
    done = [thena("run", "echo.py:app", prompt, cwd=echo).stdout for prompt in ("@prompt.txt", "@@prompt.txt")]
    assert ["system: p | user: from a file | data: {}\n", "system: p | user: @prompt.txt | data: {}\n"] == done


def test_state_and_data_reach_the_run(echo: Path) -> None:
    """The conversation begins with the state, which may be a file; the data is what the app's class makes of it."""
    state = {"memory": ["plan: pro"], "history": [{"role": "user", "content": "before"}]}
    (echo / "state.json").write_text(json.dumps(state), encoding="utf-8")
    done = thena("run", "echo.py:typed", "now", "--state", "@state.json", "--data", '{"name": "acme"}', cwd=echo)
    assert (
        "system: p | system: plan: pro | user: before | user: now | data: Account(name='acme', limit=3)\n",
        0,
    ) == (done.stdout, done.returncode)


def test_a_session_gives_the_same_to_its_runs(echo: Path) -> None:
    """`thena dev` takes prompt, state, data and budget as `thena run` does."""
    (echo / "prompt.txt").write_text("now\n", encoding="utf-8")
    given = ["@prompt.txt", "--state", '{"memory": ["pro"]}', "--data", '{"name": "acme"}', "--budget", "calls=1"]
    done = thena("dev", "echo.py:typed", *given, "--once", cwd=echo)
    told = "system: p | system: pro | user: now | data: Account(name='acme', limit=3)"
    assert (True, 0) == (told in done.stdout.splitlines(), done.returncode)


def test_a_budget_stops_the_run(echo: Path) -> None:
    """The run ends where the limit is, which is told; with `mode=raise` that is a failure with its page."""
    done = thena("run", "echo.py:thrice", "--budget", "calls=2,seconds=60", cwd=echo)
    assert ("✓ done  stopped by budget  <t>", 0) == (timeless(done.stderr).splitlines()[-1], done.returncode)
    done = thena("run", "echo.py:thrice", "--budget", "calls=2,mode=raise", cwd=echo)
    told = timeless(done.stderr).splitlines()[-2:]
    assert ("  `thena explain THN701` says more", "", 1) == (told[1], done.stdout, done.returncode)
    assert (
        "✗ failed  BudgetExceededError: [thena] THN701 "
        == told[0][: len("✗ failed  BudgetExceededError: [thena] THN701 ")]
    )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["@gone.txt"], "the file `gone.txt` for the prompt can't be read: No such file or directory. "),
        (["@latin.txt"], "`latin.txt` is no UTF-8 text, at byte 3. Save it as UTF-8."),
        (["--state", "{memory}"], "`--state` is no JSON: "),
        (["--data", "@bad.json"], "`--data` is no JSON in `bad.json`: "),
        (
            ["--budget", "cents=5"],
            "`cents=5` is no limit of a budget. Write `--budget calls=5,usd=0.10`, with any of: ",
        ),
        (["--budget", "calls=many"], "`many` is no number for `calls` of a budget. Write `--budget calls=5,usd=0.10`."),
        (["--log", "nowhere/x.log"], "the log `nowhere/x.log` can't be written: No such file or directory. "),
    ],
)
def test_what_cant_be_given_is_told_before_anything_runs(echo: Path, arguments: list[str], told: str) -> None:
    """One sentence on standard error, exit code 2."""
    (echo / "latin.txt").write_bytes(b"caf\xe9")
    (echo / "bad.json").write_text("[1,", encoding="utf-8")
    done = thena("run", "echo.py:app", *arguments, cwd=echo)
    assert ("", 2, 1) == (done.stdout, done.returncode, done.stderr.count("\n"))
    assert f"thena: {told}" == done.stderr[: len(f"thena: {told}")]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["app", "--state", "[]"], "the state is no JSON object. "),
        (["app", "--state", '{"facts": []}'], "the conversation has no bucket `facts`. "),
        (["app", "--state", '{"history": [1]}'], "`history` of the state has something that is no message. "),
        (["app", "--budget", "calls=-1"], "`max_chat_calls` of `Budget` is -1. "),
        (["typed"], "the run needs data of which a `Account` can be made. Give `--data '{...}'`."),
        (["typed", "--data", '{"limit": 1}'], "the data is no `Account`: Field required at `name`. "),
    ],
)
def test_what_a_run_cant_take_is_told_like_a_usage_error(echo: Path, arguments: list[str], told: str) -> None:
    """The app refuses it, in a sentence, with exit code 2 and without a traceback."""
    name, *options = arguments
    done = thena("run", f"echo.py:{name}", *options, cwd=echo)
    assert ("", 2, False) == (done.stdout, done.returncode, "Traceback" in done.stderr)
    assert f"✗ arguments  {told}" in done.stderr


def test_what_models_say_is_streamed_and_the_result_not_said_twice(echo: Path) -> None:
    """Each turn is a line; what follows is only what wasn't said."""
    (echo / "talk.py").write_text(
        ECHO.replace("[echo]", '["one two", "three"]').replace('f"{response} | data: {ctx.data!r}"', "response"),
        encoding="utf-8",
    )
    done = thena("run", "talk.py:thrice", "--stream", cwd=echo)
    assert ("one two\nthree\nthree\n", 0) == (done.stdout, done.returncode)
    assert "✓ workflow Thrice  <t>" in timeless(done.stderr).splitlines()
    tokens = [
        json.loads(line) for line in thena("run", "talk.py:app", "--stream", "--json", cwd=echo).stdout.splitlines()
    ]
    said = [(token["text"], token["agent"], token["turn"]) for token in tokens if token["type"] == "token"]
    assert [("one ", "Echo", 1), ("two", "Echo", 1)] == said


def test_a_log_is_written_beside_everything_else(echo: Path) -> None:
    """It has the tree with details, and the output is what it is without it."""
    done = thena("run", "echo.py:app", "hi", "--log", "run.log", cwd=echo)
    log = timeless((echo / "run.log").read_text(encoding="utf-8")).splitlines()
    assert ("system: p | user: hi | data: {}\n", "[thena] ▸ workflow Flow") == (done.stdout, log[0])
    assert "[thena] ◂ workflow Flow  <t> ✓" in log


def test_a_traceback_is_shown_whole_when_it_is_asked_for(echo: Path) -> None:
    """Otherwise an error with a code has none, and another one has the lines of the user's own code."""
    (echo / "down.py").write_text(
        ECHO.replace("    return", "    raise OSError('down')\n    return", 1), encoding="utf-8"
    )
    plain = thena("run", "down.py:app", cwd=echo).stderr
    whole = [
        thena("run", "down.py:app", "--traceback", cwd=echo).stderr,
        thena("dev", "down.py:app", "--once", "--traceback", cwd=echo).stdout,
    ]
    assert (False, [True, True]) == ("thena_runtime" in plain, [f"thena_runtime{os.sep}run" in each for each in whole])
    assert (True, [True, True]) == ("in echo" in plain, ["in echo" in each for each in whole])

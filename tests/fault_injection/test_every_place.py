"""A run that is broken in every place, one at a time: every model call, every tool, every await, every event.

Whatever the place: the run ends in the fault itself or goes on past it, what was finished is kept, no task is left,
every clean-up was done once, and every node was closed.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.fault_injection.scenario import (
    CHATS,
    TOOLS,
    BrokenModelError,
    BrokenToolError,
    Everything,
    Ledger,
    said,
    texts,
)
from tests.fault_injection.suspensions import counted
from thena_runtime import FatalToolError, RunAborted, RunHandle, Thena
from thena_runtime.run.turn import INTERRUPTED
from thena_runtime.testing import Recorded, recorded

ROOT = Path(__file__).parents[2]


async def whole() -> Recorded:
    """The run as it is when nothing fails."""
    return await recorded(Thena(Everything).run("go", data=Ledger()))


def assert_sound(run: Recorded, ledger: Ledger, complete: Recorded) -> None:
    """Check what holds after every fault."""
    assert [] == [node for node in run.root.walk() if node.status is None], "a node was left open"
    with ledger.opening:
        assert sorted(ledger.opened) == sorted(ledger.cleaned), "a clean-up was left out, or done twice"
    assert ledger.providers_made == ledger.providers_closed
    history = run.conversation.history
    assert said(run.root) == len(history), "the history isn't what was said"
    asked = [call.id for message in history for call in message.tool_calls]
    assert asked == [message.tool_call_id for message in history if message.role == "tool"], "a call has no answer"
    rest = iter(texts(complete.conversation.history))
    strange = [said for said in texts(history) if said != ("tool", INTERRUPTED) and said not in rest]
    assert [] == strange, "the history isn't a part of the whole, in its order"


# -- the run itself


async def test_without_a_fault_the_run_is_the_one_that_is_broken_below() -> None:
    """The numbers of calls are what the other tests count up to."""
    ledger = Ledger()
    run = await recorded(Thena(Everything).run("go", data=ledger))

    assert "the end" == run.output
    assert (CHATS, TOOLS) == (ledger.chats, ledger.tools)
    assert 18 == said(run.root) == len(run.conversation.history)
    assert_sound(run, ledger, run)


# -- the n-th model call


@pytest.mark.parametrize("number", range(1, CHATS + 1))
async def test_a_model_call_that_fails_ends_the_run_with_its_own_error(number: int) -> None:
    """The very error is raised, and everything that was finished before is kept."""
    before = asyncio.all_tasks()
    ledger = Ledger(fail_chat=number)
    async with Thena(Everything) as app:
        run = await recorded(app.run("go", data=ledger), raises=BrokenModelError)

    assert f"model call {number}" == str(run.error)
    assert "error" == run.root.status
    assert_sound(run, ledger, await whole())
    assert before == asyncio.all_tasks()


# -- the n-th tool


@pytest.mark.parametrize("number", range(1, TOOLS + 1))
async def test_a_tool_that_fails_is_an_observation_and_the_run_goes_on(number: int) -> None:
    """The model is told what the tool raised, and the run ends as it would have."""
    before = asyncio.all_tasks()
    ledger = Ledger(fail_tool=number)
    async with Thena(Everything) as app:
        run = await recorded(app.run("go", data=ledger))

    assert "the end" == run.output
    assert [BrokenToolError(f"tool call {number}").args] == [
        (node.error,) for node in run.root.all("tool") if node.error
    ]
    assert (CHATS, TOOLS) == (ledger.chats, ledger.tools)
    assert said(run.root) == len(run.conversation.history)
    assert sorted(ledger.opened) == sorted(ledger.cleaned)
    assert ledger.providers_made == ledger.providers_closed
    assert before == asyncio.all_tasks()


@pytest.mark.parametrize("number", range(1, TOOLS + 1))
async def test_a_tool_that_ends_the_run_ends_it_anywhere(number: int) -> None:
    """A fatal error goes through loops, branches and nested workflows, and what was finished is kept."""
    before = asyncio.all_tasks()
    ledger = Ledger(fail_tool=number, tool_fault=FatalToolError)
    async with Thena(Everything) as app:
        run = await recorded(app.run("go", data=ledger), raises=FatalToolError)

    assert isinstance(run.error, FatalToolError) and run.error.args == (f"tool call {number}",)
    assert_sound(run, ledger, await whole())
    assert before == asyncio.all_tasks()


# -- the n-th await


async def broken_at(
    number: int | None, break_off: Callable[[RunHandle, Ledger], object]
) -> tuple[int, Recorded, Ledger]:
    """Run everything and break it off at the n-th suspension of any task of the run. Returns how many there were."""
    ledger = Ledger()
    handles: list[RunHandle] = []
    async with Thena(Everything) as app:
        with counted(number, lambda: break_off(handles[0], ledger)) as suspensions:
            handles.append(app.run("go", data=ledger))
            run = await recorded(handles[0], raises=() if number is None else RunAborted)
    return suspensions.count, run, ledger


async def test_an_abort_at_any_await_ends_the_run_there() -> None:
    """Wherever a run waits, an abort ends it at that await and with its reason: nothing more is begun."""
    complete = await whole()
    places, _, _ = await broken_at(None, lambda *_: None)
    assert places > 3 * (CHATS + TOOLS) / 2

    for number in range(1, places + 1):
        before = asyncio.all_tasks()
        begun: list[object] = []

        def abort(handle: RunHandle, ledger: Ledger, begun: list[object] = begun) -> None:
            begun.append(ledger.begun())
            handle.abort("enough")

        _, run, ledger = await broken_at(number, abort)
        assert isinstance(run.error, RunAborted)
        assert "enough" == run.error.reason
        assert_sound(run, ledger, complete)
        assert before == asyncio.all_tasks()
        assert begun == [ledger.begun()], "a model or a tool was called after the abort"


async def test_leaving_at_any_await_ends_the_run_there() -> None:
    """Who waits inside `async with app.run(...)` may be cancelled at any await of the run, and takes the run along."""
    complete = await whole()
    places, _, _ = await broken_at(None, lambda *_: None)

    for number in range(1, places + 1):
        before = asyncio.all_tasks()
        ledger = Ledger()
        app = Thena(Everything)
        handles: list[RunHandle] = []

        async def wait(app: Thena, ledger: Ledger, handles: list[RunHandle], number: int, leave: list[object]) -> None:
            with counted(number, lambda: leave[0].cancel()):  # type: ignore[attr-defined]
                async with app.run("go", data=ledger) as handle:
                    handles.append(handle)
                    await handle

        leave: list[object] = []
        waiting = asyncio.create_task(wait(app, ledger, handles, number, leave))
        leave.append(waiting)
        with pytest.raises(asyncio.CancelledError):
            await waiting

        run = await recorded(handles[0], raises=RunAborted)
        await app.close()
        assert_sound(run, ledger, complete)
        assert before == asyncio.all_tasks()


# -- the n-th event


def child(folder: Path) -> "subprocess.Popen[str]":
    """Start a child that runs a workflow with a loop, a tool and branches, and says when it cleaned up."""
    return subprocess.Popen(
        [sys.executable, "-m", "thena_runtime.child", "flow:Flow"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


FLOW = """
from pathlib import Path
from thena_runtime import *

@Tool(name="note", description="Note.")
class Note:
    async def execute(self, text: str) -> str:
        return text

@Agent(provider=ScriptedProvider([tool_call("note", text="a")]), prompt=Prompt("p"), tools=[Note])
class Noting:
    def before_prompt(self, prompt: str, ctx: Context) -> None:
        if not ctx.get("opened"):
            ctx.opened = True
            ctx.on_dispose(lambda: Path("cleaned").write_text("once", encoding="utf-8"))

@Agent(provider=ScriptedProvider(["branch"]), prompt=Prompt("p"))
class Branch: ...

@Agent(provider=ScriptedProvider(["the end"]), prompt=Prompt("p"))
class Last:
    def after_response(self, response: str) -> None:
        Path("reached").write_text(response, encoding="utf-8")

@Workflow(steps=[loop([Noting], until=lambda ctx: True), parallel([Branch, Branch]), Last])
class Flow: ...
"""


def run_until(folder: Path, lines: int | None) -> tuple[list[str], int, str]:
    """Read so many lines of a child, close the pipe, and wait for its end."""
    folder.mkdir()
    (folder / "flow.py").write_text(FLOW, encoding="utf-8")
    process = child(folder)
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        read = [
            line for _, line in zip(range(lines) if lines is not None else iter(int, 1), process.stdout, strict=False)
        ]
        process.stdout.close()
        code = process.wait(timeout=60)
        return read, code, process.stderr.read()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_a_pipe_that_is_closed_at_any_event_ends_nothing(tmp_path: Path) -> None:
    """A parent that stops reading changes nothing for the child: it comes to its end, and its clean-ups are done."""
    lines, code, _ = run_until(tmp_path / "whole", None)
    assert 0 == code
    assert "result" == json.loads(lines[-1])["type"]

    def check(count: int) -> None:
        folder = tmp_path / str(count)
        read, code, complaint = run_until(folder, count)
        assert (count, 0, "") == (len(read), code, complaint)
        assert "the end" == (folder / "reached").read_text("utf-8")
        assert "once" == (folder / "cleaned").read_text("utf-8")

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(check, range(len(lines))))

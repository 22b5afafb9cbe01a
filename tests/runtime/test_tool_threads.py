"""The threads of sync tools: what runs in them, and that one which is left behind holds up nobody."""

import asyncio
import contextvars
import gc
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from thena_runtime import (
    Agent,
    Prompt,
    RunAborted,
    ScriptedProvider,
    Thena,
    Workflow,
    current_context,
    parallel,
    tool_call,
)
from thena_runtime.messages import Message
from thena_runtime.testing import Recorded, record

ROOT = Path(__file__).parents[2]
MANY = 100
LONGEST_WAIT = 60


def flow(tool: Callable[..., object], *, branches: int = 1) -> type:
    """A workflow whose agents, all at the same time, call a tool once."""

    @Agent(provider=ScriptedProvider([tool_call(tool.__name__)]), prompt=Prompt("p"), tools=[tool])
    class Caller:
        pass

    @Workflow(steps=[parallel([Caller] * branches)])
    class Flow:
        pass

    return Flow


def told(run: Recorded) -> Message:
    """What the model was told."""
    return run.conversation.history[-1]


async def abandon(tool: Callable[..., object], begun: threading.Semaphore, *, branches: int = 1) -> None:
    """Abort a run once all its sync tools have begun."""
    handle = Thena(flow(tool, branches=branches)).run("go")
    for _ in range(branches):
        assert await asyncio.to_thread(begun.acquire, timeout=LONGEST_WAIT)
    handle.abort("enough")
    with pytest.raises(RunAborted):
        await handle


async def test_tools_that_were_left_behind_hold_up_nobody() -> None:
    """However many aborted runs have a tool that still hangs, the tools of another run begin at once."""
    begun, release = threading.Semaphore(0), threading.Event()

    def hang() -> str:
        """Hang."""
        begun.release()
        release.wait(LONGEST_WAIT)
        return "late"

    def work() -> str:
        """Work."""
        return "done"

    try:
        for _ in range(4):
            await abandon(hang, begun, branches=MANY)
        async with asyncio.timeout(LONGEST_WAIT):
            assert "done" == await Thena(flow(work)).run("go")
    finally:
        release.set()


async def test_many_tools_run_at_the_same_time() -> None:
    """A hundred that wait for each other all come to their end."""
    together = threading.Barrier(MANY)

    def meet() -> str:
        """Meet the others."""
        together.wait(LONGEST_WAIT)
        return "met"

    run = await record(flow(meet, branches=MANY))

    assert ["met"] * MANY == [each.content for each in run.conversation.history if each.role == "tool"]


async def test_more_tools_than_there_may_be_threads_take_turns() -> None:
    """The number of threads at work in an event loop has an end, and everybody's turn comes."""
    lock = threading.Lock()
    at_work: set[int] = set()
    most = 0
    both = threading.Event()

    def work() -> str:
        """Work."""
        nonlocal most
        with lock:
            at_work.add(threading.get_ident())
            most = max(most, len(at_work))
            if most == 200:
                both.set()
        both.wait(LONGEST_WAIT)
        with lock:
            at_work.discard(threading.get_ident())
        return "worked"

    run = await record(flow(work, branches=300))

    assert ["worked"] * 300 == [each.content for each in run.conversation.history if each.role == "tool"]
    assert 200 == most


async def test_a_thread_keeps_nothing_of_the_call_that_it_made() -> None:
    """What a tool returned can go while its thread waits for the next call."""

    class Big:
        def __str__(self) -> str:
            return "big"

    kept: list[weakref.ref[Big]] = []
    variable: contextvars.ContextVar[Big] = contextvars.ContextVar("variable")

    def work() -> str:
        """Work."""
        big = Big()
        kept.append(weakref.ref(big))
        variable.set(big)
        raise LookupError(big)

    assert "big" == told(await record(flow(work))).content
    # The thread tells the end of the call before it leaves the call itself.
    async with asyncio.timeout(LONGEST_WAIT):
        while kept[0]() is not None:
            gc.collect()
            await asyncio.sleep(0.001)


async def test_context_variables_are_copied_into_the_thread() -> None:
    """A tool sees those of its run, and what it sets there is gone afterwards."""
    variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="none")
    variable.set("of the caller")

    def look() -> str:
        """Look."""
        seen = f"{variable.get()}, run {current_context().run_id}"
        variable.set("of the tool")
        return seen

    handle = Thena(flow(look)).run("go")

    assert f"of the caller, run {handle.run_id}" == await handle
    assert "of the caller" == variable.get()


async def test_a_sync_tool_may_have_an_event_loop_of_its_own() -> None:
    """`asyncio.run` works in it, and so does another app's `run_sync`, whose tools are sync too."""

    def inner() -> str:
        """Work."""
        return "inner"

    async def later() -> str:
        await asyncio.sleep(0)
        return "later"

    def outer() -> str:
        """Run something."""
        return f"{asyncio.run(later())}, {Thena(flow(inner)).run_sync('go')}"

    assert "later, inner" == (await record(flow(outer))).output


@pytest.mark.parametrize("depth", [5, 40])
def test_apps_that_run_in_each_others_tools_do_not_wait_for_each_other(depth: int) -> None:
    """Each has an event loop of its own, and threads of its own."""

    def work() -> str:
        """Work."""
        return "at the bottom" if current_context().data == 0 else str(run(current_context().data - 1))

    app = Thena(flow(work, branches=1))

    def run(left: int) -> object:
        return app.run_sync("go", data=left)

    assert "at the bottom" == run(depth)


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_what_ends_the_process_ends_it_from_a_thread_too(kind: type[BaseException]) -> None:
    """`sys.exit` in a sync tool does what it does in an async one."""

    def leave() -> None:
        """Leave."""
        raise kind("enough")

    with pytest.raises(kind, match="enough"):
        Thena(flow(leave)).run_sync("go")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (StopIteration("x"), "the tool raised StopIteration"),
        (StopAsyncIteration("no more"), "no more"),
        (asyncio.CancelledError(), "the tool was cancelled"),
        (TimeoutError("too slow"), "too slow"),
        (ExceptionGroup("several", [ValueError("x")]), "several (1 sub-exception)"),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_an_exception_in_the_thread_is_an_observation(error: BaseException, text: str) -> None:
    """Those with a meaning of their own for generators, tasks and futures are told like any other."""

    def fail() -> None:
        """Fail."""
        raise error

    async with asyncio.timeout(30):
        run = await record(flow(fail))

    assert (text, True) == (told(run).content, told(run).is_error)


def test_a_tool_may_outlive_its_event_loop(capfd: pytest.CaptureFixture[str]) -> None:
    """`run_sync` doesn't wait for a tool that was left behind, and that has nobody to tell then."""
    release, ended = threading.Event(), threading.Event()

    def hang() -> str:
        """Hang."""
        current_context().abort("enough")
        release.wait(LONGEST_WAIT)
        ended.set()
        return "too late"

    def work() -> str:
        """Work."""
        return "done"

    with pytest.raises(RunAborted):
        Thena(flow(hang)).run_sync("go")
    assert not ended.is_set()
    release.set()
    assert ended.wait(LONGEST_WAIT)
    assert "done" == Thena(flow(work)).run_sync("go")

    assert ("", "") == capfd.readouterr()


PROGRAM = """
import os, sys, time
from thena_runtime import (
    Agent, Budget, Prompt, RunAborted, ScriptedProvider, Thena, Workflow, current_context, parallel, tool_call
)

def hang() -> str:
    "Hang."
    time.sleep(600)
    return "late"

def work() -> str:
    "Work."
    return "done"

def flow(tool, branches=1):
    @Agent(provider=ScriptedProvider([tool_call(tool.__name__)]), prompt=Prompt("p"), tools=[tool])
    class Caller: ...

    @Workflow(steps=[parallel([Caller] * branches)])
    class Flow: ...

    Flow.__module__ = Caller.__module__ = "thena_runtime"
    return Flow
"""


def run_program(body: str) -> tuple[str, str, int]:
    """What a program prints, and how it ends."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + body],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout, done.stderr, done.returncode


def test_a_thread_is_used_again() -> None:
    """One call after the other needs one thread. A process of its own has no other that waits."""
    body = """
import threading

threads = set()

def note() -> str:
    "Note."
    threads.add(threading.get_ident())
    return "noted"

app = Thena(flow(note))
for _ in range(20):
    app.run_sync("go")
print(len(threads))
"""
    assert ("1\n", "", 0) == run_program(body)


@pytest.mark.parametrize("ending", ["return 'too late'", "raise LookupError('too late')", "raise SystemExit(3)"])
def test_what_becomes_of_a_tool_that_was_left_behind_is_nobodys_business(ending: str) -> None:
    """Its result and its error go nowhere, nothing is printed, and its thread makes other calls afterwards."""
    body = f"""
import threading

release, threads = threading.Event(), set()

def late() -> str:
    "Come late."
    late.thread = threading.get_ident()
    current_context().abort("enough")
    release.wait(60)
    {ending}

def meet() -> str:
    "Meet another."
    threads.add(threading.get_ident())
    both.wait(60)
    return "met"

try:
    Thena(flow(late)).run_sync("go")
except RunAborted:
    release.set()
# As long as the thread isn't back, others meet: one more each time, for those that came last are taken first.
count = 1
while late.thread not in threads:
    count += 1
    both = threading.Barrier(count)
    Thena(flow(meet, branches=count)).run_sync("go")
print("back")
"""
    assert ("back\n", "", 0) == run_program(body)


def test_the_process_ends_while_a_tool_hangs() -> None:
    """A program that gave a tool up comes to its end, and is silent about it."""
    body = """
print(Thena(flow(hang)).run_sync("go", budget=Budget(max_duration=0.3)))
print(Thena(flow(work)).run_sync("go"))
"""
    assert ("None\ndone\n", "", 0) == run_program(body)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system with `fork`")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_was_forked_has_threads_of_its_own() -> None:
    """Those that wait in the parent aren't there in the child, which starts others."""
    body = """
import warnings
warnings.simplefilter("ignore")
app = Thena(flow(work))
app.run_sync("go")
child = os.fork()
if child == 0:
    print("child", app.run_sync("go"), flush=True)
    os._exit(0)
os.waitpid(child, 0)
print("parent", app.run_sync("go"))
"""
    assert ("child done\nparent done\n", "", 0) == run_program(body)

"""The table of faults: what a tool, a model, a connection, a clean-up or a log can do wrong, and what comes of it.

Each ends in an observation that the model is told, or in a typed error; what was finished before is kept either way.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from tests.support.loopback import Answer, LoopbackServer, serving
from thena_runtime import (
    Agent,
    Context,
    FatalToolError,
    Message,
    OpenAIProvider,
    Prompt,
    ProviderError,
    RetryPolicy,
    RunAborted,
    ScriptedCall,
    ScriptedProvider,
    Thena,
    ThenaConfig,
    Tool,
    Workflow,
    loop,
    tool_call,
    until_answered,
)
from thena_runtime.observability.console import ConsoleLog
from thena_runtime.steps import Step
from thena_runtime.testing import FakeClock, Recorded, record, recorded

ROOT = Path(__file__).parents[2]


def flow(*steps: Step) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps)
    class Flow:
        pass

    return Flow


@Tool(name="pick", description="Pick some.")
class Pick:
    """A tool with a typed argument, which refuses a dozen."""

    async def execute(self, count: int) -> str:
        """Pick."""
        if count == 12:
            raise LookupError("there are no more than eleven")
        return f"picked {count}"


async def picking(*turns: object, **options: object) -> Recorded:
    """Run an agent with the tool until it answers."""

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=[Pick], **options)  # type: ignore[call-overload]
    class Picker:
        pass

    return await record(flow(loop([Picker], until=until_answered)))


def observations(run: Recorded) -> list[tuple[str, bool]]:
    """What the model was told of its calls."""
    return [(each.content, each.is_error) for each in run.conversation.history if each.role == "tool"]


# -- tools


@pytest.mark.behaviour("T193", "T203")
async def test_a_tool_that_raises_is_an_observation() -> None:
    """The model is told the text of the exception, and goes on."""
    run = await picking(tool_call("pick", count=12), tool_call("pick", count=3), "done")

    assert [("there are no more than eleven", True), ("picked 3", False)] == observations(run)
    assert "done" == run.output


@pytest.mark.behaviour("T195")
async def test_an_unknown_tool_is_an_observation() -> None:
    """The model is told which tools there are."""
    run = await picking(tool_call("pluck", count=1), "done")

    assert [("there is no tool `pluck`; available: `pick`", True)] == observations(run)
    assert "done" == run.output


@pytest.mark.behaviour("T196")
@pytest.mark.parametrize("arguments", [{"count": "many"}, {}, {"count": None}])
async def test_arguments_of_wrong_types_are_an_observation(arguments: dict[str, object]) -> None:
    """The model is told the tool, the argument and what is wrong with it; the tool isn't executed."""
    run = await picking(ScriptedCall("pick", arguments), "done")

    [(text, is_error)] = observations(run)
    assert text.startswith("invalid arguments for tool `pick`: ")
    assert is_error
    assert "done" == run.output


@pytest.mark.parametrize("arguments", ['{"count": 1', "[1]", "", "count=1", 7, None, [1, 2]])
async def test_arguments_that_are_no_json_object_are_an_observation(arguments: object) -> None:
    """Whatever a model puts in the place of its arguments, it is told."""
    run = await picking(ScriptedCall("pick", arguments), "done")

    [(text, is_error)] = observations(run)
    assert text.startswith("invalid arguments for tool `pick`: ")
    assert is_error
    assert "done" == run.output


async def test_some_of_several_calls_that_fail_lose_none_of_the_others() -> None:
    """Each call is answered in its place, whatever became of its neighbours."""
    calls = [
        tool_call("pick", count=1),
        tool_call("pick", count=12),
        tool_call("pluck", count=1),
        tool_call("pick", count="many"),
        ScriptedCall("pick", '{"count": 1'),
        tool_call("pick", count=2),
    ]
    run = await picking(calls, "done", tool_calls="all")

    told = observations(run)
    assert [False, True, True, True, True, False] == [is_error for _, is_error in told]
    assert ("picked 1", "there are no more than eleven", "picked 2") == (told[0][0], told[1][0], told[5][0])
    asked, *answered = run.conversation.history[1:8]
    assert [call.id for call in asked.tool_calls] == [message.tool_call_id for message in answered]
    assert "done" == run.output


async def test_only_the_first_of_several_calls_may_fail_where_one_is_executed() -> None:
    """The others are answered with what became of them, so that every call has its answer."""
    run = await picking([tool_call("pick", count=12), tool_call("pick", count=1)], "done")

    (first, failed), (second, _) = observations(run)
    assert ("there are no more than eleven", True) == (first, failed)
    assert second.startswith("not executed")
    assert "done" == run.output


@pytest.mark.parametrize("end", ["abort", "fatal"])
async def test_what_was_finished_is_kept_when_a_call_beside_it_ends_the_run(end: str) -> None:
    """The finished call keeps its result, and the one that was cut off says so, so that the conversation can go on."""
    hanging = asyncio.Event()

    @Tool(name="quick", description="Be quick.")
    class Quick:
        async def execute(self) -> str:
            return "quick result"

    @Tool(name="slow", description="Be slow.")
    class Slow:
        async def execute(self) -> None:
            hanging.set()
            await asyncio.Event().wait()

    @Tool(name="end", description="End the run.")
    class End:
        async def execute(self, ctx: Context) -> None:
            await hanging.wait()
            if end == "fatal":
                raise FatalToolError("the end")
            ctx.abort("the end")
            await asyncio.sleep(0)

    provider = ScriptedProvider([[tool_call("quick"), tool_call("slow"), tool_call("end")]])

    @Agent(provider=provider, prompt=Prompt("p"), tools=[Quick, Slow, End], tool_calls="all")
    class Several:
        pass

    before = asyncio.all_tasks()
    async with asyncio.timeout(10):
        run = await record(flow(Several), raises=(FatalToolError, RunAborted))

    cut = "not finished: the run was ended before this call was over. It may have had an effect or none."
    assert [("quick result", False), (cut, False), (cut, False)] == observations(run)
    assert ["ok", "cancelled"] == [run.root.only("tool", name).status for name in ("quick", "slow")]
    assert before == asyncio.all_tasks()


async def test_a_tool_that_hangs_ends_with_an_abort() -> None:
    """The run ends with the reason, the tool's own `finally` has run, and the conversation can be taken up again."""
    hanging = asyncio.Event()
    ended: list[str] = []

    @Tool(name="hang", description="Hang.")
    class Hang:
        async def execute(self) -> None:
            hanging.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("hang")

    @Agent(provider=ScriptedProvider(["first"]), prompt=Prompt("p"))
    class First:
        pass

    @Agent(provider=ScriptedProvider([tool_call("hang")]), prompt=Prompt("p"), tools=[Hang])
    class Hanging:
        pass

    before = asyncio.all_tasks()
    async with asyncio.timeout(10):
        handle = Thena(flow(First, Hanging)).run("go")
        await hanging.wait()
        handle.abort(TimeoutError("long enough"))
        run = await recorded(handle, raises=TimeoutError)

    assert "long enough" == str(run.error)
    assert ["hang"] == ended
    said, [asked, answered] = run.conversation.history[:2], run.conversation.history[2:]
    assert (Message("user", "go"), Message("assistant", "first")) == said
    assert [answered.tool_call_id] == [call.id for call in asked.tool_calls]
    assert answered.content.startswith("not finished: the run was ended before this call was over.")
    assert "cancelled" == run.root.only("tool", "hang").status
    assert before == asyncio.all_tasks()


async def test_a_sync_tool_that_hangs_does_not_keep_an_aborted_run() -> None:
    """A thread can't be interrupted, but the run doesn't wait for it."""
    release = asyncio.Event()
    started = asyncio.Event()
    loop_ = asyncio.get_running_loop()
    stop: list[str] = []

    @Tool(name="hang", description="Hang.")
    class Hang:
        def execute(self) -> None:
            loop_.call_soon_threadsafe(started.set)
            while not stop:
                time.sleep(0.005)
            loop_.call_soon_threadsafe(release.set)

    @Agent(provider=ScriptedProvider([tool_call("hang")]), prompt=Prompt("p"), tools=[Hang])
    class Hanging:
        pass

    async with asyncio.timeout(10):
        handle = Thena(flow(Hanging)).run("go")
        await started.wait()
        handle.abort("enough")
        await recorded(handle, raises=RunAborted)
        assert not release.is_set()
        stop.append("now")
        await release.wait()


@pytest.mark.behaviour("T198", "T199")
async def test_a_tool_that_ends_the_run_keeps_its_message_and_its_cause() -> None:
    """The cause is for the caller; the model isn't called again."""
    cause = OSError("/secret/path is full")
    provider = ScriptedProvider([tool_call("store"), "never"])

    @Tool(name="store", description="Store.")
    class Store:
        async def execute(self) -> None:
            raise FatalToolError("nothing can be stored") from cause

    @Agent(provider=provider, prompt=Prompt("p"), tools=[Store])
    class Storing:
        pass

    run = await record(flow(loop([Storing], until=until_answered)), raises=FatalToolError)

    assert isinstance(run.error, FatalToolError)
    assert "[thena] THN704 `store` ends the run: nothing can be stored" == str(run.error)
    assert run.error.__cause__ is cause
    assert 1 == len(provider.calls)


# -- models


OK = Answer(body={"choices": [{"message": {"role": "assistant", "content": "answered"}}]})


@asynccontextmanager
async def asking(*answers: Answer, attempts: int = 1) -> AsyncIterator[tuple[type, LoopbackServer, FakeClock]]:
    """A workflow that has said one thing, and then asks a real server over a real connection."""
    clock = FakeClock(passes=True)
    async with serving(*answers) as server:

        @Agent(provider=ScriptedProvider(["first"]), prompt=Prompt("p"))
        class First:
            pass

        provider = OpenAIProvider(
            "m", base_url=server.url, api_key="sk-secret-key", retry=RetryPolicy(max_attempts=attempts), clock=clock
        )

        @Agent(provider=provider, prompt=Prompt("p"))
        class Asking:
            pass

        yield flow(First, Asking), server, clock


def assert_typed(run: Recorded, status: int | None, *, retryable: bool) -> None:
    """Check that the run ended in a provider's error, and kept what was said before."""
    assert isinstance(run.error, ProviderError)
    assert (status, retryable) == (run.error.status, run.error.retryable)
    assert "sk-secret-key" not in f"{run.error} {run.error.body} {[event.to_json() for event in run.events]}"
    assert ["go", "first"] == [message.content for message in run.conversation.history]
    assert ["ok", "error"] == [node.status for node in run.root.all("chat")]


@pytest.mark.behaviour("W45")
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
async def test_a_refused_request_is_a_typed_error_at_once(status: int) -> None:
    """A 4xx isn't tried again, and the error has its status and its body."""
    async with asking(Answer(status=status, body={"error": {"message": "no"}}), attempts=3) as (workflow, server, _):
        run = await record(workflow, raises=ProviderError)

    assert_typed(run, status, retryable=False)
    assert 1 == len(server.asked)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
async def test_a_server_in_trouble_is_asked_again_and_then_a_typed_error(status: int) -> None:
    """A 429 or 5xx is tried again as often as the policy says; a trouble that passes leaves no trace but a count."""
    async with asking(Answer(status=status, body="busy"), attempts=3) as (workflow, server, _):
        run = await record(workflow, raises=ProviderError)
    assert_typed(run, status, retryable=True)
    assert 3 == len(server.asked)

    async with asking(Answer(status=status, body="busy"), OK, attempts=3) as (workflow, server, _):
        run = await record(workflow)
    assert "answered" == run.output
    assert 2 == run.root.all("chat")[-1].data["attempts"]


async def test_a_server_that_says_when_is_asked_then() -> None:
    """A `Retry-After` is kept to."""
    async with asking(Answer(status=429, headers={"retry-after": "17"}), OK, attempts=2) as (workflow, _, clock):
        run = await record(workflow)

    assert "answered" == run.output
    assert [17] == clock.slept


async def test_a_connection_that_is_lost_in_the_middle_of_the_body_is_a_typed_error() -> None:
    """Half an answer is none: it is asked for again, and then a typed error."""
    cut = Answer(body=OK.body, cut=True)
    async with asking(cut, attempts=2) as (workflow, server, _):
        run = await record(workflow, raises=ProviderError)
    assert_typed(run, None, retryable=True)
    assert 2 == len(server.asked)

    async with asking(cut, OK, attempts=2) as (workflow, _, _):
        assert "answered" == (await record(workflow)).output


@pytest.mark.parametrize("then", ["cut", "end"])
async def test_a_stream_that_ends_in_the_middle_is_a_typed_error_and_what_was_said_is_kept(then: str) -> None:
    """Half an answer is never taken for a whole one, nor asked for again once it was heard."""
    chunks = [f'data: {{"choices": [{{"delta": {{"content": "{word}"}}}}]}}\n\n' for word in ("half ", "an ")]
    async with asking(Answer(chunks=chunks, then=then), OK, attempts=3) as (workflow, server, _):  # type: ignore[arg-type]
        heard: list[str] = []
        handle = Thena(workflow).run("go")
        handle.on_token(lambda token: heard.append(token.text))
        run = await recorded(handle, raises=ProviderError)

    assert_typed(run, run.error.status, retryable=False)  # type: ignore[union-attr]
    assert 1 == len(server.asked)
    assert "firsthalf an" == "".join(heard).strip()
    assert "half an" == handle.partial_text.strip()


@pytest.mark.parametrize(
    "body", ["", "<html>no</html>", {}, {"choices": []}, {"choices": [{}]}, "null", '{"choices": [{"message"']
)
async def test_an_answer_that_is_none_is_a_typed_error(body: object) -> None:
    """An empty body, another page, or JSON without a message."""
    async with asking(Answer(body=body)) as (workflow, _, _):
        run = await record(workflow, raises=ProviderError)

    assert isinstance(run.error, ProviderError)
    assert_typed(run, 200, retryable=run.error.retryable)


@pytest.mark.parametrize("content", ["", None])
async def test_an_empty_text_is_an_answer(content: str | None) -> None:
    """A model that says nothing has answered with nothing."""
    async with asking(Answer(body={"choices": [{"message": {"content": content}}]})) as (workflow, _, _):
        run = await record(workflow)

    assert "" == run.output
    assert Message("assistant", "") == run.conversation.history[-1]


async def test_an_abort_ends_a_request_that_is_on_its_way() -> None:
    """The connection is given up, and the run ends with the reason."""
    async with asking(Answer(silent=True)) as (workflow, server, _):
        async with asyncio.timeout(10):
            handle = Thena(workflow).run("go")
            await server.wait_for(1)
            handle.abort("enough")
            run = await recorded(handle, raises=RunAborted)
            await server.abandoned.wait()

    assert ["go", "first"] == [message.content for message in run.conversation.history]


# -- clean-ups


async def test_an_abort_during_the_clean_ups_cuts_none_of_them_off() -> None:
    """Each is done to its end, and the run ends with the reason."""
    done: list[str] = []
    cleaning = asyncio.Event()

    async def slow(name: str) -> None:
        cleaning.set()
        await asyncio.sleep(0.01)
        done.append(name)

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Opening:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            ctx.on_dispose(lambda: slow("first"))
            ctx.on_dispose(lambda: slow("second"))

    async with asyncio.timeout(10):
        handle = Thena(flow(Opening)).run("go")
        await cleaning.wait()
        handle.abort("enough")
        await recorded(handle, raises=RunAborted)

    assert ["second", "first"] == done


@pytest.mark.parametrize("start", ["run", "run_sync"])
async def test_an_abort_out_of_a_clean_up_is_an_abort(start: str) -> None:
    """A clean-up that aborts at the last moment, without a wait after it, ends the run with its reason."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Opening:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            ctx.on_dispose(lambda: ctx.abort("at the very end"))

    app = Thena(flow(Opening))
    with pytest.raises(RunAborted, match="at the very end"):
        if start == "run":
            await app.run("go")
        else:
            await asyncio.to_thread(app.run_sync, "go")


async def test_a_clean_up_whose_own_work_is_cancelled_has_failed_and_no_more() -> None:
    """It is told like any other that failed, and the run keeps its output."""
    done: list[str] = []

    async def cancelled() -> None:
        raise asyncio.CancelledError

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Opening:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            ctx.on_dispose(lambda: done.append("other"))
            ctx.on_dispose(cancelled)

    run = await record(flow(Opening))

    assert ("ok", ["other"]) == (run.output, done)


# -- the log

FULL = Path("/dev/full")
needs_a_full_disk = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")


@needs_a_full_disk
async def test_a_full_disk_for_the_log_fails_no_run() -> None:
    """Lines that can't be written are lost, and nothing else is."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Speaker:
        pass

    stream = FULL.open("w", encoding="utf-8")
    try:
        app = Thena(flow(Speaker), ThenaConfig(log=ConsoleLog(stream)))
        run = await record(app)
    finally:
        with suppress(OSError):  # what it still holds can't be written either
            stream.close()

    assert "ok" == run.output
    assert "workflow Flow ok\n  agent Speaker ok\n    chat chat ok" == run.tree


PROGRAM = """
from pathlib import Path
from thena_runtime import *

@Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
class Speaker: ...

@Workflow(steps=[Speaker])
class Flow: ...

Path("output").write_text(Thena(Flow, ThenaConfig(log=True)).run_sync("go"), encoding="utf-8")
"""


@needs_a_full_disk
def test_a_program_whose_stdout_is_full_runs_to_its_end(tmp_path: Path) -> None:
    """`log=True` writes to a stdout that takes nothing, and the program's own work is done all the same."""
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    with FULL.open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "program.py"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )

    assert "ok" == (tmp_path / "output").read_text("utf-8")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("raised", [OSError("full"), ValueError("closed"), RuntimeError("odd")])
async def test_a_log_function_that_raises_fails_no_run(raised: Exception) -> None:
    """A listener's own trouble is its own."""

    def log(event: object) -> None:
        raise raised

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Speaker:
        pass

    assert "ok" == (await record(Thena(flow(Speaker), ThenaConfig(log=log)))).output


@pytest.mark.parametrize("mend", [lambda error: "mended", None])
async def test_what_a_model_raises_is_its_very_own_error(mend: Callable[[Exception], str] | None) -> None:
    """`on_error` may answer in its place; without one the run ends with it."""
    raised = ProviderError("the model is tired", status=503, retryable=True)

    @Agent(provider=ScriptedProvider([raised]), prompt=Prompt("p"))
    class Tired:
        def on_error(self, error: Exception) -> str | None:
            assert error is raised
            return None if mend is None else mend(error)

    run = await record(flow(Tired), raises=() if mend else ProviderError)

    assert (("mended", None) if mend else (None, raised)) == (run.output, run.error)

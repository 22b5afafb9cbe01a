"""Runs that are ended on their way: what is interrupted, what may finish its clean-up, and that nothing is left."""

import asyncio
import threading

import pytest

from tests.support.paying import Paying
from thena_runtime import (
    Agent,
    Budget,
    Completion,
    CompletionRequest,
    Context,
    Prompt,
    RunAborted,
    ScriptedProvider,
    Thena,
    ThenaConfig,
    Tool,
    Workflow,
    WorkflowRuntime,
    current_context,
    loop,
    parallel,
    tool_call,
    until_answered,
)
from thena_runtime.steps import Step
from thena_runtime.testing import FakeClock

WORK = tool_call("work")


def flow(*steps: Step) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps)
    class Flow:
        pass

    return Flow


def working(clock: FakeClock, released: list[str], *, at_once: bool = False) -> type:
    """An agent whose tool works for a minute, and needs a second to put away what it used."""

    @Tool(name="work", description="Work.")
    class Work:
        async def execute(self) -> str:
            try:
                await clock.sleep(60)
            finally:
                try:
                    await clock.sleep(1)
                except asyncio.CancelledError:
                    released.append("cut off")
                    raise
                released.append("released")
            return "done"

    calls = [WORK, WORK] if at_once else WORK

    if at_once:

        @Agent(provider=ScriptedProvider([calls]), prompt=Prompt("p"), tools=[Work], tool_calls="all")
        class WorkerOfAll:
            pass

        return WorkerOfAll

    @Agent(provider=ScriptedProvider([calls]), prompt=Prompt("p"), tools=[Work])
    class Worker:
        pass

    return Worker


@pytest.mark.parametrize("how", ["abort", "deadline"])
@pytest.mark.parametrize("shape", ["alone", "branches", "all", "all in branches", "nested"])
async def test_a_tool_is_interrupted_once(how: str, shape: str) -> None:
    """However deep it stands among branches, its own clean-up runs to the end."""
    clock = FakeClock()
    released: list[str] = []
    one, several = working(clock, released), working(clock, released, at_once=True)
    steps: dict[str, Step] = {
        "alone": one,
        "branches": parallel([one, one, one]),
        "all": several,
        "all in branches": parallel([several, parallel([one, several])]),
        "nested": parallel([flow(parallel([one, one])), one]),
    }
    before = len(asyncio.all_tasks())
    # The order in which tasks stand in a set is a matter of chance.
    for _ in range(10):
        released.clear()
        app = Thena(flow(steps[shape]), ThenaConfig(clock=clock))
        handle = app.run("go", budget=Budget(max_duration=2) if how == "deadline" else None)
        await clock.advance(1)
        if how == "abort":
            handle.abort()
        await clock.advance(3)
        await handle.settle()

        assert {"released"} == set(released)
        assert before == len(asyncio.all_tasks())


async def test_an_abort_out_of_a_branch_interrupts_each_once() -> None:
    """The branch that aborts, and the one beside it, end in an orderly way."""
    clock = FakeClock()
    released: list[str] = []

    @Agent(provider=ScriptedProvider(["x"], delay=1, clock=clock), prompt=Prompt("p"))
    class Aborting:
        def after_response(self, response: str, ctx: Context) -> None:
            ctx.abort(ValueError("enough"))

    worker = working(clock, released)
    handle = Thena(flow(parallel([worker, Aborting, worker])), ThenaConfig(clock=clock)).run("go")
    await clock.advance(3)

    with pytest.raises(ValueError, match="enough"):
        await handle
    assert ["released", "released"] == released


async def test_a_tool_that_is_deaf_ends_the_run_when_it_ends() -> None:
    """It isn't asked for twice, and nothing begins after it: no tool, no model call, no hook."""
    clock = FakeClock()
    model = ScriptedProvider([WORK])
    hooks: list[str] = []

    @Tool(name="work", description="Work.")
    class Deaf:
        async def execute(self) -> str:
            for _ in range(3):
                try:
                    await clock.sleep(5)
                except asyncio.CancelledError:
                    continue
            return "done all the same"

    @Agent(provider=model, prompt=Prompt("p"), tools=[Deaf])
    class Worker:
        def on_error(self, error: Exception) -> str:
            hooks.append("on_error")
            return "well"

    @Workflow(steps=[loop([Worker], until=until_answered)])
    class Flow:
        pass

    handle = Thena(Flow, ThenaConfig(clock=clock)).run("go", budget=Budget(max_duration=2))
    await clock.advance(20)

    assert ("budget", 1, []) == (handle.stopped_by, len(model.calls), hooks)
    assert await handle is None
    assert "done all the same" == handle.state.history[-1].content


async def test_a_sync_tool_in_its_thread_does_not_hold_the_run() -> None:
    """The deadline ends the run, while the thread goes on until its work is done."""
    clock = FakeClock()
    begun, go_on, ended = threading.Event(), threading.Event(), threading.Event()

    @Tool(name="work", description="Work.")
    class Sync:
        def execute(self) -> str:
            begun.set()
            go_on.wait(30)
            ended.set()
            return "late"

    @Agent(provider=ScriptedProvider([WORK]), prompt=Prompt("p"), tools=[Sync])
    class Worker:
        pass

    before = len(asyncio.all_tasks())
    handle = Thena(flow(Worker), ThenaConfig(clock=clock)).run("go", budget=Budget(max_duration=2))
    await asyncio.to_thread(begun.wait, 30)
    await clock.advance(2)

    assert (None, "budget") == (await handle, handle.stopped_by)
    assert (False, before) == (ended.is_set(), len(asyncio.all_tasks()))
    go_on.set()
    assert await asyncio.to_thread(ended.wait, 30)


async def test_clean_ups_of_a_nested_run_come_before_its_parents() -> None:
    """An abort takes the runs down from the inside, each with all its clean-ups."""
    clock = FakeClock()
    order: list[str] = []

    def cleaning(name: str, provider: object, *tools: type) -> type:
        async def clean() -> None:
            await asyncio.sleep(0)
            order.append(name)

        @Agent(provider=provider, prompt=Prompt("p"), tools=tools)  # type: ignore[arg-type]
        class Cleaning:
            def before_prompt(self, prompt: str, ctx: Context) -> None:
                ctx.on_dispose(clean)

        return Cleaning

    inner = flow(cleaning("inner", Paying(delay=60, clock=clock)))

    @Tool(name="work", description="Work.")
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> str:
            return str(await self.runtime.run(inner, "sub"))

    outer = flow(cleaning("outer", ScriptedProvider([WORK]), Delegate))
    handle = Thena(outer, ThenaConfig(clock=clock)).run("go")
    await clock.advance(1)
    handle.abort()

    with pytest.raises(RunAborted):
        await handle
    assert ["inner", "outer"] == order


async def test_everybody_who_waits_for_the_abort_hears_of_it_and_nobody_before() -> None:
    """`ctx.wait_cancelled()` ends with the abort, for one that waits already and for one that comes late."""
    heard: list[str] = []
    tasks: list[asyncio.Task[None]] = []
    contexts: list[Context] = []

    async def listen(name: str, ctx: Context) -> None:
        await ctx.wait_cancelled()
        heard.append(name)

    @Agent(provider=ScriptedProvider(["x"], delay=60), prompt=Prompt("p"))
    class Listening:
        async def before_prompt(self, prompt: str, ctx: Context) -> None:
            contexts.append(ctx)
            tasks.extend(asyncio.create_task(listen(name, ctx)) for name in ("one", "two"))
            await asyncio.sleep(0.01)

    handle = Thena(flow(Listening)).run("go")
    await asyncio.sleep(0.05)
    assert ([], False) == (heard, contexts[0].cancelled)
    handle.abort()
    with pytest.raises(RunAborted):
        await handle
    await asyncio.gather(*tasks, listen("late", contexts[0]))

    assert (["one", "two", "late"], True) == (heard, contexts[0].cancelled)


async def test_clean_ups_may_be_async_or_not_and_one_that_fails_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Those that do their work say nothing; the error of one that doesn't goes to stderr, and the others follow."""
    done: list[str] = []

    async def fails() -> None:
        await asyncio.sleep(0)
        raise ValueError("stuck")

    async def works() -> None:
        await asyncio.sleep(0)
        done.append("async")

    def opening(*clean_ups: object) -> type:
        @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
        class Opening:
            def before_prompt(self, prompt: str, ctx: Context) -> None:
                for clean_up in clean_ups:
                    ctx.on_dispose(clean_up)  # type: ignore[arg-type]

        return Opening

    await Thena(flow(opening(works, lambda: done.append("plain")))).run("go")
    assert (["plain", "async"], "") == (done, capsys.readouterr().err)
    await Thena(flow(opening(works, fails))).run("go")

    assert ["plain", "async", "async"] == done
    first, *_, last = capsys.readouterr().err.strip().splitlines()
    assert ("[thena] a clean-up failed:", "ValueError: stuck") == (first, last)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_a_clean_up_can_end_the_program(error: type[BaseException], capsys: pytest.CaptureFixture[str]) -> None:
    """What is meant for the program as a whole is no failure of a clean-up."""

    def leave() -> None:
        raise error("enough")

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Opening:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            ctx.on_dispose(leave)

    with pytest.raises(error, match="enough"):
        Thena(flow(Opening)).run_sync("go")
    assert "" == capsys.readouterr().err


@pytest.mark.parametrize("waits_for", ["clean-up", "nested run"])
async def test_a_cancellation_that_comes_while_a_run_is_cleaned_up_is_not_lost(
    waits_for: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is done at the end is done to its end, and then whoever was cancelled is."""
    begun, gate = asyncio.Event(), asyncio.Event()
    done: list[str] = []

    async def put_away() -> None:
        begun.set()
        await gate.wait()
        done.append("put away")

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Inner:
        async def after_response(self, response: str, ctx: Context) -> None:
            if waits_for == "clean-up":
                ctx.on_dispose(put_away)
            else:
                left.append(asyncio.ensure_future(WorkflowRuntime().run(flow(Innermost), "x")))
                await asyncio.sleep(0)

    @Agent(provider=ScriptedProvider(["never"], delay=600), prompt=Prompt("p"))
    class Innermost:
        def __init__(self) -> None:
            current_context().on_dispose(put_away)

    left: list[asyncio.Future[object]] = []

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Outer:
        async def after_response(self, response: str) -> str:
            task = asyncio.ensure_future(WorkflowRuntime().run(flow(Inner), "x"))
            await begun.wait()
            task.cancel()
            await asyncio.sleep(0)
            gate.set()
            await asyncio.wait([task])
            return f"cancelled: {task.cancelled()}"

    assert "cancelled: True" == await Thena(flow(Outer)).run("go")
    assert (["put away"], "") == (done, capsys.readouterr().err)


async def test_who_first_asks_after_the_abort_is_answered_at_once() -> None:
    """A tool that puts its things away may look whether it was the run that ended."""
    heard: list[str] = []

    @Tool(name="work", description="Work.")
    class Looking:
        async def execute(self, ctx: Context) -> str:
            try:
                await asyncio.sleep(60)
            finally:
                await ctx.wait_cancelled()
                heard.append("the run")
            return "done"

    @Agent(provider=ScriptedProvider([WORK]), prompt=Prompt("p"), tools=[Looking])
    class Worker:
        pass

    handle = Thena(flow(Worker)).run("go")
    await asyncio.sleep(0.05)
    handle.abort()
    await asyncio.wait_for(handle.settle(), 30)

    assert ["the run"] == heard


async def test_an_abort_from_another_thread_touches_the_loop_only_where_it_may() -> None:
    """In debug mode asyncio refuses what another thread may not do; an abort does none of it."""
    asyncio.get_running_loop().set_debug(True)
    begun = asyncio.Event()
    refused: list[RuntimeError] = []

    class Waiting:
        async def complete(self, request: CompletionRequest) -> Completion:
            begun.set()
            await asyncio.Event().wait()
            return Completion(content="never")

        async def close(self) -> None: ...

    @Agent(provider=Waiting(), prompt=Prompt("p"))
    class Model:
        pass

    handle = Thena(flow(Model)).run("go")

    def abort() -> None:
        try:
            handle.abort("from a thread")
        except RuntimeError as error:
            refused.append(error)

    await begun.wait()
    thread = threading.Thread(target=abort)
    thread.start()
    thread.join()

    assert [] == refused
    async with asyncio.timeout(10):
        with pytest.raises(RunAborted, match="from a thread"):
            await handle


async def test_an_abort_leaves_a_task_alone_whose_nested_run_is_over() -> None:
    """A task of the user's own is the run's only as long as a nested run goes on in it."""
    told: list[object] = []
    is_over, may_end = asyncio.Event(), asyncio.Event()
    tasks: list[asyncio.Task[None]] = []

    @Agent(provider=ScriptedProvider(["inner answer"]), prompt=Prompt("p"))
    class Inner:
        pass

    inner = flow(Inner)

    @Tool(name="work", description="Work.")
    class Work:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> str:
            tasks.append(asyncio.create_task(self.go_on()))
            await asyncio.Event().wait()
            return "never"

        async def go_on(self) -> None:
            told.append(await self.runtime.run(inner, "go"))
            is_over.set()
            await may_end.wait()
            told.append("went on")

    @Agent(provider=ScriptedProvider([WORK]), prompt=Prompt("p"), tools=[Work])
    class Starting:
        pass

    handle = Thena(flow(Starting)).run("go")
    await is_over.wait()
    handle.abort("enough")
    with pytest.raises(RunAborted, match="enough"):
        await handle
    may_end.set()
    await asyncio.gather(*tasks, return_exceptions=True)

    assert ["inner answer", "went on"] == told

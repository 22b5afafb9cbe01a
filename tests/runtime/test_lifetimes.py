"""How long runs live: a nested run never outlives the run that starts it, and a run inside another is its own."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from thena_runtime import (
    Agent,
    Budget,
    BudgetExceededError,
    Context,
    ContractError,
    Event,
    Prompt,
    RunAborted,
    RunHandle,
    RunStoppedError,
    ScriptedProvider,
    State,
    Thena,
    ThenaConfig,
    Tool,
    Workflow,
    WorkflowRuntime,
    current_context,
    loop,
    tool_call,
    until_answered,
)
from thena_runtime.testing import FakeClock, record, tree_of


def flow(*steps: Any, name: str = "Flow") -> type:
    """A workflow of these steps."""
    return Workflow(steps=steps)(type(name, (), {}))


def speaker(*turns: object, delay: float = 0.0, name: str = "Speaker") -> type:
    """An agent that plays these turns."""
    return Agent(provider=ScriptedProvider(turns, delay), prompt=Prompt("p"))(type(name, (), {}))  # type: ignore[arg-type, type-var]


def endless() -> type:
    """A workflow that goes on until somebody ends it."""
    return flow(speaker("never", delay=600), name="Endless")


def calling(do: Callable[[WorkflowRuntime, Context], Awaitable[object]], *turns: object) -> type:
    """A workflow whose agent calls a tool that does this with its runtime, and then plays the turns."""

    @Tool(name="work", description="Work.")
    class Work:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self, ctx: Context) -> str:
            return str(await do(self.runtime, ctx))

    @Agent(
        provider=ScriptedProvider([tool_call("work"), *(turns or ("done",))]),  # type: ignore[list-item]
        prompt=Prompt("p"),
        tools=[Work],
    )
    class Calling:
        pass

    return flow(loop([Calling], until=until_answered))


def leaving(workflow: type, tasks: list[asyncio.Task[object]], *turns: object, **options: Any) -> type:
    """A workflow whose tool starts another in a task that nobody awaits, and goes on once that has begun."""

    async def do(runtime: WorkflowRuntime, ctx: Context) -> str:
        tasks.append(asyncio.create_task(runtime.run(workflow, "x", **options)))
        await asyncio.sleep(0)
        return "left"

    return calling(do, *turns)


async def met(condition: Callable[[], bool]) -> None:
    """Give way to the event loop until a condition is met."""
    for _ in range(10_000):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("it was never met")


async def strangers() -> set[str]:
    """The names of the tasks that go on beside this one."""
    return {task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()}


ENDINGS = {
    "answer": ("done",),
    "failure": (LookupError("no model"),),
    "budget": ("done",),
    "abort": ("done",),
}


@pytest.mark.parametrize("ending", ENDINGS)
async def test_a_nested_run_that_nobody_awaits_ends_with_the_run_around_it(ending: str) -> None:
    """Whatever ends the run, it is over when the handle is, and the tree says that it was cut off and by what."""
    tasks: list[asyncio.Task[object]] = []
    workflow = leaving(endless(), tasks, *ENDINGS[ending])
    if ending == "abort":
        workflow = flow(workflow, speaker("late", delay=600))
    before = await strangers()
    app = Thena(workflow)
    # The nested run's call is the second one.
    handle = app.run("go", budget=Budget(max_chat_calls=2) if ending == "budget" else None)
    events: list[Event] = []
    handle.on_event(events.append)
    if ending == "abort":
        await met(lambda: sum(event.kind == "workflow" for event in events) == 3 and bool(tasks))
        handle.abort("enough")
    await asyncio.wait([asyncio.ensure_future(handle.settle())])

    assert {"answer": None, "failure": "error", "budget": "budget", "abort": "abort"}[ending] == handle.stopped_by
    assert before == await strangers()
    [nested] = tree_of(events).all("workflow", "Endless")
    assert {"cancelled"} == {node.status for node in nested.walk()}
    assert (None if ending == "abort" else "parent") == nested.data.get("stopped_by")
    [root] = [event for event in events if event.phase == "end" and event.parent_id is None]
    assert events[-1] is root
    assert tasks[0].cancelled()


async def test_closing_the_app_leaves_no_task_of_a_nested_run() -> None:
    """Neither of the run nor of what its tools started beside it."""
    before = await strangers()
    tasks: list[asyncio.Task[object]] = []
    events: list[Event] = []
    async with Thena(flow(leaving(endless(), tasks), speaker("late", delay=600))) as app:
        handle = app.run("go")
        handle.on_event(events.append)
        await met(lambda: any(event.name == "Endless" for event in events))

    assert before == await strangers()
    assert ("abort", True) == (handle.stopped_by, tasks[0].cancelled())


async def test_all_nested_runs_are_told_before_one_is_waited_for() -> None:
    """None goes on while another takes its time to clean up, and each does all of its clean-up."""
    order: list[str] = []

    def slow(name: str) -> type:
        @Agent(provider=ScriptedProvider(["never"], delay=600), prompt=Prompt("p"))
        class Slow:
            def before_prompt(self, prompt: str, ctx: Context) -> None:
                async def clean_up() -> None:
                    order.append(f"{name} begins")
                    for _ in range(5):
                        await asyncio.sleep(0)
                    order.append(f"{name} ends")

                ctx.on_dispose(clean_up)

        return flow(Slow)

    async def do(runtime: WorkflowRuntime, ctx: Context) -> str:
        ctx.on_dispose(lambda: order.append("outer"))
        ctx.tasks = [asyncio.create_task(runtime.run(slow(name), "x")) for name in "ab"]
        await asyncio.sleep(0)
        return "left"

    await record(calling(do))

    assert ["a begins", "b begins", "a ends", "b ends", "outer"] == order


async def test_a_nested_run_of_a_nested_run_ends_with_that() -> None:
    """The one in the middle is the run that it belongs to, not the outermost."""
    tasks: list[asyncio.Task[object]] = []
    middle = leaving(endless(), tasks)

    async def do(runtime: WorkflowRuntime, ctx: Context) -> bool:
        await runtime.run(middle, "x")
        return tasks[0].cancelled()

    run = await record(calling(do))

    assert "True" == run.conversation.history[2].content


async def test_a_nested_run_that_swallows_its_cancellation_takes_no_further_step() -> None:
    """A tool in it that catches everything doesn't keep it alive: the next step finds that there is to be none."""
    later = ScriptedProvider(["never"])

    @Tool(name="deaf", description="Hear nothing.")
    class Deaf:
        async def execute(self) -> str:
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                return "still here"
            return "never"

    @Agent(provider=ScriptedProvider([tool_call("deaf")]), prompt=Prompt("p"), tools=[Deaf])
    class Hearing:
        pass

    @Agent(provider=later, prompt=Prompt("p"))
    class Later:
        pass

    tasks: list[asyncio.Task[object]] = []
    async with asyncio.timeout(30):
        run = await record(leaving(flow(Hearing, Later, name="Sub"), tasks))

    assert [] == later.calls
    assert "parent" == run.root.only("workflow", "Sub").data["stopped_by"]
    with pytest.raises(RunStoppedError, match="parent"):
        await tasks[0]


async def test_a_nested_run_that_would_begin_after_the_end_is_refused() -> None:
    """The text says where to await it."""
    tasks: list[asyncio.Task[object]] = []
    gate = asyncio.Event()

    async def do(runtime: WorkflowRuntime, ctx: Context) -> str:
        async def late() -> object:
            await gate.wait()
            return await runtime.run(flow(speaker("x"), name="Sub"), "x")

        tasks.append(asyncio.create_task(late()))
        return "left"

    await record(calling(do))
    gate.set()

    with pytest.raises(RuntimeError, match=r"nested run of `Sub` was started after the end.*Await it in the tool"):
        await tasks[0]


async def test_a_clean_up_that_comes_after_the_end_is_refused() -> None:
    """It would never be called, so who adds it is told."""
    kept: list[Context] = []

    async def do(runtime: WorkflowRuntime, ctx: Context) -> str:
        kept.append(ctx)
        return "ok"

    await record(calling(do))

    with pytest.raises(RuntimeError) as caught:
        kept[0].on_dispose(lambda: None)
    assert (
        "[thena] `ctx.on_dispose` was called after the end of the run, when nothing is cleaned up any more. "
        "Call it while the run goes on, and await the task that calls it."
    ) == str(caught.value)


async def test_a_clean_up_may_run_a_workflow_of_its_own() -> None:
    """What it awaits isn't taken for one that nobody awaits."""
    said: list[object] = []

    async def do(runtime: WorkflowRuntime, ctx: Context) -> str:
        async def farewell() -> None:
            said.append(await runtime.run(flow(speaker("bye", delay=0.01), name="Farewell"), "x"))

        ctx.on_dispose(farewell)
        return "ok"

    run = await record(calling(do))

    assert ["bye"] == said
    assert "ok" == run.root.only("workflow", "Farewell").status


async def test_nested_runs_at_the_same_time_that_are_awaited_go_to_their_end() -> None:
    """A tool may gather them; nothing of them is cut off, and an abort reaches all."""
    subs = [flow(speaker(f"answer {n}", delay=0.01 * n), name=f"Sub{n}") for n in range(3)]

    async def do(runtime: WorkflowRuntime, ctx: Context) -> list[object]:
        return await asyncio.gather(*(runtime.run(sub, "x") for sub in subs))

    run = await record(calling(do))

    assert str(["answer 0", "answer 1", "answer 2"]) == run.conversation.history[2].content


@pytest.mark.parametrize("ending", ["abort", "deadline"])
async def test_a_nested_run_in_a_thread_s_own_event_loop_ends_with_the_run_around_it(ending: str) -> None:
    """A sync tool may run one with `asyncio.run`; its loop is told, and it is over when the handle is."""
    clock = FakeClock()

    @Tool(name="work", description="Work.")
    class Work:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        def execute(self) -> str:
            return str(asyncio.run(self.runtime.run(endless(), "x")))

    @Agent(provider=ScriptedProvider([tool_call("work")]), prompt=Prompt("p"), tools=[Work])
    class Calling:
        pass

    handle = Thena(flow(Calling), ThenaConfig(clock=clock)).run("go", budget=Budget(max_duration=60))
    events: list[Event] = []
    begun = asyncio.Event()
    here = asyncio.get_running_loop()

    def listen(event: Event) -> None:
        events.append(event)
        if event.kind == "chat" and event.depth == 6:
            here.call_soon_threadsafe(begun.set)

    handle.on_event(listen)
    async with asyncio.timeout(30):
        await begun.wait()
        if ending == "abort":
            handle.abort("enough")
        else:
            await clock.advance(60)
        await handle.settle()

    [nested] = tree_of(events).all("workflow", "Endless")
    # Its model may have been about to be asked, in its own thread.
    assert {"cancelled", "error", "skipped"} >= {node.status for node in nested.walk()}
    assert {"abort": "abort", "deadline": "budget"}[ending] == handle.stopped_by


# -- budgets and failures through tasks


@pytest.mark.parametrize("through", ["await", "gather", "task group", "task"])
async def test_a_spent_budget_is_never_a_private_exception(through: str) -> None:
    """However a tool waits for its nested run, the run ends as one that its budget stopped."""
    seen: list[BaseException] = []
    sub = flow(speaker("x"), name="Sub")

    async def do(runtime: WorkflowRuntime, ctx: Context) -> object:
        if through == "await":
            return await runtime.run(sub, "x")
        if through == "gather":
            return await asyncio.gather(runtime.run(sub, "x"), runtime.run(sub, "y"))
        if through == "task group":
            async with asyncio.TaskGroup() as group:
                group.create_task(runtime.run(sub, "x"))
                group.create_task(runtime.run(sub, "y"))
            return None
        task = asyncio.create_task(runtime.run(sub, "x"))
        try:
            return await task
        finally:
            seen.extend(error for error in [task.exception()] if error is not None)

    handle = Thena(calling(do)).run("go", budget=Budget(max_chat_calls=1))

    assert (None, "budget") == (await handle, handle.stopped_by)
    assert (["RunStoppedError"] if through == "task" else []) == [type(error).__name__ for error in seen]


async def test_who_awaits_a_nested_run_outside_is_told_that_its_budget_was_spent() -> None:
    """The error is the public one, with what stopped the nested run."""
    tasks: list[asyncio.Task[object]] = []
    handle = Thena(leaving(flow(speaker("x"), name="Sub"), tasks)).run("go", budget=Budget(max_chat_calls=1))
    await handle

    with pytest.raises(RunStoppedError) as caught:
        await tasks[0]
    assert ("Sub", "budget") == (caught.value.workflow, caught.value.stopped_by)


async def test_an_agent_s_own_step_may_ask_in_a_task_group() -> None:
    """Where the budget refuses one of the calls, the run ends as one that its budget stopped."""

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Asking:
        async def run(self, text: str, ctx: Context) -> str:
            async with asyncio.TaskGroup() as group:
                for _ in range(2):
                    group.create_task(ctx.chat())
            return "never"

    handle = Thena(flow(Asking)).run("go", budget=Budget(max_chat_calls=1))

    assert (None, "budget") == (await handle, handle.stopped_by)


class Notes:
    """A state that nobody declares."""


@pytest.mark.parametrize(
    ("sub", "options", "error"),
    [
        (None, {}, ContractError),
        (flow(speaker("x"), name="Sub"), {"budget": Budget(max_chat_calls=0, mode="raise")}, BudgetExceededError),
    ],
)
async def test_what_ends_the_run_ends_it_out_of_a_task_group_too(
    sub: type | None, options: dict[str, Any], error: type[Exception]
) -> None:
    """A model is never told of a fault in the wiring because a tool waits in a group."""

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Asking:
        def __init__(self, s: State[Notes]) -> None:
            self.s = s

    async def do(runtime: WorkflowRuntime, ctx: Context) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(runtime.run(sub or flow(Asking), "x", **options))

    with pytest.raises(error):
        await record(calling(do))


# -- runs of another app


@pytest.mark.parametrize("thread", [False, True])
async def test_a_run_of_another_app_inside_a_tool_is_a_run_of_its_own(thread: bool) -> None:
    """Its tree has a root of its own, and neither context nor abort of the run around it are its."""
    seen: list[object] = []
    events: list[Event] = []

    @Agent(provider=ScriptedProvider(["other"]), prompt=Prompt("p"))
    class Other:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            seen.append((current_context().run_id, ctx.data))

    other = Thena(flow(Other, name="Other"))

    def listen(event: Event) -> None:
        # The log of the first event is asked before the run's own context is there.
        events.append(event)

    async def do(runtime: WorkflowRuntime, ctx: Context) -> object:
        if thread:
            return await asyncio.to_thread(other.run_sync, "x", data="inner", log=listen)
        return await other.run("x", data="inner", log=listen)

    run = await record(calling(do), data="outer")

    assert "other" == run.conversation.history[2].content
    assert [(events[0].run_id, "inner")] == seen
    assert run.events[0].run_id != events[0].run_id
    assert (None, 0) == (events[0].parent_id, events[0].depth)
    assert ["workflow Other ok", "  agent Other ok", "    chat chat ok"] == str(tree_of(events)).splitlines()
    assert [] == run.root.all("workflow", "Other")


async def test_an_abort_of_the_run_around_it_leaves_a_run_of_another_app_alone() -> None:
    """The await is cut off, and the run goes on: it belongs to its own app."""
    inner: list[RunHandle] = []
    other = Thena(flow(speaker("other", delay=0.05)))

    async def do(runtime: WorkflowRuntime, ctx: Context) -> object:
        inner.append(other.run("x"))
        return await inner[0]

    handle = Thena(calling(do)).run("go")
    await met(lambda: bool(inner))
    handle.abort("enough")

    with pytest.raises(RunAborted, match="enough"):
        await handle
    assert "other" == await inner[0]

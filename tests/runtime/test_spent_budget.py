"""A spent budget on its way through users' code: nobody sees how the runtime unwinds, in a task or out of one."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

import thena_runtime
from thena_runtime import (
    Agent,
    Budget,
    ChatInvocation,
    Completion,
    Context,
    Prompt,
    RunHandle,
    RunStoppedError,
    ScriptedProvider,
    Thena,
    Tool,
    ToolInvocation,
    ToolOutput,
    Workflow,
    WorkflowRuntime,
    loop,
    tool_call,
)
from thena_runtime.budget.meter import BudgetCut
from thena_runtime.steps import Step
from thena_runtime.testing import recorded

SPENT = Budget(max_chat_calls=1, max_tool_calls=1)


@Tool(name="look", description="Look.")
class Look:
    """A tool that finds the same each time."""

    async def execute(self) -> str:
        return "seen"


def flow(*steps: Step, name: str = "Flow") -> type:
    """A workflow of these steps."""
    return Workflow(steps=steps)(type(name, (), {}))


def speaker(*turns: Any, name: str = "Speaker") -> type:
    """An agent that plays these turns and may look."""
    return Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=[Look])(type(name, (), {}))


def doing(do: Callable[[Context], Awaitable[object]]) -> type:
    """An agent whose own `run` does this."""

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"), tools=[Look])
    class Doing:
        async def run(self, text: str, ctx: Context) -> str:
            return str(await do(ctx))

    return Doing


def look(ctx: Context) -> Awaitable[object]:
    """Call the tool."""
    return ctx.call_tool("look", {})


def ask(ctx: Context) -> Awaitable[object]:
    """Ask the model."""
    return ctx.chat()


CALLS = {"answer": ask, "result": look}


@pytest.mark.parametrize("wanted", CALLS)
async def test_who_awaits_a_call_outside_of_the_run_is_told_what_stopped_it(wanted: str) -> None:
    """A task that the run left behind ends with the public error, which says what wasn't given and why."""
    call = CALLS[wanted]
    tasks: list[asyncio.Future[object]] = []

    async def leave(ctx: Context) -> str:
        await call(ctx)
        tasks.append(asyncio.ensure_future(call(ctx)))
        await asyncio.sleep(0)
        return "left"

    handle = Thena(flow(doing(leave), doing(ask))).run("go", budget=SPENT)
    await handle

    with pytest.raises(RunStoppedError) as caught:
        await tasks[0]
    assert f"the run of `Flow` gave no {wanted}: it was stopped (budget)" == str(caught.value)
    assert ("Flow", "budget", wanted) == (caught.value.workflow, caught.value.stopped_by, caught.value.wanted)


@pytest.mark.parametrize("wanted", CALLS)
async def test_a_gather_that_returns_exceptions_returns_public_ones(wanted: str) -> None:
    """An agent's own step may look at them; where it raises one of them the run ends as one that was stopped."""
    seen: list[object] = []

    async def several(ctx: Context) -> str:
        answers = await asyncio.gather(*(CALLS[wanted](ctx) for _ in range(3)), return_exceptions=True)
        seen.extend(type(answer).__name__ for answer in answers)
        errors = [answer for answer in answers if isinstance(answer, Exception)]
        raise errors[0]

    handle = Thena(flow(doing(several))).run("go", budget=SPENT)

    assert (None, "budget") == (await handle, handle.stopped_by)
    assert [{"answer": "Completion", "result": "ToolOutput"}[wanted], *["RunStoppedError"] * 2] == seen


# -- in each place of users' code, out of a task, a group of tasks, and a group around the call itself


async def in_a_task(call: Callable[[], Awaitable[Any]]) -> Any:
    """In a task of its own."""
    return await asyncio.ensure_future(call())


async def in_a_group(call: Callable[[], Awaitable[Any]]) -> Any:
    """As one of the tasks of a group."""
    async with asyncio.TaskGroup() as group:
        other = group.create_task(asyncio.sleep(600))
        task = group.create_task(in_a_task(call))
        task.add_done_callback(lambda _: other.cancel())
    return task.result()


async def beside_a_task(call: Callable[[], Awaitable[Any]]) -> Any:
    """Here, while a task of a group goes on."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(asyncio.sleep(600))
        answer = await call()
        task.cancel()
    return answer


Go = Callable[[Callable[[], Awaitable[Any]]], Awaitable[Any]]
WAYS: Sequence[Go] = (in_a_task, in_a_group, beside_a_task)


def nested() -> Awaitable[object]:
    """Start a workflow that needs a model call."""
    return WorkflowRuntime().run(flow(speaker("x"), name="Sub"), "x")


def of_chat_middleware(go: Go) -> RunHandle:
    """A middleware goes on to the model in this way."""

    async def chat(call: ChatInvocation, go_on: Callable[[], Awaitable[Completion]]) -> Completion:
        answer: Completion = await go(go_on)
        return answer

    async def twice(ctx: Context) -> Completion:
        await ctx.chat()
        return await ctx.chat()

    app = Thena(flow(doing(twice)))
    app.use(chat=chat)
    return app.run("go", budget=SPENT)


def of_tool_middleware(go: Go) -> RunHandle:
    """A middleware goes on to the tool in this way."""

    async def tool(call: ToolInvocation, go_on: Callable[[], Awaitable[ToolOutput]]) -> ToolOutput:
        output: ToolOutput = await go(go_on)
        return output

    agent = speaker(tool_call("look"))
    app = Thena(flow(agent, agent))
    app.use(tool=tool)
    return app.run("go", budget=Budget(max_tool_calls=1))


def of_hook(go: Go) -> RunHandle:
    """A hook starts a workflow in this way, and another hook would answer for what fails."""

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Hooked:
        async def after_response(self, response: str) -> None:
            await go(nested)

        def on_error(self, error: Exception) -> str:
            return "it was taken for a failure"

    return Thena(flow(Hooked)).run("go", budget=SPENT)


def of_own_step(go: Go) -> RunHandle:
    """An agent's own step asks in this way."""

    async def own(ctx: Context) -> object:
        await ctx.chat()
        return await go(ctx.chat)

    return Thena(flow(doing(own))).run("go", budget=SPENT)


def of_tool(go: Go) -> RunHandle:
    """A tool starts a workflow in this way."""

    @Tool(name="start", description="Start it.")
    class Start:
        async def execute(self) -> str:
            return str(await go(nested))

    @Agent(provider=ScriptedProvider([tool_call("start")]), prompt=Prompt("p"), tools=[Start])
    class Starting:
        pass

    return Thena(flow(Starting)).run("go", budget=Budget(max_chat_calls=1))


def of_loop(kind: str, go: Go) -> RunHandle:
    """A function of a loop starts a workflow in this way."""

    async def until(ctx: Context) -> bool:
        return kind == "until" and bool(await go(nested))

    async def start() -> None:
        await go(nested)

    functions: dict[str, Any] = {} if kind == "until" else {kind: start}
    # The call can't be made, so the loop has a failure to tell of.
    agent = speaker(tool_call("unknown"))
    return Thena(flow(loop([agent], until=until, max_iterations=1, **functions))).run("go", budget=SPENT)


def of_factory(go: Go) -> RunHandle:
    """A provider's factory starts a workflow in this way."""

    async def make() -> ScriptedProvider:
        await go(nested)
        return ScriptedProvider(["x"])

    agent: type = Agent(provider=make, prompt=Prompt("p"))(type("Made", (), {}))
    return Thena(flow(agent)).run("go", budget=Budget(max_chat_calls=0))


PLACES: dict[str, Callable[[Go], RunHandle]] = {
    "chat middleware": of_chat_middleware,
    "tool middleware": of_tool_middleware,
    "hook": of_hook,
    "own step": of_own_step,
    "tool": of_tool,
    "until": lambda go: of_loop("until", go),
    "on_fail": lambda go: of_loop("on_fail", go),
    "on_exhausted": lambda go: of_loop("on_exhausted", go),
    "factory": of_factory,
}


@pytest.mark.parametrize("go", WAYS)
@pytest.mark.parametrize("place", PLACES)
async def test_a_run_ends_as_one_that_was_stopped_wherever_its_budget_refuses(place: str, go: Go) -> None:
    """However users' code waits there, the run is over with its output so far, and so is the loop in it."""
    handle = PLACES[place](go)
    async with asyncio.timeout(30):
        run = await recorded(handle)

    assert (None, "budget") == (run.error, handle.stopped_by)
    assert {"budget"} >= {node.data["stopped_by"] for node in run.root.all("loop") if "stopped_by" in node.data}


@pytest.mark.parametrize("place", ["chat middleware", "tool middleware", "hook", "own step", "tool", "until"])
async def test_no_task_of_users_code_ends_with_what_unwinds_the_run(place: str) -> None:
    """Whoever looks at a task that the budget refused sees an error that has a name in `thena_runtime`."""
    seen: set[str] = set()

    async def look_at_it(call: Callable[[], Awaitable[Any]]) -> Any:
        task = asyncio.ensure_future(call())
        await asyncio.wait([task])
        error = task.exception()
        if error is not None:
            seen.add(type(error).__name__)
        return task.result()

    handle = PLACES[place](look_at_it)
    await handle.settle()

    assert {"RunStoppedError"} == seen
    assert "budget" == handle.stopped_by


def test_what_unwinds_a_run_is_the_only_exception_that_is_private_and_no_error() -> None:
    """Whatever passes by `except Exception` is looked after here, so that a second one would be seen."""

    def below(kind: type[BaseException]) -> set[type[BaseException]]:
        return {kind}.union(*(below(each) for each in kind.__subclasses__()))

    ours = {each for each in below(BaseException) if each.__module__.split(".")[0] == thena_runtime.__name__}
    assert {BudgetCut} == {each for each in ours if not issubclass(each, Exception)}

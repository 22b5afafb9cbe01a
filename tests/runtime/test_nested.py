"""Runs inside runs, started by a tool: what they share with the run around them, and what is their own."""

from collections.abc import Awaitable, Callable

import pytest

from thena_runtime import (
    Agent,
    Budget,
    BudgetExceededError,
    ChatInvocation,
    Completion,
    Context,
    ContractError,
    FatalToolError,
    Prompt,
    RunAborted,
    RunStoppedError,
    ScriptedProvider,
    State,
    Thena,
    Tool,
    Workflow,
    WorkflowRuntime,
    loop,
    tool_call,
    until_answered,
)
from thena_runtime.testing import record


class Notes:
    """A state."""

    lines: list[str] = []


def answering(*turns: object, **options: object) -> type:
    """A workflow of one agent with a script."""

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("inner"), **options)  # type: ignore[arg-type, call-overload]
    class Inner:
        pass

    @Workflow(steps=[Inner])
    class Sub:
        pass

    return Sub


def starting(workflow: object, **options: object) -> type:
    """A workflow whose agent has a tool that runs another, and answers with what came of it."""

    @Tool(name="delegate", description="Have it done.")
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self, task: str) -> str:
            return f"got {await self.runtime.run(workflow, task, **options)}"  # type: ignore[arg-type]

    @Agent(
        provider=ScriptedProvider([tool_call("delegate", task="count"), "done"]), prompt=Prompt("p"), tools=[Delegate]
    )
    class Outer:
        pass

    @Workflow(steps=[loop([Outer], until=until_answered)])
    class Flow:
        pass

    return Flow


@pytest.mark.behaviour("T280")
async def test_a_nested_run_hangs_under_the_tool_that_started_it() -> None:
    """The tree is workflow > loop > agent > chat > tool > workflow > agent > chat, all of one run."""
    run = await record(starting(answering("ten")))

    assert "got ten" == run.conversation.history[2].content
    assert 1 == len({event.run_id for event in run.events})
    assert [
        "workflow Flow ok",
        "  loop loop ok",
        "    agent Outer ok",
        "      chat chat ok",
        "        tool delegate ok",
        "          workflow Sub ok",
        "            agent Inner ok",
        "              chat chat ok",
        "    agent Outer ok",
        "      chat chat ok",
    ] == run.tree.splitlines()


async def test_a_nested_run_has_a_conversation_of_its_own() -> None:
    """It begins with its own prompt and seed, and leaves no trace but what its tool returns."""
    provider = ScriptedProvider(["ten"])

    @Agent(provider=provider, prompt=Prompt("inner"))
    class Inner:
        pass

    @Workflow(steps=[Inner])
    class Sub:
        pass

    run = await record(starting(Sub, state={"memory": ["be quick"]}))

    assert ["inner", "be quick", "count"] == [message.content for message in provider.calls[0].messages]
    assert ["go", "", "got ten", "done"] == [message.content for message in run.conversation.history]
    assert () == run.conversation.memory


@pytest.mark.behaviour("T151")
async def test_a_nested_run_shares_data_and_id() -> None:
    """Both are the very same as those of the run around it."""
    seen: list[object] = []

    @Agent(provider=ScriptedProvider(["ten"]), prompt=Prompt("inner"))
    class Inner:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            seen.extend([ctx.run_id, ctx.data])

    @Workflow(steps=[Inner])
    class Sub:
        pass

    data = {"account": "acme"}
    async with Thena(starting(Sub)) as app:
        handle = app.run("go", data=data)
        await handle

    assert handle.run_id == seen[0]
    assert data is seen[1]


async def test_a_nested_run_has_a_state_of_its_own() -> None:
    """A workflow that runs itself has one instance for each run."""
    counted: list[int] = []

    @Tool(name="again", description="Once more.")
    class Again:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self, s: State[Notes]) -> str:
            s.lines.append("x")
            counted.append(len(s.lines))
            return str(await self.runtime.run(Flow, "again")) if len(counted) < 3 else "enough"

    @Agent(provider=ScriptedProvider([tool_call("again")]), prompt=Prompt("p"), tools=[Again])
    class Recursive:
        pass

    @Workflow(steps=[Recursive], state=Notes)
    class Flow:
        pass

    run = await record(Flow)

    assert ("enough", [1, 1, 1]) == (run.output, counted)


@pytest.mark.behaviour("T268")
async def test_a_nested_run_passes_through_the_same_chains() -> None:
    """The middlewares of the run around it see its model calls."""
    asked: list[str] = []

    async def noting(call: ChatInvocation, go_on: Callable[[], Awaitable[Completion]]) -> Completion:
        asked.append(call.messages[0].content)
        return await go_on()

    app = Thena(starting(answering("ten")))
    app.use(chat=noting)
    await app.run("go")

    assert ["p", "inner", "p"] == asked


@pytest.mark.behaviour("T178")
async def test_a_nested_run_cleans_up_when_it_ends() -> None:
    """Its clean-ups are done before the run around it goes on, and before that one's own."""
    order: list[str] = []

    @Agent(provider=ScriptedProvider(["ten"]), prompt=Prompt("inner"))
    class Inner:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            ctx.on_dispose(lambda: order.append("inner"))

    @Workflow(steps=[Inner])
    class Sub:
        pass

    @Tool(name="delegate", description="Have it done.")
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self, ctx: Context) -> None:
            ctx.on_dispose(lambda: order.append("outer"))
            await self.runtime.run(Sub, "x")
            order.append("tool")

    @Agent(provider=ScriptedProvider([tool_call("delegate")]), prompt=Prompt("p"), tools=[Delegate])
    class Outer:
        pass

    @Workflow(steps=[Outer])
    class Flow:
        pass

    await record(Flow)

    assert ["inner", "tool", "outer"] == order


async def test_the_context_is_that_of_the_run_around_it_again() -> None:
    """After a nested run the tool's context, its fields and its conversation are as before."""
    seen: list[object] = []

    @Tool(name="delegate", description="Have it done.")
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self, ctx: Context) -> None:
            ctx.mine = 1
            await self.runtime.run(answering("ten"), "x")
            seen.extend([ctx.mine, len(ctx.state.history), ctx.output])

    @Agent(provider=ScriptedProvider([tool_call("delegate")]), prompt=Prompt("p"), tools=[Delegate])
    class Outer:
        pass

    @Workflow(steps=[Outer])
    class Flow:
        pass

    await record(Flow)

    assert [1, 1, None] == seen


@pytest.mark.behaviour("T202")
async def test_an_abort_inside_a_nested_run_ends_all() -> None:
    """The reason is what the run around it raises; it becomes no observation."""

    @Agent(provider=ScriptedProvider(["ten"]), prompt=Prompt("inner"))
    class Inner:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            ctx.abort("enough of it")

    @Workflow(steps=[Inner])
    class Sub:
        pass

    app = Thena(starting(Sub))
    handle = app.run("go")

    with pytest.raises(RunAborted, match="enough of it"):
        await handle
    assert "got" not in "".join(message.content for message in handle.state.history)


@pytest.mark.behaviour("W25")
async def test_a_nested_run_that_was_stopped_without_output_says_so() -> None:
    """Its tool gets an error that says what stopped it, instead of nothing that looks like an answer."""
    caught: list[str] = []

    @Tool(name="delegate", description="Have it done.")
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> str:
            try:
                await self.runtime.run(answering("ten"), "x", budget=Budget(max_chat_calls=0))
            except RunStoppedError as error:
                caught.append(f"{error.workflow} {error.stopped_by}")
                raise
            return "never"

    @Agent(provider=ScriptedProvider([tool_call("delegate"), "done"]), prompt=Prompt("p"), tools=[Delegate])
    class Outer:
        pass

    @Workflow(steps=[loop([Outer], until=until_answered)])
    class Flow:
        pass

    run = await record(Flow)
    observation = run.conversation.history[2]

    assert ["Sub budget"] == caught
    assert ("the run of `Sub` gave no output: it was stopped (budget)", True) == (
        observation.content,
        observation.is_error,
    )
    assert "done" == run.output


@pytest.mark.behaviour("T269", "T279")
async def test_a_nested_run_can_not_escape_the_budget_around_it() -> None:
    """Where the turn that started it used up the limit, it makes no call, and both end there."""
    provider = ScriptedProvider(["ten"])

    @Agent(provider=provider, prompt=Prompt("inner"))
    class Inner:
        pass

    @Workflow(steps=[Inner])
    class Sub:
        pass

    handle = Thena(starting(Sub)).run("go", budget=Budget(max_chat_calls=1))
    output = await handle

    assert [] == provider.calls
    assert "budget" == handle.stopped_by
    assert "done" != output


@pytest.mark.behaviour("T201")
async def test_a_budget_that_raises_ends_all() -> None:
    """It becomes no observation of the tool that started the nested run."""
    with pytest.raises(BudgetExceededError):
        await record(starting(answering("ten"), budget=Budget(max_chat_calls=0, mode="raise")))


async def test_a_workflow_is_judged_when_it_is_first_started() -> None:
    """Its contract error ends the run; neither a model nor `on_error` sees it."""
    told: list[object] = []

    @Agent(provider=ScriptedProvider(["ten"]), prompt=Prompt("inner"))
    class Inner:
        def __init__(self, s: State[Notes]) -> None:
            self.s = s

    @Workflow(steps=[Inner])
    class Sub:
        pass

    @Tool(name="delegate", description="Have it done.")
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> str:
            return str(await self.runtime.run(Sub, "x"))

    @Agent(provider=ScriptedProvider([tool_call("delegate"), "done"]), prompt=Prompt("p"), tools=[Delegate])
    class Outer:
        def after_tool(self, result: object) -> None:
            told.append(result)

        def on_error(self, error: Exception) -> str:
            told.append(error)
            return "recovered"

    @Workflow(steps=[Outer])
    class Flow:
        pass

    with pytest.raises(ContractError, match="THN201"):
        await record(Flow)
    assert [] == told


@pytest.mark.behaviour("W9")
@pytest.mark.parametrize(
    ("workflow", "options", "text"),
    [
        (int, {}, r"a workflow that a tool started can't be run: \[thena\] the class `int` is no workflow"),
        (answering("x"), {"data": {}}, "`WorkflowRuntime.run` was given `data`, which a nested run shares"),
        (answering("x"), {"budget": 3}, "the nested run of `Sub` got a budget of type `int`"),
        (answering("x"), {"state": {"memo": []}}, "the nested run of `Sub` got a `state` that can't be used: .*`memo`"),
    ],
)
async def test_a_nested_run_that_can_not_be_is_no_observation(
    workflow: type, options: dict[str, object], text: str
) -> None:
    """What its tool's author got wrong ends the run with a text that says what to change."""
    with pytest.raises(FatalToolError, match=text):
        await record(starting(workflow, **options))


async def test_an_exception_inside_a_nested_run_is_its_tool_s() -> None:
    """The tool may catch it; otherwise the model is told, as of any failure of a tool."""
    run = await record(starting(answering(LookupError("no model"))))

    assert ("no model", True) == (run.conversation.history[2].content, run.conversation.history[2].is_error)


async def test_providers_of_nested_workflows_are_closed_with_the_app() -> None:
    """An instance that a workflow started by a tool uses belongs to the app too."""
    closed: list[str] = []

    class Closing(ScriptedProvider):
        async def close(self) -> None:
            closed.append("closed")

    @Agent(provider=Closing(["ten"]), prompt=Prompt("inner"))
    class Inner:
        pass

    @Workflow(steps=[Inner])
    class Sub:
        pass

    async with Thena(starting(Sub)) as app:
        await app.run("go")
        assert [] == closed

    assert ["closed"] == closed


def test_only_a_tool_s_constructor_is_given_the_runtime() -> None:
    """Asked for anywhere else, it is a fault at start that says where it is given."""

    @Tool(name="t", description="A tool.")
    class T:
        async def execute(self, runtime: WorkflowRuntime) -> str:
            return ""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"), tools=[T])
    class A:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            pass

    @Workflow(steps=[A])
    class Flow:
        pass

    with pytest.raises(
        ContractError, match=r"`A.__init__` parameter 0 `runtime` asks for the workflow runtime"
    ) as told:
        Thena(Flow)
    assert (
        "THN206 `T.execute` parameter 0 `runtime` asks for the workflow runtime, "
        "which a tool is given in its constructor." in str(told.value)
    )

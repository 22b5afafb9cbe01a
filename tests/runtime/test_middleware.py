"""Middlewares around model calls and tools: what they see, change and answer, and where they stand."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from thena_runtime import (
    Agent,
    ChatInvocation,
    Completion,
    Context,
    Message,
    Plugin,
    Prompt,
    ScriptedProvider,
    Thena,
    Tool,
    ToolCall,
    ToolInvocation,
    ToolOutput,
    Workflow,
    loop,
    tool_call,
    until_answered,
)
from thena_runtime.observability.events import Event

NextChat = Callable[[], Awaitable[Completion]]
NextTool = Callable[[], Awaitable[ToolOutput]]


@Tool(name="add", description="Add one.")
class Add:
    """A tool that notes what it is called with."""

    seen: list[int] = []

    async def execute(self, number: int) -> str:
        self.seen.append(number)
        return str(number + 1)


def flow(provider: ScriptedProvider, *, hooks: type = object, tools: tuple[object, ...] = (Add,)) -> type:
    """A workflow that asks until there is an answer."""

    @Agent(provider=provider, prompt=Prompt("p"), tools=tools)
    class Asking(hooks):  # type: ignore[misc] # a class that the caller chooses
        pass

    @Workflow(steps=[loop([Asking], until=until_answered)])
    class Flow:
        pass

    return Flow


@pytest.fixture(autouse=True)
def nothing_seen() -> None:
    """Each test begins with an unused tool."""
    Add.seen.clear()


@pytest.mark.behaviour("T256")
async def test_a_tool_middleware_stands_around_the_execution() -> None:
    """It sees the call before and its result after the tool ran."""
    seen: list[object] = []

    async def watching(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        seen.append((call.name, call.args, list(Add.seen)))
        output = await go_on()
        seen.append((output, list(Add.seen)))
        return output

    app = Thena(flow(ScriptedProvider([tool_call("add", number=1), "done"])))
    app.use(tool=watching)

    assert "done" == await app.run("go")
    assert [("add", {"number": 1}, []), (ToolOutput("2"), [1])] == seen


@pytest.mark.behaviour("T257", "T266")
async def test_a_tool_middleware_can_answer_itself() -> None:
    """The tool isn't executed; its node is there all the same, with what the middleware noted on it."""

    async def cached(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        call.meta(cached=True)
        return ToolOutput("from the cache")

    app = Thena(flow(ScriptedProvider([tool_call("add", number=1), "done"])))
    app.use(tool=cached)
    handle = app.run("go")
    await handle
    nodes = [event async for event in handle.event_stream() if event.kind == "tool" and event.phase == "end"]

    assert [] == Add.seen
    assert ["from the cache"] == [each.content for each in handle.state.history if each.role == "tool"]
    assert [("add", "ok", True)] == [(node.name, node.status, node.data["cached"]) for node in nodes]


@pytest.mark.behaviour("T258")
async def test_a_tool_middleware_stands_inside_the_hooks() -> None:
    """It sees the arguments as `before_tool` left them, and `after_tool` sees what it made of the result."""
    seen: list[object] = []

    class Hooks:
        def before_tool(self, call: ToolCall) -> ToolCall:
            return replace(call, args={"number": 10})

        def after_tool(self, result: object) -> None:
            seen.append(result.output)  # type: ignore[attr-defined]

    async def doubling(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        seen.append(call.args)
        return ToolOutput((await go_on()).content * 2)

    app = Thena(flow(ScriptedProvider([tool_call("add", number=1), "done"]), hooks=Hooks))
    app.use(tool=doubling)
    await app.run("go")

    assert [{"number": 10}, "1111"] == seen


@pytest.mark.behaviour("W22")
async def test_arguments_that_a_middleware_changes_are_validated_again() -> None:
    """They are converted like a model's, and what doesn't fit is the middleware's error, not an observation."""

    async def texts(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        call.args["number"] = "41" if call.args["number"] == 1 else "many"
        return await go_on()

    app = Thena(flow(ScriptedProvider([tool_call("add", number=1), tool_call("add", number=2), "done"])))
    app.use(tool=texts)

    with pytest.raises(
        ValueError, match=r"tool middleware `\S+\.texts` set arguments that don't fit tool `add`: number: "
    ):
        await app.run("go")
    assert [41] == Add.seen


@pytest.mark.behaviour("T260")
async def test_an_exception_in_a_tool_middleware_ends_the_run() -> None:
    """It is no observation, for it isn't the tool that failed."""

    async def broken(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        raise LookupError("no quota")

    app = Thena(flow(ScriptedProvider([tool_call("add", number=1), "done"])))
    app.use(tool=broken)

    with pytest.raises(LookupError, match="no quota"):
        await app.run("go")


@pytest.mark.behaviour("T261")
async def test_a_tool_middleware_can_deny_so_that_the_model_recovers() -> None:
    """An output that is marked as an error is an observation, and the run goes on."""

    async def denying(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        return ToolOutput("not allowed", is_error=True)

    app = Thena(flow(ScriptedProvider([tool_call("add", number=1), "done"])))
    app.use(tool=denying)
    handle = app.run("go")

    assert "done" == await handle
    observation = handle.state.history[-2]
    assert ("not allowed", True) == (observation.content, observation.is_error)


@pytest.mark.behaviour("T262")
async def test_the_first_middleware_that_is_registered_is_the_outermost() -> None:
    """Plugins and bare middlewares stand in the order in which they were registered."""
    seen: list[str] = []

    def named(name: str) -> Callable[[ToolInvocation, NextTool], Awaitable[ToolOutput]]:
        async def noting(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
            seen.append(f"{name} in")
            output = await go_on()
            seen.append(f"{name} out")
            return output

        return noting

    app = Thena(flow(ScriptedProvider([tool_call("add", number=1), "done"])))
    app.use(tool=named("first"))
    await app.use(Plugin(name="second", tool=named("second")))
    await app.run("go")

    assert ["first in", "second in", "second out", "first out"] == seen


async def test_calls_that_can_not_be_made_reach_no_middleware() -> None:
    """An unknown tool and arguments that don't fit are answered before, for nothing would be executed."""
    seen: list[str] = []

    async def noting(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        seen.append(call.name)
        return await go_on()

    script = ScriptedProvider([tool_call("subtract"), tool_call("add", number="x"), tool_call("add", number=1), "done"])
    app = Thena(flow(script))
    app.use(tool=noting)
    await app.run("go")

    assert ["add"] == seen


@pytest.mark.behaviour("T263", "T265")
async def test_a_chat_middleware_can_answer_itself() -> None:
    """The provider isn't asked, and the chat's node is there all the same."""
    provider = ScriptedProvider(["never"])
    events: list[Event] = []

    async def cached(call: ChatInvocation, go_on: NextChat) -> Completion:
        call.meta(cached=True)
        return Completion(content="from the cache")

    app = Thena(flow(provider))
    app.use(chat=cached)
    await app.use(Plugin(name="watch", on_event=events.append))

    assert "from the cache" == await app.run("go")
    assert [] == provider.calls
    assert [True] == [event.data["cached"] for event in events if event.kind == "chat" and event.phase == "end"]


async def test_a_chat_middleware_changes_what_is_sent() -> None:
    """Messages, tools and sampling are sent as the last layer left them, and the conversation stays as it is."""
    provider = ScriptedProvider(["done"])

    async def changing(call: ChatInvocation, go_on: NextChat) -> Completion:
        call.messages.insert(1, Message("system", "be brief"))
        call.tools.clear()
        call.sampling["temperature"] = 0.5
        return await go_on()

    app = Thena(flow(provider))
    app.use(chat=changing)
    handle = app.run("go")
    await handle
    sent = provider.calls[0]

    assert ["p", "be brief", "go"] == [each.content for each in sent.messages]
    assert ((), {"temperature": 0.5}) == (sent.tools, sent.sampling)
    assert ["go", "done"] == [each.content for each in handle.state.history]


async def test_a_tool_that_a_middleware_took_away_can_not_be_called() -> None:
    """A model that calls it all the same is told that there is no such tool."""

    async def without_tools(call: ChatInvocation, go_on: NextChat) -> Completion:
        call.tools.clear()
        return await go_on()

    app = Thena(flow(ScriptedProvider([tool_call("add", number=1), "done"])))
    app.use(chat=without_tools)
    handle = app.run("go")
    await handle

    assert "there is no tool `add`; available: none" == handle.state.history[2].content
    assert [] == Add.seen


async def test_an_answer_of_a_chat_middleware_may_ask_for_a_tool() -> None:
    """A completion that was kept is treated like the provider's own, and its calls get ids of their own."""
    kept: list[Completion] = []

    async def caching(call: ChatInvocation, go_on: NextChat) -> Completion:
        if not kept:
            kept.append(await go_on())
            return kept[0]
        return kept[0] if len(call.messages) < 5 else Completion(content="enough")

    provider = ScriptedProvider([tool_call("add", number=1)])
    app = Thena(flow(provider))
    app.use(chat=caching)
    handle = app.run("go")

    assert "enough" == await handle
    assert (1, [1, 1]) == (len(provider.calls), Add.seen)
    assert 2 == len({each.tool_call_id for each in handle.state.history if each.role == "tool"})


async def test_a_middleware_knows_the_agent_and_the_context() -> None:
    """Both invocations carry the agent object whose turn it is and the context of the run."""
    seen: list[tuple[str, str]] = []

    async def chat(call: ChatInvocation, go_on: NextChat) -> Completion:
        seen.append((type(call.agent).__name__, call.ctx.data["account"]))
        return await go_on()

    async def tool(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        seen.append((type(call.agent).__name__, call.ctx.data["account"]))
        return await go_on()

    app = Thena(flow(ScriptedProvider([tool_call("add", number=1), "done"])))
    app.use(chat=chat, tool=tool)
    await app.run("go", data={"account": "acme"})

    assert [("Asking", "acme")] * 3 == seen


@pytest.mark.behaviour("T267")
def test_notes_of_a_middleware_are_free_where_nobody_watches() -> None:
    """`meta` does nothing in a run without a listener."""

    async def noting(call: ChatInvocation, go_on: NextChat) -> Completion:
        call.meta(noted=True)
        return await go_on()

    app = Thena(flow(ScriptedProvider(["done"])))
    app.use(chat=noting)

    assert "done" == app.run_sync("go")


@pytest.mark.behaviour("T268")
async def test_a_workflow_in_a_workflow_passes_through_the_same_chains() -> None:
    """The model calls of a nested run go through the middlewares of the run that started it."""
    prompts: list[str] = []

    @Agent(provider=ScriptedProvider(["inner done"]), prompt=Prompt("inner"))
    class Inner:
        pass

    @Workflow(steps=[Inner])
    class Sub:
        pass

    @Agent(provider=ScriptedProvider(["outer done"]), prompt=Prompt("outer"))
    class Outer:
        pass

    @Workflow(steps=[Outer, Sub])
    class Flow:
        pass

    async def noting(call: ChatInvocation, go_on: NextChat) -> Completion:
        prompts.append(call.messages[0].content)
        return await go_on()

    app = Thena(Flow)
    app.use(chat=noting)
    await app.run("go")

    assert ["outer", "inner"] == prompts


async def test_what_a_middleware_returns_is_checked() -> None:
    """Anything but a completion, or a tool's output, is an error that says what to return."""

    async def chat(call: ChatInvocation, go_on: NextChat) -> Completion:
        return "text"  # type: ignore[return-value]

    async def tool(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        return None  # type: ignore[return-value]

    app = Thena(flow(ScriptedProvider([tool_call("add", number=1)])))
    app.use(tool=tool)
    with pytest.raises(
        TypeError, match=r"tool middleware `\S+\.tool` returned a value of type `NoneType`. Return what"
    ):
        await app.run("go")
    app.use(chat=chat)
    with pytest.raises(TypeError, match=r"chat middleware `\S+\.chat` returned a value of type `str`. Return what"):
        await app.run("go")


async def test_what_a_middleware_raises_reaches_on_error() -> None:
    """An agent may answer in the place of a call that a middleware refused."""

    class Hooks:
        def on_error(self, error: Exception, ctx: Context) -> str:
            return f"sorry: {error}"

    async def refusing(call: ChatInvocation, go_on: NextChat) -> Completion:
        raise PermissionError("not today")

    app = Thena(flow(ScriptedProvider(["done"]), hooks=Hooks))
    app.use(chat=refusing)

    assert "sorry: not today" == await app.run("go")

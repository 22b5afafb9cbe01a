"""Agents that define `run`: they own the step, and what they work with is recorded like a turn's."""

from collections.abc import Awaitable, Callable

import pytest

from thena_runtime import (
    Agent,
    ChatInvocation,
    Completion,
    Context,
    ContractError,
    Message,
    OutsideRunError,
    Prompt,
    ScriptedProvider,
    Thena,
    Tool,
    ToolInvocation,
    ToolOutput,
    Workflow,
    loop,
    tool_call,
    until_answered,
)
from thena_runtime.testing import record


@Tool(name="add", description="Add one.")
class Add:
    """A tool that fails for negative numbers."""

    async def execute(self, number: int) -> str:
        if number < 0:
            raise ValueError("too small")
        return str(number + 1)


def flow(agent: type, **options: object) -> type:
    """A workflow of one agent."""

    @Workflow(steps=[agent], **options)  # type: ignore[call-overload]
    class Flow:
        pass

    return Flow


@pytest.mark.behaviour("T218")
async def test_an_agent_with_a_run_of_its_own_takes_over() -> None:
    """No hook fires and no model is asked; what `run` returns is the output, and the next agent sees it."""
    provider = ScriptedProvider(["never"])
    fired: list[str] = []

    @Agent(provider=provider, prompt=Prompt("p"))
    class Own:
        def before_prompt(self, prompt: str) -> None:
            fired.append("before_prompt")

        def after_response(self, response: str) -> None:
            fired.append("after_response")

        async def run(self, input: str, ctx: Context) -> str:
            return f"{input} of {ctx.data['account']}"

    run = await record(flow(Own), "hello", data={"account": "acme"})

    assert "hello of acme" == run.output
    assert ([], []) == (fired, provider.calls)
    assert Message("assistant", "hello of acme") == run.conversation.history[-1]
    assert "workflow Flow ok\n  agent Own ok" == run.tree


@pytest.mark.behaviour("T219")
async def test_its_turn_called_no_tool() -> None:
    """`until_answered` ends a loop after one step, whatever the agent called inside."""
    steps: list[str] = []

    @Agent(provider=ScriptedProvider(["never"]), prompt=Prompt("p"), tools=[Add])
    class Own:
        async def run(self, input: str, ctx: Context) -> str:
            steps.append((await ctx.call_tool("add", {"number": 1})).content)
            return "done"

    @Workflow(steps=[loop([Own], until=until_answered)])
    class Flow:
        pass

    assert "done" == (await record(Flow)).output
    assert ["2"] == steps


@pytest.mark.behaviour("W26")
async def test_its_calls_are_recorded_and_pass_through_the_chains() -> None:
    """`ctx.chat` and `ctx.call_tool` have nodes, and the app's middlewares stand around them."""
    provider = ScriptedProvider([tool_call("add", number=1), "it is 2"])
    passed: list[str] = []

    @Agent(provider=provider, prompt=Prompt("p"), tools=[Add])
    class Own:
        def before_tool(self, call: object) -> None:
            passed.append("hook")

        async def run(self, input: str, ctx: Context) -> str:
            asked = await ctx.chat()
            call = asked.tool_calls[0]
            result = await ctx.call_tool(call.name, call.arguments)
            answer = await ctx.chat([Message("system", ctx.prompt), Message("user", result.content)], tools=[])
            return answer.content

    async def chat(call: ChatInvocation, go_on: Callable[[], Awaitable[Completion]]) -> Completion:
        passed.append("chat")
        return await go_on()

    async def tool(call: ToolInvocation, go_on: Callable[[], Awaitable[ToolOutput]]) -> ToolOutput:
        passed.append("tool")
        return await go_on()

    async with Thena(flow(Own)) as app:
        app.use(chat=chat, tool=tool)
        handle = app.run("go")
        output = await handle
        events = [event async for event in handle.event_stream()]
        kinds = [event.kind for event in events if event.phase == "start"]

    assert "it is 2" == output
    assert {"chat_calls": 2, "tool_calls": 1} == {name: events[-1].data[name] for name in ("chat_calls", "tool_calls")}
    assert ["chat", "tool", "chat"] == passed
    assert ["workflow", "agent", "chat", "tool", "chat"] == kinds
    assert ["p", "go"] == [message.content for message in provider.calls[0].messages]
    assert ["add"] == [tool.name for tool in provider.calls[0].tools]
    assert (["p", "2"], ()) == ([message.content for message in provider.calls[1].messages], provider.calls[1].tools)
    assert ["go", "it is 2"] == [message.content for message in handle.state.history]


async def test_a_tool_that_fails_is_an_output() -> None:
    """Unknown tools, wrong arguments and exceptions are outputs that are marked as errors, as in a turn."""
    outputs: list[ToolOutput] = []

    @Agent(provider=ScriptedProvider(["never"]), prompt=Prompt("p"), tools=[Add])
    class Own:
        async def run(self, input: str, ctx: Context) -> None:
            outputs.append(await ctx.call_tool("subtract", {}))
            outputs.append(await ctx.call_tool("add", {"number": "many"}))
            outputs.append(await ctx.call_tool("add", {"number": -1}))

    run = await record(flow(Own))

    assert [True, True, True] == [output.is_error for output in outputs]
    assert "there is no tool `subtract`; available: `add`" == outputs[0].content
    assert "invalid arguments for tool `add`" in outputs[1].content
    assert "too small" == outputs[2].content
    assert (None, ("go",)) == (run.output, tuple(each.content for each in run.conversation.history))


async def test_the_model_is_told_of_the_tools_that_are_chosen() -> None:
    """Tools are chosen by name or as they stand in `tools=`; one that the agent doesn't have is an error."""
    provider = ScriptedProvider(["ok"])

    def subtract(number: int) -> int:
        """Subtract one."""
        return number - 1

    @Agent(provider=provider, prompt=Prompt("p"), tools=[Add, subtract])
    class Own:
        async def run(self, input: str, ctx: Context) -> str:
            await ctx.chat(tools=[Add])
            await ctx.chat(tools=["subtract"])
            await ctx.chat(tools=[subtract, "add"])
            await ctx.chat(tools=["divide"])
            return ""

    with pytest.raises(ValueError, match=r"`Own` has no tool `divide`; it has: `add`, `subtract`\."):
        await record(flow(Own))
    assert [["add"], ["subtract"], ["subtract", "add"]] == [
        [tool.name for tool in call.tools] for call in provider.calls
    ]


async def test_what_it_raises_is_its_own_to_catch() -> None:
    """`on_error` isn't asked, for no hook fires."""

    @Agent(provider=ScriptedProvider(["never"]), prompt=Prompt("p"))
    class Own:
        def on_error(self, error: Exception) -> str:
            return "recovered"

        async def run(self) -> str:
            raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        await record(flow(Own))


async def test_any_value_is_an_output() -> None:
    """A value that is no text is `ctx.output` as it is, and stands in the conversation as JSON."""

    @Agent(provider=ScriptedProvider(["never"]), prompt=Prompt("p"))
    class Own:
        def run(self, input: str) -> dict[str, int]:
            return {"words": len(input.split())}

    @Agent(provider=ScriptedProvider(["never"]), prompt=Prompt("p"))
    class Next:
        def run(self, input: str, ctx: Context) -> list[object]:
            return [input, ctx.output]

    @Workflow(steps=[Own, Next])
    class Flow:
        pass

    assert ['{"words": 2}', {"words": 2}] == (await record(Flow, "two words")).output


@pytest.mark.behaviour("W33")
async def test_nothing_is_written_on_the_agent() -> None:
    """An agent of slots, whose attributes are its own, can run its step."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Own:
        __slots__ = ()

        async def run(self, input: str, ctx: Context) -> str:
            return (await ctx.chat()).content

    assert "ok" == (await record(flow(Own))).output


async def test_its_means_exist_only_there() -> None:
    """In a hook the means of an own step raise, and say where they are to be used."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Asking:
        async def before_prompt(self, prompt: str, ctx: Context) -> None:
            await ctx.chat()

    with pytest.raises(OutsideRunError, match=r"THN702 `ctx.chat` is used outside an agent's own `run`"):
        await record(flow(Asking))


async def test_messages_that_are_none_are_refused() -> None:
    """A text where a message should be is named, with the repair."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Own:
        async def run(self, input: str, ctx: Context) -> str:
            return (await ctx.chat(["hello"])).content  # type: ignore[list-item]

    with pytest.raises(TypeError, match=r"`ctx.chat` got a message of type `str`"):
        await record(flow(Own))


def test_a_run_that_needs_more_than_it_is_given_is_refused_at_start() -> None:
    """`run` takes at most the input and the context."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Own:
        async def run(self, input: str, ctx: Context, extra: int) -> str:
            return ""

    with pytest.raises(
        ContractError, match=r"THN501 `Own.run` needs 3 arguments, but it is called with `\(input, ctx\)`"
    ):
        Thena(flow(Own))

"""One turn of an agent: order of the hooks, what they replace, and what ends up in the conversation and the context."""

import asyncio

import pytest

from thena_runtime import (
    Agent,
    AgentHooks,
    Completion,
    CompletionRequest,
    Context,
    FatalToolError,
    Message,
    Prompt,
    RunAborted,
    ScriptedProvider,
    Thena,
    Tool,
    ToolCall,
    ToolOutput,
    ToolResult,
    Turn,
    Workflow,
    loop,
    tool_call,
)
from thena_runtime.steps import Step
from thena_runtime.testing import record


@Tool(name="double", description="Double a number.")
class Double:
    """A tool that can be counted on."""

    def execute(self, n: int) -> int:
        return n * 2


def flow(*steps: Step) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps)
    class Flow:
        pass

    return Flow


async def test_hooks_are_called_in_the_order_of_a_turn() -> None:
    """`before_prompt`, the model, `before_tool`, the tool, `after_tool`, `after_response`: each once, sync or async."""
    order: list[str] = []

    def model(messages: tuple[Message, ...]) -> object:
        order.append("model")
        return tool_call("note")

    @Tool(name="note", description="Note.")
    class Note:
        def execute(self) -> str:
            order.append("execute")
            return "noted"

    @Agent(provider=ScriptedProvider([model]), prompt=Prompt("p"), tools=[Note])
    class Noter:
        async def before_prompt(self, prompt: str, ctx: Context) -> None:
            order.append("before_prompt")

        def before_tool(self, call: ToolCall, ctx: Context) -> None:
            order.append("before_tool")

        async def after_tool(self, result: ToolResult, ctx: Context) -> None:
            order.append("after_tool")

        def after_response(self, response: str, ctx: Context) -> None:
            order.append("after_response")

    await record(flow(Noter))

    assert ["before_prompt", "model", "before_tool", "execute", "after_tool", "after_response"] == order


async def test_a_hook_may_leave_out_its_last_parameters() -> None:
    """A hook is called with as many arguments as it takes, none included."""
    seen: list[object] = []

    @Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("p"))
    class Quiet:
        def before_prompt(self) -> None:
            seen.append("none")

        def after_response(self, response: str) -> None:
            seen.append(response)

    await record(flow(Quiet))

    assert ["none", "done"] == seen


async def test_the_model_is_sent_the_prompt_then_the_notes_then_the_turns() -> None:
    """Memory and tasks are one system message after the prompt's; without them there is none."""
    provider = ScriptedProvider(["first", "second"])

    @Agent(provider=provider, prompt=Prompt("You are one."))
    class One:
        def after_response(self, response: str, ctx: Context) -> None:
            ctx.state.append("tasks", "write it down")

    @Agent(provider=provider, prompt=Prompt("You are two."))
    class Two:
        pass

    await record(flow(One, Two), "hello", state={"memory": ["plan: pro", "id: 7"]})

    assert [
        (
            Message("system", "You are one."),
            Message("system", "plan: pro\nid: 7"),
            Message("user", "hello"),
        ),
        (
            Message("system", "You are two."),
            Message("system", "plan: pro\nid: 7\n\nTasks:\n- write it down"),
            Message("user", "hello"),
            Message("assistant", "first"),
        ),
    ] == [call.messages for call in provider.calls]


async def test_before_prompt_replaces_the_prompt_of_its_turn_alone() -> None:
    """What it returns is sent, the empty string too, and the next turn begins with the agent's own prompt."""
    provider = ScriptedProvider(["ok"])

    @Agent(provider=provider, prompt=Prompt("own"))
    class Changing:
        turns = 0

        def before_prompt(self, prompt: str) -> str | None:
            self.turns += 1
            return "" if self.turns == 1 else None

    await record(flow(loop([Changing], until=lambda ctx: False, max_iterations=2)))

    assert ["", "own"] == [call.messages[0].content for call in provider.calls]


@pytest.mark.behaviour("T207", "W22")
async def test_before_tool_replaces_arguments_which_are_validated_again() -> None:
    """A new call's arguments are converted like the model's own."""
    seen: list[object] = []

    @Agent(provider=ScriptedProvider([tool_call("double", n=1)]), prompt=Prompt("p"), tools=[Double])
    class Changing:
        def before_tool(self, call: ToolCall) -> ToolCall:
            seen.append(call)
            return ToolCall("double", {"n": "21"})

        def after_tool(self, result: ToolResult) -> None:
            seen.append(result)

    run = await record(flow(Changing))

    assert [ToolCall("double", {"n": 1}), ToolResult("double", {"n": 21}, "42")] == seen
    assert "42" == run.output


@pytest.mark.behaviour("W22")
@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (ToolCall("triple", {"n": 1}), "`Changing.before_tool` returned a call of `triple` for one of `double`"),
        (ToolCall("double", {"n": "x"}), "`Changing.before_tool` returned arguments that don't fit tool `double`: n:"),
    ],
)
async def test_a_call_that_before_tool_spoils_is_the_turns_error(wanted: ToolCall, text: str) -> None:
    """Another tool's name, or arguments that don't fit, are the hook's mistake and not told to the model."""

    @Agent(provider=ScriptedProvider([tool_call("double", n=1)]), prompt=Prompt("p"), tools=[Double])
    class Changing:
        def before_tool(self, call: ToolCall) -> ToolCall:
            return wanted

    with pytest.raises(ValueError, match="before_tool") as caught:
        await record(flow(Changing))

    assert str(caught.value).startswith(text)


async def test_a_string_from_after_tool_keeps_the_mark_of_failure_and_a_tool_output_sets_it() -> None:
    """Only a `ToolOutput` changes whether the observation is an error."""
    answers: list[object] = ["softer", ToolOutput("fine")]

    @Tool(name="fail", description="Fail.")
    class Fail:
        def execute(self) -> str:
            raise ValueError("broken")

    @Agent(provider=ScriptedProvider([tool_call("fail")]), prompt=Prompt("p"), tools=[Fail])
    class Softening:
        def after_tool(self, result: ToolResult) -> object:
            return answers.pop(0)

    run = await record(flow(Softening, Softening))

    observations = [message for message in run.conversation.history if message.role == "tool"]
    assert [("softer", True), ("fine", False)] == [(each.content, each.is_error) for each in observations]


async def test_a_replaced_response_is_replaced_in_the_history_too() -> None:
    """The next agent reads what the run gave, and not what the model said."""
    provider = ScriptedProvider(["draft", "ok"])

    @Agent(provider=provider, prompt=Prompt("p"))
    class Polishing:
        def after_response(self, response: str) -> str:
            return f"{response}, polished"

    @Agent(provider=provider, prompt=Prompt("p"))
    class Next:
        pass

    await record(flow(Polishing, Next), "go")

    assert Message("assistant", "draft, polished") == provider.calls[1].messages[-1]


async def test_a_turn_whose_message_was_promoted_leaves_nothing_to_replace() -> None:
    """When `after_response` takes its message out of the history, what it returns is only the output."""

    @Agent(provider=ScriptedProvider(["a plan"]), prompt=Prompt("p"))
    class Planner:
        def after_response(self, response: str, ctx: Context) -> str:
            ctx.state.set("history", ctx.state.history[:-1])
            ctx.state.append("memory", response)
            return "planned"

    run = await record(flow(Planner), "go")

    assert "planned" == run.output
    assert (Message("user", "go"),) == run.conversation.history
    assert ("a plan",) == run.conversation.memory


async def test_the_context_tells_of_the_turn_after_it() -> None:
    """`ctx.turn` and `ctx.output` are written once `after_response` has answered."""
    seen: list[object] = []

    @Agent(provider=ScriptedProvider([tool_call("double", n=4), "8"]), prompt=Prompt("p"), tools=[Double])
    class Doubling:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            seen.append((ctx.turn, ctx.output))

        def after_response(self, response: str, ctx: Context) -> str:
            seen.append((ctx.turn, ctx.output))
            return f"<{response}>"

    await record(flow(Doubling, Doubling))

    turn = Turn(called_tool=True, tool_name="double", tool_call_source="native", response="<8>")
    assert [(None, None), (None, None), (turn, "<8>")] == seen[:3]


@pytest.mark.behaviour("T215", "W17")
async def test_on_error_answers_in_the_place_of_a_turn_that_raised() -> None:
    """Its answer is the output, the turn and the assistant's message."""
    seen: list[object] = []

    @Agent(provider=ScriptedProvider([ConnectionError("no network")]), prompt=Prompt("p"))
    class Careful:
        def on_error(self, error: Exception, ctx: Context) -> str:
            seen.append(str(error))
            return "try later"

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Next:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            seen.append(ctx.turn)

    run = await record(flow(Careful, Next), "go")

    assert ["no network", Turn(called_tool=False, response="try later")] == seen
    assert Message("assistant", "try later") == run.conversation.history[1]


async def test_an_error_that_nobody_answers_ends_the_run() -> None:
    """An `on_error` that returns nothing lets the very error through."""
    error = ConnectionError("no network")

    @Agent(provider=ScriptedProvider([error]), prompt=Prompt("p"))
    class Watching:
        def on_error(self, error: Exception) -> None:
            pass

    with pytest.raises(ConnectionError) as caught:
        await record(flow(Watching))

    assert error is caught.value


async def test_a_fatal_tool_error_ends_the_run_past_on_error() -> None:
    """`on_error` can't swallow what a tool raised to end the run."""
    asked: list[Exception] = []

    @Tool(name="stop", description="Stop.")
    class Stop:
        def execute(self) -> str:
            raise FatalToolError("the disk is full") from OSError("secret path")

    @Agent(provider=ScriptedProvider([tool_call("stop")]), prompt=Prompt("p"), tools=[Stop])
    class Agreeing:
        def on_error(self, error: Exception) -> str:
            asked.append(error)
            return "fine"

    with pytest.raises(FatalToolError, match="the disk is full"):
        await record(flow(Agreeing))

    assert [] == asked


@pytest.mark.behaviour("T208")
async def test_an_exception_in_before_tool_cancels_the_tool() -> None:
    """The tool isn't executed, and `on_error` sees the exception."""
    executed: list[str] = []

    @Tool(name="act", description="Act.")
    class Act:
        def execute(self) -> None:
            executed.append("act")

    @Agent(provider=ScriptedProvider([tool_call("act")]), prompt=Prompt("p"), tools=[Act])
    class Denying:
        def before_tool(self, call: ToolCall) -> None:
            raise PermissionError(f"not {call.name}")

        def on_error(self, error: Exception) -> str:
            return f"denied: {error}"

    run = await record(flow(Denying))

    assert ([], "denied: not act") == (executed, run.output)


async def test_what_on_error_answers_leaves_nothing_of_the_turn_that_raised() -> None:
    """The answer whose tool was never called isn't kept: no call is left without an observation, and none is sent."""
    provider = ScriptedProvider([tool_call("double", n=1), "ok"])

    @Agent(provider=provider, prompt=Prompt("p"), tools=[Double])
    class Denying:
        def before_tool(self, call: ToolCall) -> None:
            raise PermissionError("not now")

        def on_error(self, error: Exception) -> str:
            return "denied"

    run = await record(flow(Denying, Denying), "go")

    assert [Message("user", "go"), Message("assistant", "denied"), Message("assistant", "ok")] == list(
        run.conversation.history
    )
    assert (Message("user", "go"), Message("assistant", "denied")) == provider.calls[1].messages[-2:]


async def test_a_hook_that_aborts_and_raises_aborts() -> None:
    """The abort counts, and not what was raised beside it: the call that was made stays in the conversation."""
    asked: list[Exception] = []

    @Agent(provider=ScriptedProvider([tool_call("double", n=1)]), prompt=Prompt("p"), tools=[Double])
    class Aborting:
        def after_tool(self, result: ToolResult, ctx: Context) -> None:
            ctx.abort("enough")
            raise LookupError("and this too")

        def on_error(self, error: Exception) -> str:
            asked.append(error)
            return "fine"

    run = await record(flow(Aborting), "go", raises=RunAborted)

    _, answer, observation = run.conversation.history
    assert ([], "enough") == (asked, run.error.reason if isinstance(run.error, RunAborted) else None)
    assert [call.id for call in answer.tool_calls] == [observation.tool_call_id]
    assert observation.content.startswith("not finished: the run was ended before this call was over.")


async def test_a_model_that_fails_because_of_an_abort_is_no_error_of_the_turn() -> None:
    """A provider that turns its cancellation into an error of its own doesn't bring `on_error` into an aborted run."""
    asked: list[Exception] = []
    begun = asyncio.Event()

    class Fragile:
        async def complete(self, request: CompletionRequest) -> Completion:
            begun.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                raise ConnectionError("the connection was closed") from None
            return Completion(content="never")

        async def close(self) -> None: ...

    @Agent(provider=Fragile(), prompt=Prompt("p"))
    class Recovering:
        def on_error(self, error: Exception) -> str:
            asked.append(error)
            return "fine"

    handle = Thena(flow(Recovering)).run("go")
    await begun.wait()
    handle.abort("enough")

    with pytest.raises(RunAborted, match="enough"):
        await handle
    assert [] == asked


async def test_only_the_first_of_several_calls_is_executed_and_each_other_is_answered() -> None:
    """Every call has its observation, so that no provider rejects the conversation; the turn is the first call's."""

    @Agent(
        provider=ScriptedProvider([[tool_call("double", n=1), tool_call("double", n=2)]]),
        prompt=Prompt("p"),
        tools=[Double],
    )
    class Greedy:
        pass

    run = await record(flow(Greedy))

    _, asked, first, second = run.conversation.history
    assert [call.id for call in asked.tool_calls] == [first.tool_call_id, second.tool_call_id]
    assert ("2", False) == (first.content, first.is_error)
    assert second.content.startswith("not executed: only the first tool call of an answer is.")
    assert "2" == run.output
    assert "tool double skipped" in run.tree


async def test_the_base_class_of_hooks_adds_none() -> None:
    """An agent that inherits `AgentHooks` has only the hooks that it writes itself."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Typed(AgentHooks):
        def after_response(self, response: str, ctx: Context, /) -> str:
            return response.upper()

    assert "OK" == (await record(flow(Typed))).output


async def test_the_base_class_of_hooks_hides_none() -> None:
    """A hook of a class that Python asks only after `AgentHooks` is called like any other."""

    class Logged(AgentHooks):
        def before_prompt(self, prompt: str, ctx: Context, /) -> None: ...

    class Loud:
        def after_response(self, response: str) -> str:
            return response.upper()

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Mixed(Logged, Loud): ...

    assert "OK" == (await record(flow(Mixed))).output


async def test_a_hook_that_returns_something_else_is_told_so() -> None:
    """The text names the hook, what it returned and what it may return."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Odd:
        def after_response(self, response: str) -> object:
            return 7

    with pytest.raises(TypeError) as caught:
        await record(flow(Odd))

    assert "`Odd.after_response` returned a value of type `int`. Return `str`, or nothing to keep the value." == str(
        caught.value
    )


async def test_the_agents_sampling_and_tools_reach_the_provider() -> None:
    """A model is told the tool's name, description and schema, and the sampling as it was written."""
    provider = ScriptedProvider(["ok"])

    @Agent(provider=provider, prompt=Prompt("p"), tools=[Double], sampling={"temperature": 0})
    class Sampled:
        pass

    await record(flow(Sampled))

    (call,) = provider.calls
    assert {"temperature": 0} == call.sampling
    (spec,) = call.tools
    assert ("double", "Double a number.") == (spec.name, spec.description)
    assert {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]} == spec.parameters

"""Answers that were cut off, by a limit of tokens or a filter: told apart from whole ones, no half call executed."""

import io
from collections.abc import Awaitable, Callable

import pytest
from pydantic import BaseModel

from thena_runtime import (
    Agent,
    ChatInvocation,
    Completion,
    FunctionCall,
    OutputError,
    Prompt,
    ScriptedProvider,
    Thena,
    ThenaConfig,
    ToolResult,
    Turn,
    Usage,
    Workflow,
    current_context,
    loop,
    tool_call,
    until_answered,
)
from thena_runtime.messages import FinishReason
from thena_runtime.observability.console import ConsoleLog
from thena_runtime.testing import record

REASONS: list[FinishReason] = ["length", "content_filter"]
CUT = (
    "not executed: the answer was cut off in the middle of this call, so that its arguments aren't whole. "
    "Ask for it again, with less at once."
)


def flow(provider: ScriptedProvider, *tools: object, hooks: type = object, **options: object) -> type:
    """A workflow that asks until there is an answer."""

    @Agent(provider=provider, prompt=Prompt("p"), tools=tools, **options)  # type: ignore[call-overload]
    class Asking(hooks):  # type: ignore[misc] # a class that the caller chooses
        pass

    @Workflow(steps=[loop([Asking], until=until_answered)])
    class Flow:
        pass

    return Flow


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("way", ["provider", "streamed", "middleware"])
async def test_an_answer_that_was_cut_off_is_told_apart(reason: FinishReason, way: str) -> None:
    """The turn, the history, the call's node and the log say so; the text is the output all the same."""
    turns: list[Turn | None] = []
    completion = Completion(content="half an ans", finish_reason=reason)

    class Hooks:
        def after_response(self, response: str) -> None:
            current_context().on_dispose(lambda: turns.append(current_context().turn))

    async def cached(call: ChatInvocation, go_on: Callable[[], Awaitable[Completion]]) -> Completion:
        return completion

    stream = io.StringIO()
    provider = ScriptedProvider(["whole" if way == "middleware" else completion])
    app = Thena(flow(provider, hooks=Hooks), ThenaConfig(log=ConsoleLog(stream)))
    if way == "middleware":
        app.use(chat=cached)
    handle = app.run("go", observe=way == "streamed")

    assert "half an ans" == await handle
    assert [reason] == [turn and turn.finish_reason for turn in turns]
    assert ["stop", reason] == [message.finish_reason for message in handle.state.history]
    ends = [event async for event in handle.event_stream() if event.phase == "end"] if way == "streamed" else []
    assert ([reason] if ends else []) == [event.data["finish_reason"] for event in ends if event.kind == "chat"]
    [line] = [line for line in stream.getvalue().splitlines() if "◂ chat" in line]
    assert line.endswith(f" ✓  cut off ({reason})")


async def test_a_whole_answer_ends_with_stop() -> None:
    """Its turn and its message say `"stop"`, and its node says nothing."""
    run = await record(flow(ScriptedProvider([tool_call("look"), "done"]), look))

    assert {"stop"} == {message.finish_reason for message in run.conversation.history}
    assert [] == [event for event in run.events if "finish_reason" in event.data]


def look(where: str = "here") -> str:
    """Look."""
    return f"nothing {where}"


def half(*calls: object, reason: FinishReason = "length") -> Completion:
    """An answer that was cut off, with calls of `look` that have these arguments."""
    return Completion(
        content="",
        tool_calls=tuple(FunctionCall(name="look", arguments=each) for each in calls),
        finish_reason=reason,
    )


@pytest.mark.parametrize("reason", REASONS)
@pytest.mark.parametrize("arguments", ['{"where": "in the at', "", None], ids=["half", "not begun", "none"])
async def test_a_call_that_was_cut_off_is_not_executed(arguments: object, reason: FinishReason) -> None:
    """The model is told, may ask again, and the call counts as one that failed."""
    seen: list[str] = []
    results: list[ToolResult] = []

    class Hooks:
        def after_tool(self, result: ToolResult) -> None:
            results.append(result)

    def look(where: str = "here") -> str:
        """Look."""
        seen.append(where)
        return "nothing"

    script = ScriptedProvider([half(arguments, reason=reason), tool_call("look", where="there"), "done"])
    run = await record(flow(script, look, hooks=Hooks))

    assert ("done", ["there"]) == (run.output, seen)
    observation = run.conversation.history[2]
    assert (CUT, True) == (observation.content, observation.is_error)
    assert [ToolResult("look", {}, CUT, True)] == results[:1]
    assert ["error", "ok"] == [node.status for node in run.root.all("tool", "look")]
    assert 2 == run.root.data["tool_calls"]


async def test_a_name_that_was_cut_off_is_told_as_such() -> None:
    """Not as a tool that doesn't exist."""
    answer = Completion(content="", tool_calls=(FunctionCall(name="loo", arguments=""),), finish_reason="length")
    run = await record(flow(ScriptedProvider([answer, "done"]), look))

    assert CUT == run.conversation.history[2].content


async def test_whole_calls_of_an_answer_that_was_cut_off_are_executed() -> None:
    """Only the one that the end came into isn't."""
    script = ScriptedProvider([half({"where": "a"}, {"where": "b"}, '{"whe'), "done"])
    run = await record(flow(script, look, tool_calls="all"))

    assert ["nothing a", "nothing b", CUT] == [each.content for each in run.conversation.history[2:5]]


async def test_arguments_that_are_no_json_in_a_whole_answer_are_told_as_such() -> None:
    """The model wrote them wrong, and nothing cut it off."""
    answer = Completion(content="", tool_calls=(FunctionCall(name="look", arguments="{where}"),))
    run = await record(flow(ScriptedProvider([answer, "done"]), look))

    assert "invalid arguments for tool `look`: the arguments are no JSON object" == run.conversation.history[2].content


class Verdict(BaseModel):
    """An output."""

    approved: bool


def judged(*turns: str | Completion) -> tuple[type, ScriptedProvider]:
    """A workflow whose agent answers with a verdict, and its model."""
    provider = ScriptedProvider(turns)

    @Agent(provider=provider, prompt=Prompt("p"), output=Verdict)
    class Judge:
        pass

    @Workflow(steps=[Judge])
    class Flow:
        pass

    return Flow, provider


async def test_an_output_that_was_cut_off_is_repaired() -> None:
    """The model is told that its answer was cut off, beside what is wrong with it."""
    workflow, provider = judged(Completion(content='{"approv', finish_reason="length"), '{"approved": true}')
    run = await record(workflow)

    assert Verdict(approved=True) == run.output
    assert (
        provider.calls[1]
        .messages[-1]
        .content.startswith("This answer doesn't fit the schema: it was cut off before its end, make it shorter (")
    )


async def test_an_output_that_is_cut_off_again_is_an_error_that_says_so() -> None:
    """Its repair is another than where the model didn't understand."""
    workflow, _ = judged(Completion(content='{"approv', finish_reason="length"))
    with pytest.raises(OutputError, match=r"it was cut off .* Let the model answer with more tokens, or ask it for le"):
        await Thena(workflow).run("go")


def test_a_script_may_hold_a_whole_completion() -> None:
    """Its calls get ids of their own each time, and its usage is the provider's to say."""
    provider = ScriptedProvider([half({"where": "a"}), half({"where": "a"}), "done"], usage=Usage(prompt_tokens=3))
    app = Thena(flow(provider, look))

    assert "done" == app.run_sync("go")
    ids = [call.id for sent in provider.calls[2].messages for call in sent.tool_calls]
    assert 2 == len(set(ids))
    with pytest.raises(
        ValueError, match=r"turn 0: it is a `Completion` with a usage of its own.* Give `usage=` to the"
    ):
        ScriptedProvider([Completion(content="x", usage=Usage())])

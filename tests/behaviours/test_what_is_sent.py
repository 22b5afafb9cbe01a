"""Rows of the behaviour list about what a run costs: how often a model is called, and what it is sent."""

from collections.abc import Awaitable, Callable
from itertools import pairwise

import pytest

from thena_runtime import (
    Agent,
    Prompt,
    ScriptedProvider,
    Thena,
    ToolInvocation,
    ToolOutput,
    Workflow,
    loop,
    tool_call,
    until_answered,
)
from thena_runtime.steps import Step
from thena_runtime.testing import record


def flow(*steps: Step) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps)
    class Flow:
        pass

    return Flow


def speaker(*turns: object, tools: tuple[object, ...] = ()) -> type:
    """An agent that plays these turns."""

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=tools)  # type: ignore[arg-type]
    class Speaker:
        pass

    return Speaker


@pytest.mark.behaviour("T300", "T301", "T302")
async def test_each_turn_is_one_call_whether_it_uses_a_tool_or_not() -> None:
    """An answer is one call, a tool without a loop is one call, and three tools and an answer are four."""

    async def look(where: int) -> int:
        """Look."""
        return where

    calls = [tool_call("look", where=number) for number in range(3)]
    asked = []
    for turns in (["answer"], calls[:1], [*calls, "answer"]):
        provider = ScriptedProvider(turns)

        @Agent(provider=provider, prompt=Prompt("p"), tools=[look])
        class Looking:
            pass

        step: Step = loop([Looking], until=until_answered) if len(turns) > 1 else Looking
        await record(flow(step))
        asked.append(len(provider.calls))

    assert [1, 1, 4] == asked


@pytest.mark.behaviour("T303", "T304", "W44")
async def test_every_turn_sends_what_was_sent_before_and_a_little_more() -> None:
    """What is sent begins with what the turn before sent, the prompt first, so that a server's cache can hit."""
    word = "x" * 500

    async def look(where: int) -> str:
        """Look."""
        return word

    provider = ScriptedProvider([*(tool_call("look", where=number) for number in range(9)), "answer"])

    @Agent(provider=provider, prompt=Prompt("You look."), tools=[look])
    class Looking:
        pass

    await record(flow(loop([Looking], until=until_answered)))

    sent = [call.messages for call in provider.calls]
    assert 10 == len(sent)
    assert all(later[: len(earlier)] == earlier for earlier, later in pairwise(sent))
    assert [2] * 9 == [len(later) - len(earlier) for earlier, later in pairwise(sent)]
    assert {"You look."} == {messages[0].content for messages in sent}
    # Each turn sends all results so far again: nothing is dropped, and nothing is sent twice.
    assert [number * 500 for number in range(10)] == [
        sum(len(message.content) for message in messages if message.role == "tool") for messages in sent
    ]


@pytest.mark.behaviour("T306")
async def test_a_tool_middleware_is_passed_once_for_each_execution() -> None:
    """Two executions are two passes, in one turn or in several."""

    async def look(where: int) -> int:
        """Look."""
        return where

    passed: list[object] = []

    async def noting(call: ToolInvocation, go_on: Callable[[], Awaitable[ToolOutput]]) -> ToolOutput:
        passed.append(call.args)
        return await go_on()

    turns = [tool_call("look", where=1), tool_call("look", where=2), "answer"]
    app = Thena(flow(loop([speaker(*turns, tools=(look,))], until=until_answered)))
    app.use(tool=noting)
    await record(app)

    assert [{"where": 1}, {"where": 2}] == passed

"""What `ScriptedProvider` plays, keeps and refuses."""

import asyncio

import pytest

from thena_runtime.messages import Completion, Message, ToolSpec
from thena_runtime.providers.provider import CompletionRequest, Provider
from thena_runtime.providers.scripted import ScriptedCall, ScriptedProvider, tool_call

HELLO = CompletionRequest(messages=(Message("user", "hello"),))


async def contents(provider: ScriptedProvider, times: int) -> list[str]:
    return [(await provider.complete(HELLO)).content for _ in range(times)]


def asked(completion: Completion) -> list[tuple[str, object]]:
    return [(call.name, call.arguments) for call in completion.tool_calls]


async def test_turns_are_played_in_order_and_the_last_one_repeats() -> None:
    """Each call plays the next turn, and the last turn answers every later call."""
    assert ["one", "two", "two", "two"] == await contents(ScriptedProvider(["one", "two"]), 4)


async def test_a_tool_call_asks_for_that_tool() -> None:
    """`tool_call` becomes one native call with its arguments and no text."""
    completion = await ScriptedProvider([tool_call("read", path="a.py", name="x")]).complete(HELLO)
    assert "" == completion.content
    assert [("read", {"path": "a.py", "name": "x"})] == asked(completion)
    assert ["native"] == [call.source for call in completion.tool_calls]


async def test_a_list_asks_for_several_tools_at_once() -> None:
    """A list of tool calls is one turn with several native calls."""
    completion = await ScriptedProvider([[tool_call("a"), tool_call("b", n=1)]]).complete(HELLO)
    assert [("a", {}), ("b", {"n": 1})] == asked(completion)


async def test_arguments_that_are_no_mapping_can_be_played() -> None:
    """A `ScriptedCall` plays a model whose arguments are broken text."""
    completion = await ScriptedProvider([ScriptedCall("read", '{"path": ')]).complete(HELLO)
    assert [("read", '{"path": ')] == asked(completion)


async def test_every_call_played_has_an_id_of_its_own() -> None:
    """A repeated turn, and a call written once and played twice in a turn, never give the same id again."""
    call = tool_call("a")
    provider = ScriptedProvider([[call, call]])
    ids = [played.id for _ in range(3) for played in (await provider.complete(HELLO)).tool_calls]
    assert 6 == len(set(ids))


async def test_changing_the_arguments_of_one_call_leaves_the_script_alone() -> None:
    """What a run does to the arguments that it was given is not seen by the next call of a repeated turn."""
    provider = ScriptedProvider([tool_call("a", paths=["x"])])
    first = (await provider.complete(HELLO)).tool_calls[0].arguments
    assert isinstance(first, dict)
    first["paths"].append("y")
    assert [("a", {"paths": ["x"]})] == asked(await provider.complete(HELLO))


@pytest.mark.parametrize("turn", [ValueError("no"), ValueError], ids=["instance", "class"])
async def test_an_exception_is_raised_as_often_as_its_turn_is_played(turn: ValueError | type[ValueError]) -> None:
    """An exception of a script, or its class, is raised out of the call, with a traceback that doesn't grow."""
    provider = ScriptedProvider([turn])
    depths: list[int] = []
    for _ in range(3):
        with pytest.raises(ValueError) as caught:
            await provider.complete(HELLO)
        depths.append(len(caught.traceback))
    assert 1 == len(set(depths))


async def test_a_function_sees_the_messages_and_returns_any_kind_of_answer() -> None:
    """A function of the messages may return a string, a call, a list of calls or an exception, sync or async."""

    async def later(messages: tuple[Message, ...]) -> list[ScriptedCall]:
        await asyncio.sleep(0)
        return [tool_call("echo", text=messages[-1].content)]

    provider = ScriptedProvider(
        [
            lambda messages: messages[-1].content.upper(),
            lambda messages: tool_call("count", n=len(messages)),
            later,
            lambda messages: LookupError(messages[0].role),
        ]
    )
    assert "HELLO" == (await provider.complete(HELLO)).content
    assert [("count", {"n": 1})] == asked(await provider.complete(HELLO))
    assert [("echo", {"text": "hello"})] == asked(await provider.complete(HELLO))
    with pytest.raises(LookupError, match=r"^user$"):
        await provider.complete(HELLO)


async def test_calls_keeps_what_each_call_was_sent() -> None:
    """`.calls` holds the messages, tools and sampling of every call, the failed ones too."""
    provider = ScriptedProvider([RuntimeError("no"), "yes"])
    tools = (ToolSpec(name="read", description="Reads.", parameters={"type": "object"}),)
    with pytest.raises(RuntimeError):
        await provider.complete(HELLO)
    await provider.complete(CompletionRequest(messages=(), tools=tools, sampling={"temperature": 0.5}))
    assert [HELLO.messages, ()] == [call.messages for call in provider.calls]
    assert [(), tools] == [call.tools for call in provider.calls]
    assert [{}, {"temperature": 0.5}] == [call.sampling for call in provider.calls]


async def test_agents_that_share_an_instance_take_turns_from_one_script() -> None:
    """Concurrent calls each get a turn of their own, in the order in which they were made."""
    provider = ScriptedProvider(["one", "two", "three"], delay=0.01)
    answers = await asyncio.gather(*(provider.complete(HELLO) for _ in range(3)))
    assert ["one", "two", "three"] == [answer.content for answer in answers]


async def test_a_call_takes_its_delay_and_can_be_cancelled_meanwhile() -> None:
    """While the delay of a call passes others go on, and cancelling the call ends it."""
    slow = asyncio.create_task(ScriptedProvider(["late"], delay=60).complete(HELLO))
    assert "quick" == (await ScriptedProvider(["quick"]).complete(HELLO)).content
    assert not slow.done()
    slow.cancel()
    with pytest.raises(asyncio.CancelledError):
        await slow


async def test_a_call_without_delay_lets_others_run() -> None:
    """A call without delay leaves room for another task, so that a run can be aborted between its calls."""
    other = asyncio.create_task(asyncio.sleep(0))
    provider = ScriptedProvider(["again"])
    for _ in range(3):
        await provider.complete(HELLO)
    assert other.done()


async def test_it_is_a_provider_that_can_be_closed_and_used_again() -> None:
    """A `ScriptedProvider` satisfies the protocol, and closing it ends nothing."""
    provider = ScriptedProvider(["here"])
    assert isinstance(provider, Provider)
    await provider.close()
    assert "here" == (await provider.complete(HELLO)).content


def test_a_script_without_turns_is_refused() -> None:
    """No turns at all is a mistake that is told when the provider is made."""
    with pytest.raises(ValueError, match="Give it at least one"):
        ScriptedProvider([])


def test_a_bare_string_is_refused() -> None:
    """A string in place of the list would be played letter by letter, so it is refused with what to write."""
    with pytest.raises(TypeError, match=r"Write `\['done'\]`"):
        ScriptedProvider("done")


@pytest.mark.parametrize("turn", [None, 3, [], ["a"], {"name": "a"}])
def test_a_turn_of_another_kind_is_refused_with_its_position(turn: object) -> None:
    """What can't be played is told when the provider is made, and names the turn."""
    with pytest.raises(TypeError, match="turn 1"):
        ScriptedProvider(["fine", turn])  # type: ignore[list-item]


async def test_a_function_that_returns_another_kind_is_told() -> None:
    """A function of a script that returns nothing is named by its turn."""
    with pytest.raises(TypeError, match="the function of turn 0: it is `NoneType`"):
        await ScriptedProvider([lambda messages: None]).complete(HELLO)  # type: ignore[list-item,return-value]

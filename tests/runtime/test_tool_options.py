"""`@Agent(tool_calls="all")`, `@Tool(schema=...)` and `@Tool(repeatable=True)`."""

import asyncio
from collections.abc import Mapping

import pytest
from pydantic import BaseModel, Field

from thena_runtime import (
    Agent,
    Context,
    FatalToolError,
    Input,
    Prompt,
    ScriptedProvider,
    Thena,
    Tool,
    ToolCall,
    Workflow,
    loop,
    tool_call,
)
from thena_runtime.errors import ContractError
from thena_runtime.providers.scripted import Turn
from thena_runtime.testing import record


def flow(*tools: object, turns: list[Turn], tool_calls: object = "first", base: type = object) -> type:
    """A workflow of one turn."""

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=tools, tool_calls=tool_calls)  # type: ignore[call-overload]
    class Calling(base):  # type: ignore[misc] # a class that the caller chooses
        pass

    @Workflow(steps=[Calling])
    class Flow:
        pass

    return Flow


# -- tool_calls="all"


@pytest.mark.behaviour("W1")
async def test_all_calls_of_an_answer_are_executed_at_the_same_time() -> None:
    """Each waits for the other, and the observations stand in the order of the calls."""
    there = {"a": asyncio.Event(), "b": asyncio.Event()}

    async def meet(own: str, other: str) -> str:
        """Meet somebody."""
        there[own].set()
        await asyncio.wait_for(there[other].wait(), 5)
        return f"{own} met {other}"

    calls = [tool_call("meet", own="b", other="a"), tool_call("meet", own="a", other="b")]
    run = await record(flow(meet, turns=[calls], tool_calls="all"))
    asked, *observations = run.conversation.history[1:]

    assert ["b met a", "a met b"] == [each.content for each in observations]
    assert [call.id for call in asked.tool_calls] == [each.tool_call_id for each in observations]
    assert "a met b" == run.output


async def test_one_call_that_fails_does_not_lose_the_others() -> None:
    """Every call has its observation, and the turn says that there was a failure."""
    turns: list[Turn] = [[tool_call("half", number=1), tool_call("lose"), tool_call("half", number=4)]]
    failed: list[bool] = []

    def half(number: int) -> int:
        """Halve a number."""
        if number % 2:
            raise ValueError("it is odd")
        return number // 2

    class Hooks:
        def after_response(self, response: str, ctx: Context) -> None:
            failed.append(ctx.turn is None)

    run = await record(flow(half, turns=turns, tool_calls="all", base=Hooks))

    assert [("it is odd", True), ("there is no tool `lose`; available: `half`", True), ("2", False)] == [
        (each.content, each.is_error) for each in run.conversation.history[2:]
    ]
    assert "2" == run.output


async def test_a_call_that_ends_the_run_ends_the_others() -> None:
    """A fatal error is raised alone, and the calls beside it are cancelled and waited for."""
    ended: list[str] = []

    async def wait() -> None:
        """Wait."""
        try:
            await asyncio.sleep(60)
        finally:
            ended.append("wait")

    async def die() -> None:
        """Die."""
        await asyncio.sleep(0)
        raise FatalToolError("no more")

    with pytest.raises(FatalToolError, match="no more"):
        await record(flow(wait, die, turns=[[tool_call("wait"), tool_call("die")]], tool_calls="all"))
    assert ["wait"] == ended


async def test_a_hook_stands_around_each_call() -> None:
    """`before_tool` and `after_tool` see every call."""
    seen: list[str] = []

    def echo(text: str) -> str:
        """Say it again."""
        return text

    class Hooks:
        def before_tool(self, call: ToolCall) -> None:
            seen.append(f"before {call.args['text']}")

        def after_tool(self, result: object) -> str:
            return result.output.upper()  # type: ignore[attr-defined, no-any-return]

    turns: list[Turn] = [[tool_call("echo", text="a"), tool_call("echo", text="b")]]
    run = await record(flow(echo, turns=turns, tool_calls="all", base=Hooks))

    assert ["before a", "before b"] == sorted(seen)
    assert ["A", "B"] == [each.content for each in run.conversation.history[2:]]


def test_another_word_for_tool_calls_is_refused() -> None:
    """The error says which words there are."""
    with pytest.raises(ContractError, match=r"THN117 `tool_calls` of `Calling` is `\"every\"`. Give `\"first\"`"):
        Thena(flow(turns=["ok"], tool_calls="every"))


# -- schema


class Range(BaseModel):
    """Lines of a file."""

    first: int = Field(description="The first line.", ge=1)
    last: int = 10


async def told(tool: object) -> Mapping[str, object]:
    """What the model is told of a tool."""
    provider = ScriptedProvider(["ok"])

    @Agent(provider=provider, prompt=Prompt("p"), tools=[tool])
    class Asked:
        pass

    @Workflow(steps=[Asked])
    class Flow:
        pass

    await record(Flow)
    return provider.calls[0].tools[0].parameters


@pytest.mark.behaviour("T350")
async def test_a_model_can_stand_for_the_parameters() -> None:
    """The model is told of it and its rules hold; `execute` takes its fields one by one, or whole."""

    @Tool(name="read", description="Read.", schema=Range)
    class ByName:
        async def execute(self, last: int, first: int) -> str:
            return f"{first} to {last}"

    @Tool(name="read", description="Read.", schema=Range)
    class Whole:
        async def execute(self, lines: Input[Range]) -> str:
            return f"{lines.first} to {lines.last}"

    @Tool(name="read", description="Read.", schema=Range)
    class Sole:
        async def execute(self, args):  # type: ignore[no-untyped-def] # as somebody who doesn't annotate writes it
            return f"{args.first} to {args.last}"

    for tool in (ByName, Whole, Sole):
        good = await record(flow(tool, turns=[tool_call("read", first=2)]))
        bad = await record(flow(tool, turns=[tool_call("read", first=0)]))

        assert Range.model_json_schema() == await told(tool)
        assert "2 to 10" == good.output
        assert "invalid arguments for tool `read`: first: Input should be greater" in bad.output


async def test_a_json_schema_can_stand_for_the_parameters() -> None:
    """The model is told of it as it is, and the annotations of `execute` validate."""
    schema = {"type": "object", "properties": {"path": {"type": "string", "enum": ["a", "b"]}}, "required": ["path"]}

    @Tool(name="read", description="Read.", schema=schema)
    class ByName:
        async def execute(self, path: str, limit: int = 3) -> str:
            return f"{path} {limit}"

    @Tool(name="read", description="Read.", schema=schema)
    class Sole:
        async def execute(self, args: dict[str, object], ctx: Context) -> str:
            return str(args)

    assert schema == await told(ByName) == await told(Sole)
    assert "a 3" == (await record(flow(ByName, turns=[tool_call("read", path="a")]))).output
    assert "{'path': 'a'}" == (await record(flow(Sole, turns=[tool_call("read", path="a")]))).output
    wrong = await record(flow(ByName, turns=[tool_call("read", path=["a"])]))
    assert "invalid arguments for tool `read`: path: " in wrong.output


def test_a_schema_that_execute_can_not_take_is_refused() -> None:
    """What the model would send and `execute` doesn't take, and what it needs and isn't told of, are both named."""

    @Tool(name="read", description="Read.", schema=Range)
    class Other:
        async def execute(self, first: int, path: str) -> str:
            return ""

    @Tool(name="read", description="Read.", schema={"type": "string"})
    class NoObject:
        async def execute(self, first: int) -> str:
            return ""

    @Tool(name="read", description="Read.", schema=int)
    class NoModel:
        async def execute(self, first: int) -> str:
            return ""

    with pytest.raises(ValueError, match="`schema` of tool `Other` has `last`, which `execute` doesn't take") as other:
        Thena(flow(Other, turns=["ok"]))
    assert "`schema` of tool `Other` lacks `path`, which `execute` needs." in str(other.value)
    with pytest.raises(ValueError, match="`schema` of tool `NoObject` is no schema of an object"):
        Thena(flow(NoObject, turns=["ok"]))
    with pytest.raises(ValueError, match="`schema` of tool `NoModel` is the class `int`, which a model can't be told"):
        Thena(flow(NoModel, turns=["ok"]))


# -- repeatable


@pytest.mark.parametrize(("repeatable", "polls"), [(False, 3), (True, 7)])
async def test_a_tool_that_polls_may_repeat_itself(repeatable: bool, polls: int) -> None:
    """`max_repeats` stops a loop of equal calls, but not one of a repeatable tool."""

    @Tool(name="poll", description="Look whether it is done.", repeatable=repeatable)
    class Poll:
        async def execute(self) -> str:
            return "not yet"

    turns: list[Turn] = [*[tool_call("poll")] * 7, "done"]

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=[Poll])
    class Waiting:
        pass

    @Workflow(steps=[loop([Waiting], until=lambda ctx: ctx.output == "done", max_repeats=3)])
    class Flow:
        pass

    run = await record(Flow)

    assert polls == sum(message.role == "tool" for message in run.conversation.history)


def test_repeatable_is_a_truth_value() -> None:
    """Anything else is refused."""

    @Tool(name="poll", description="Look.", repeatable="often")  # type: ignore[call-overload]
    class Poll:
        async def execute(self) -> str:
            return ""

    with pytest.raises(ContractError, match='THN117 `repeatable` of `Poll` is `"often"`'):
        Thena(flow(Poll, turns=["ok"]))

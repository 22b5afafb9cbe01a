"""Tools: what the model is told of them, what their failures look like, and what they are given."""

import asyncio
import threading
from dataclasses import dataclass
from typing import Annotated, TypedDict

import pytest
from pydantic import BaseModel, Field

from thena_runtime import (
    Agent,
    Context,
    Input,
    Message,
    Prompt,
    ScriptedProvider,
    State,
    Tool,
    ToolOutput,
    ToolResult,
    Workflow,
    current_context,
    loop,
    tool_call,
    until_answered,
)
from thena_runtime.providers.scripted import Turn
from thena_runtime.testing import Recorded, record


class Notes:
    """A state."""

    kept: list[str] = []


async def call(tool: object, name: str, /, **arguments: object) -> Recorded:
    """Run an agent that calls one tool once."""

    @Agent(provider=ScriptedProvider([tool_call(name, **arguments)]), prompt=Prompt("p"), tools=[tool])
    class Caller:
        pass

    @Workflow(steps=[Caller], state=Notes)
    class Flow:
        pass

    return await record(Flow, data={"account": "acme"})


def observation(run: Recorded) -> Message:
    """What the model was told."""
    return run.conversation.history[-1]


def spec_of(tool: object) -> dict[str, object]:
    """The schema that a model is told."""
    provider = ScriptedProvider(["ok"])

    @Agent(provider=provider, prompt=Prompt("p"), tools=[tool])
    class Asked:
        pass

    @Workflow(steps=[Asked], state=Notes)
    class Flow:
        pass

    asyncio.run(record(Flow))
    return dict(provider.calls[0].tools[0].parameters)


async def test_parameters_are_filled_whatever_their_order() -> None:
    """The model's arguments, the context and the state stand in any order, keyword-only and positional-only too."""

    @Tool(name="mix", description="Mix.")
    class Mix:
        async def execute(self, first: str, /, s: State[Notes], ctx: Context, *, second: int = 2) -> str:
            s.kept.append(first)
            return f"{first} {second} {ctx.data['account']} {s.kept}"

    run = await call(Mix, "mix", first="a")

    assert "a 2 acme ['a']" == run.output


@pytest.mark.parametrize("kind", ["pydantic", "dataclass", "typeddict", "sole"])
async def test_an_input_is_given_whole(kind: str) -> None:
    """`Input[Model]` works with a pydantic model, a dataclass and a `TypedDict`; a sole model needs no marker."""

    class PydanticArgs(BaseModel):
        path: str
        limit: int = 10

    @dataclass
    class DataArgs:
        path: str
        limit: int = 10

    class DictArgs(TypedDict):
        path: str

    @Tool(name="read", description="Read.")
    class WithPydantic:
        def execute(self, ctx: Context, args: Input[PydanticArgs]) -> str:
            return f"{type(args).__name__} {args.path} {args.limit}"

    @Tool(name="read", description="Read.")
    class WithDataclass:
        def execute(self, args: Input[DataArgs]) -> str:
            return f"{type(args).__name__} {args.path} {args.limit}"

    @Tool(name="read", description="Read.")
    class WithDict:
        def execute(self, args: Input[DictArgs]) -> str:
            return f"{type(args).__name__} {args['path']}"

    @Tool(name="read", description="Read.")
    class Sole:
        def execute(self, args: PydanticArgs, ctx: Context) -> str:
            return f"{type(args).__name__} {args.path} {args.limit}"

    tools = {"pydantic": WithPydantic, "dataclass": WithDataclass, "typeddict": WithDict, "sole": Sole}
    outputs = {
        "pydantic": "PydanticArgs x 10",
        "dataclass": "DataArgs x 10",
        "typeddict": "dict x",
        "sole": "PydanticArgs x 10",
    }

    run = await call(tools[kind], "read", path="x")

    assert outputs[kind] == run.output


@pytest.mark.behaviour("W42")
def test_the_schema_comes_from_the_unmarked_parameters() -> None:
    """Types, defaults and descriptions are told; what is injected isn't, and nothing with a default is required."""

    @Tool(name="find", description="Find.")
    class Find:
        def execute(
            self,
            pattern: Annotated[str, Field(description="a regular expression")],
            ctx: Context,
            s: State[Notes],
            limit: int = 5,
            kinds: list[str] | None = None,
            folders: list[str] = [],  # noqa: B006 - what a user may write
        ) -> str:
            return ""

    assert {
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "a regular expression"},
            "limit": {"type": "integer", "default": 5},
            "kinds": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}], "default": None},
            "folders": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["pattern"],
    } == spec_of(Find)


def test_a_recursive_model_has_an_object_at_the_root() -> None:
    """A provider wants `type: object` at the root, where pydantic writes a reference."""

    class Node(BaseModel):
        name: str
        children: "list[Node]" = []

    @Tool(name="grow", description="Grow.")
    class Grow:
        def execute(self, tree: Input[Node]) -> str:
            return tree.name

    schema = spec_of(Grow)

    assert ("object", True) == (schema["type"], "$defs" in schema)


@pytest.mark.behaviour("T348")
def test_a_function_is_a_tool() -> None:
    """Its name and docstring are what the model is told."""
    provider = ScriptedProvider([tool_call("add", a=1, b="2")])

    def add(a: int, b: int = 0) -> int:
        """Add two numbers."""
        return a + b

    @Agent(provider=provider, prompt=Prompt("p"), tools=[add])
    class Adding:
        pass

    @Workflow(steps=[Adding])
    class Flow:
        pass

    run = asyncio.run(record(Flow))

    (spec,) = provider.calls[0].tools
    assert ("add", "Add two numbers.", "3") == (spec.name, spec.description, run.output)


@pytest.mark.behaviour("T348")
async def test_an_instance_of_a_tool_class_is_a_tool() -> None:
    """What its maker gave it is kept, and every run shares it."""

    @Tool(name="greet", description="Greet.")
    class Greet:
        def __init__(self, greeting: str) -> None:
            self.greeting = greeting

        def execute(self, name: str) -> str:
            return f"{self.greeting}, {name}"

    assert "Hello, Ann" == (await call(Greet("Hello"), "greet", name="Ann")).output


@pytest.mark.behaviour("W34")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        (None, ""),
        (7, "7"),
        (True, "true"),
        ([1, "é"], '[1, "é"]'),
        ({"a": {"b": None}}, '{"a": {"b": null}}'),
        (ToolOutput("told"), "told"),
    ],
)
async def test_a_result_is_told_as_text(value: object, text: str) -> None:
    """A string as it is, nothing as nothing, a `ToolOutput`'s content, and any other value as JSON."""

    def give() -> object:
        """Give."""
        return value

    run = await call(give, "give")

    assert (text, False) == (observation(run).content, observation(run).is_error)


@pytest.mark.behaviour("W34")
async def test_models_and_dataclasses_are_told_as_json() -> None:
    """A pydantic model and a dataclass become JSON objects."""

    class Point(BaseModel):
        x: int

    @dataclass
    class Pair:
        left: Point
        right: str

    def give() -> Pair:
        """Give."""
        return Pair(Point(x=1), "r")

    assert '{"left": {"x": 1}, "right": "r"}' == (await call(give, "give")).output


async def test_a_result_that_is_no_json_is_an_observation() -> None:
    """The model is told of it, and the run goes on."""

    def give() -> object:
        """Give."""
        return object()

    message = observation(await call(give, "give"))

    assert ("the tool returned a value of type `object`, which can't be written as JSON", True) == (
        message.content,
        message.is_error,
    )


@pytest.mark.behaviour("T193")
async def test_an_exception_is_an_observation() -> None:
    """Its text is told, or its type where it has none, and the tool's node failed while the others did not."""

    async def fail() -> None:
        """Fail."""
        raise ValueError("no such page")

    def fail_silently() -> None:
        """Fail."""
        raise KeyError

    first = await call(fail, "fail")
    second = await call(fail_silently, "fail_silently")

    assert ("no such page", True) == (observation(first).content, observation(first).is_error)
    assert "no such page" == first.output
    assert "KeyError" == observation(second).content
    assert "workflow Flow ok\n  agent Caller ok\n    chat chat ok\n      tool fail error" == first.tree


@pytest.mark.behaviour("T195", "W50")
async def test_a_tool_that_does_not_exist_is_an_observation_that_names_those_that_do() -> None:
    """The call has a node of its own, and the run goes on."""

    def read() -> None:
        """Read."""

    run = await call(read, "raed")

    assert ("there is no tool `raed`; available: `read`", True) == (
        observation(run).content,
        observation(run).is_error,
    )
    assert run.tree.endswith("tool raed error")


@pytest.mark.behaviour("T196", "W50")
async def test_arguments_that_do_not_fit_are_an_observation_that_names_each() -> None:
    """Missing ones and wrong ones are told at once."""

    def read(path: str, limit: int = 1) -> None:
        """Read."""

    run = await call(read, "read", limit="many")

    assert (
        "invalid arguments for tool `read`: path: Field required; "
        "limit: Input should be a valid integer, unable to parse string as an integer"
    ) == observation(run).content


@pytest.mark.behaviour("W50")
async def test_every_call_of_a_tool_is_counted_and_passes_through_after_tool() -> None:
    """One that can't be executed counts like one that fails, and the hook sees it."""
    seen: list[tuple[str, bool]] = []

    def read(path: str) -> None:
        """Read."""
        raise LookupError(path)

    turns: list[Turn] = [tool_call("raed"), tool_call("read"), tool_call("read", path="x"), "done"]

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=[read])
    class Reading:
        def after_tool(self, result: ToolResult) -> None:
            seen.append((result.name, result.is_error))

    @Workflow(steps=[loop([Reading], until=until_answered)])
    class Flow:
        pass

    run = await record(Flow)

    assert [("raed", True), ("read", True), ("read", True)] == seen
    assert 3 == run.root.data["tool_calls"]


async def test_an_exception_that_ends_iteration_is_an_observation_too() -> None:
    """`StopIteration` out of a worker thread doesn't leave the run waiting."""

    def last() -> str:
        """Give the last."""
        return next(iter(()))

    run = await asyncio.wait_for(call(last, "last"), 10)

    assert ("the tool raised StopIteration", True) == (observation(run).content, observation(run).is_error)


async def test_a_tool_that_is_cancelled_from_within_is_an_observation() -> None:
    """Awaiting something that was cancelled is the tool's own failure, and doesn't cancel the run."""

    async def wait() -> None:
        """Wait."""
        other = asyncio.create_task(asyncio.sleep(60))
        other.cancel()
        await other

    run = await call(wait, "wait")

    assert ("the tool was cancelled", True) == (observation(run).content, observation(run).is_error)


async def test_a_sync_tool_runs_in_a_thread_that_knows_the_run() -> None:
    """It doesn't block the event loop, and `current_context()` works there."""
    seen: list[object] = []

    def where() -> str:
        """Say where."""
        seen.append(threading.current_thread() is threading.main_thread())
        return str(current_context().data["account"])

    run = await call(where, "where")

    assert ([False], "acme") == (seen, run.output)


async def test_a_sync_method_may_return_an_awaitable() -> None:
    """It is awaited in the event loop."""

    async def later() -> str:
        return "later"

    def start() -> object:
        """Start."""
        return later()

    assert "later" == (await call(start, "start")).output

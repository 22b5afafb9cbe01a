"""What middlewares, providers, hooks and agents hand back: what is no good is told where it is handed back, by whom."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from thena_runtime import (
    Agent,
    ChatInvocation,
    Completion,
    CompletionRequest,
    Context,
    Emit,
    FunctionCall,
    Message,
    Prompt,
    ScriptedProvider,
    Thena,
    ToolCall,
    ToolInvocation,
    ToolOutput,
    ToolResult,
    Workflow,
    loop,
    tool_call,
    until_answered,
)
from thena_runtime.testing import record

NextChat = Callable[[], Awaitable[Completion]]
NextTool = Callable[[], Awaitable[ToolOutput]]


def add(number: int, more: int = 0) -> str:
    """Add one."""
    return str(number + more + 1)


def flow(provider: object = None, *, hooks: type = object, tool: object = add) -> type:
    """A workflow whose agent calls a tool and answers."""
    script = ScriptedProvider([tool_call("add", number=1), "done"])

    @Agent(provider=script if provider is None else provider, prompt=Prompt("p"), tools=[tool])  # type: ignore[arg-type]
    class Asking(hooks):  # type: ignore[misc] # a class that the caller chooses
        pass

    @Workflow(steps=[loop([Asking], until=until_answered)])
    class Flow:
        pass

    return Flow


async def told(app: Thena | type, *, observe: bool | None = None) -> str:
    """The text of the error that ends a run, of which the beginning `[thena] ` may be missing."""
    run = app if isinstance(app, Thena) else Thena(app)
    with pytest.raises((TypeError, ValueError)) as caught:
        await run.run("go", observe=observe)
    return str(caught.value).removeprefix("[thena] ")


# -- middlewares

SPECS = "Give `ToolSpec(...)` values, such as those that stood in `tools`."
MESSAGES = "Give a list of `Message(role, content)` values."


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("messages", None, f"handed on `messages` of type `NoneType`. {MESSAGES}"),
        ("messages", "hello", f"handed on `messages` of type `str`. {MESSAGES}"),
        ("messages", 5, f"handed on `messages` of type `int`. {MESSAGES}"),
        (
            "messages",
            [{"role": "user", "content": "hello"}],
            (
                "handed on a message of type `dict`. "
                'Give `Message(role, content)` values, such as `Message("user", "...")`.'
            ),
        ),
        (
            "messages",
            [Message("user", None)],  # type: ignore[arg-type]
            "handed on a `Message` whose `content` is of type `NoneType`. Give a string.",
        ),
        ("tools", None, "handed on `tools` of type `NoneType`. Give a list of `ToolSpec(...)` values."),
        ("tools", "add", "handed on `tools` of type `str`. Give a list of `ToolSpec(...)` values."),
        ("tools", ["add"], f"handed on a tool of type `str`. {SPECS}"),
        ("tools", [add], f"handed on a tool of type `function`. {SPECS}"),
        (
            "sampling",
            None,
            "handed on `sampling` of type `NoneType`. Give a dict, such as `{'temperature': 0.2}`.",
        ),
        ("agent", None, "changed `agent` or `ctx`. Change `messages`, `tools` or `sampling` alone."),
        ("ctx", None, "changed `agent` or `ctx`. Change `messages`, `tools` or `sampling` alone."),
    ],
)
async def test_what_a_chat_middleware_hands_on_is_looked_at(field: str, value: object, text: str) -> None:
    """The error names the middleware that did it, and not one beside it."""
    provider = ScriptedProvider(["done"])

    async def outer(call: ChatInvocation, go_on: NextChat) -> Completion:
        return await go_on()

    async def changing(call: ChatInvocation, go_on: NextChat) -> Completion:
        setattr(call, field, value)
        return await go_on()

    app = Thena(flow(provider))
    for each in (outer, changing, outer):
        app.use(chat=each)

    where = "test_what_a_chat_middleware_hands_on_is_looked_at.<locals>.changing"
    assert f"chat middleware `{where}` {text}" == await told(app)
    assert [] == provider.calls


async def test_tools_that_a_middleware_leaves_behind_are_looked_at() -> None:
    """Also after the call, for the model may have asked for what stands there."""

    async def late(call: ChatInvocation, go_on: NextChat) -> Completion:
        completion = await go_on()
        call.tools = ["add"]  # type: ignore[list-item]
        return completion

    app = Thena(flow())
    app.use(chat=late)

    assert (await told(app)).endswith(f".late` left a tool of type `str`. {SPECS}")


@pytest.mark.parametrize("kind", [list, tuple])
async def test_a_middleware_may_hand_on_any_sequence(kind: Callable[[object], Any]) -> None:
    """A tuple in the place of a list is no fault."""
    provider = ScriptedProvider(["done"])

    async def changing(call: ChatInvocation, go_on: NextChat) -> Completion:
        call.messages, call.tools = kind(call.messages), kind(call.tools)
        return await go_on()

    app = Thena(flow(provider))
    app.use(chat=changing)

    assert "done" == await app.run("go")
    assert (["p", "go"], 1) == ([each.content for each in provider.calls[0].messages], len(provider.calls[0].tools))


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("args", None, "handed on `args` of type `NoneType`. Give a dict of arguments by name."),
        ("args", [1], "handed on `args` of type `list`. Give a dict of arguments by name."),
        ("args", {}, "set arguments that don't fit tool `add`: number: Field required"),
        ("name", "subtract", "changed `name`, `agent` or `ctx`. Change `args` alone."),
        ("agent", None, "changed `name`, `agent` or `ctx`. Change `args` alone."),
        ("ctx", None, "changed `name`, `agent` or `ctx`. Change `args` alone."),
    ],
)
async def test_what_a_tool_middleware_hands_on_is_looked_at(field: str, value: object, text: str) -> None:
    """The error names the middleware that did it, and the tool isn't executed."""
    seen: list[object] = []

    async def inner(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        seen.append(call.args)
        return await go_on()

    async def changing(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        setattr(call, field, value)
        return await go_on()

    app = Thena(flow())
    app.use(tool=changing)
    app.use(tool=inner)

    where = "test_what_a_tool_middleware_hands_on_is_looked_at.<locals>.changing"
    assert f"tool middleware `{where}` {text}" == await told(app)
    assert [] == seen


async def test_an_inner_middleware_sees_validated_arguments() -> None:
    """What an outer one changed is converted before, and what is changed after the call changes nothing."""
    seen: list[object] = []

    class Hooks:
        def after_tool(self, result: ToolResult) -> None:
            seen.append(result.args)

    async def outer(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        call.args = {"number": "41"}
        output = await go_on()
        call.args = None  # type: ignore[assignment]
        return output

    async def inner(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        seen.append(call.args)
        return await go_on()

    app = Thena(flow(hooks=Hooks))
    app.use(tool=outer)
    app.use(tool=inner)
    await app.run("go")

    assert [{"number": 41, "more": 0}] * 2 == seen


@pytest.mark.filterwarnings("error")
async def test_a_middleware_that_does_not_await_next_is_told() -> None:
    """What it returned is named, and nothing is left unawaited."""

    async def chat(call: ChatInvocation, go_on: NextChat) -> Completion:
        return go_on()  # type: ignore[return-value]

    app = Thena(flow())
    app.use(chat=chat)

    assert (await told(app)).endswith(
        ".chat` returned a value of type `coroutine`. Return what `await next()` gave, or a `Completion(content=...)`."
    )


COMPLETIONS: list[tuple[Any, str]] = [
    (Completion(content=None), "a `Completion` whose `content` is of type `NoneType`. Give a string."),  # type: ignore[arg-type]
    (Completion(content=["x"]), "a `Completion` whose `content` is of type `list`. Give a string."),  # type: ignore[arg-type]
    (
        Completion(content="", tool_calls=None),  # type: ignore[arg-type]
        "a `Completion` whose `tool_calls` are of type `NoneType`. Give a tuple of `FunctionCall(...)`.",
    ),
    (
        Completion(content="", tool_calls=[]),  # type: ignore[arg-type]
        "a `Completion` whose `tool_calls` are of type `list`. Give a tuple of `FunctionCall(...)`.",
    ),
    (
        Completion(content="", tool_calls=(tool_call("add", number=1),)),  # type: ignore[arg-type]
        (
            "a `Completion` with a value of type `ScriptedCall` in its `tool_calls`. "
            "Put `FunctionCall(name=..., arguments=...)` there."
        ),
    ),
    (
        Completion(content="", tool_calls=(FunctionCall(name=None, arguments={}),)),  # type: ignore[arg-type]
        "a `FunctionCall` whose `name` is of type `NoneType`. Give a string.",
    ),
    (
        Completion(content="", tool_calls=(FunctionCall(id=7, name="add", arguments={}),)),  # type: ignore[arg-type]
        "a `FunctionCall` whose `id` is of type `int`. Give a string.",
    ),
    (
        Completion(content="x", finish_reason="tired"),  # type: ignore[arg-type]
        "a `Completion` whose `finish_reason` is 'tired'. Give one of: `stop`, `length`, `content_filter`.",
    ),
    (
        Completion(content="x", attempts=None),  # type: ignore[arg-type]
        "a `Completion` whose `attempts` are of type `NoneType`. Give a whole number.",
    ),
]


class Answering:
    """A provider that answers with what it is given, in pieces too."""

    def __init__(self, answer: Completion, *pieces: tuple[Any, ...]) -> None:
        self.answer = answer
        self.pieces = pieces

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer."""
        return self.answer

    async def stream(self, request: CompletionRequest, emit: Emit) -> Completion:
        """Say the pieces, and answer."""
        for piece in self.pieces:
            emit(*piece)
        return self.answer

    async def close(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(("completion", "text"), COMPLETIONS)
@pytest.mark.parametrize("whose", ["provider", "stream", "middleware"])
async def test_the_parts_of_a_completion_are_looked_at(completion: Completion, text: str, whose: str) -> None:
    """Whether a provider answers with it, whole or in pieces, or a middleware returns it."""

    async def cached(call: ChatInvocation, go_on: NextChat) -> Completion:
        return completion

    if whose == "middleware":
        app = Thena(flow(ScriptedProvider(["never"])))
        app.use(chat=cached)
        assert (await told(app)).endswith(f".cached` returned {text}")
    else:
        app = Thena(flow(Answering(completion)))
        assert f"provider `Answering` answered with {text}" == await told(app, observe=whose == "stream")


OUTPUTS: list[tuple[Any, str]] = [
    (ToolOutput(5), "a `ToolOutput` whose `content` is of type `int`. Give a string."),  # type: ignore[arg-type]
    (ToolOutput(None), "a `ToolOutput` whose `content` is of type `NoneType`. Give a string."),  # type: ignore[arg-type]
    (
        ToolOutput("x", is_error="no"),  # type: ignore[arg-type]
        "a `ToolOutput` whose `is_error` is of type `str`. Give `True` or `False`.",
    ),
]


@pytest.mark.parametrize(("output", "text"), OUTPUTS)
async def test_the_parts_of_an_output_are_looked_at(output: ToolOutput, text: str) -> None:
    """A middleware's and a hook's end the run, a tool's own is an observation like each of its failures."""

    class Hooks:
        def after_tool(self, result: ToolResult) -> ToolOutput:
            return output

    async def cached(call: ToolInvocation, go_on: NextTool) -> ToolOutput:
        return output

    def failing(number: int) -> ToolOutput:
        """Add one."""
        return output

    failing.__name__ = "add"
    app = Thena(flow())
    app.use(tool=cached)

    assert (await told(app)).endswith(f".cached` returned {text}")
    assert f"`Asking.after_tool` returned {text}" == await told(flow(hooks=Hooks))
    observation = (await record(flow(tool=failing))).conversation.history[2]
    assert (f"the tool returned {text}", True) == (observation.content, observation.is_error)


# -- streams


@pytest.mark.parametrize(
    ("piece", "error", "text"),
    [
        ((5,), TypeError, "`text` is of type `int`. Give `emit` a string."),
        ((None,), TypeError, "`text` is of type `NoneType`. Give `emit` a string."),
        ((b"w",), TypeError, "`text` is of type `bytes`. Give `emit` a string."),
        (("w", "bogus"), ValueError, '`kind` is \'bogus\'. Give `emit` one of: "text", "thinking", "tool_call".'),
        (("w", "gap"), ValueError, '`kind` is \'gap\'. Give `emit` one of: "text", "thinking", "tool_call".'),
        (("w", None), TypeError, '`kind` is of type `NoneType`. Give `emit` one of: "text", "thinking", "tool_call".'),
        (
            ("w", "tool_call"),
            TypeError,
            "`tool` is of type `NoneType`. Give `emit` the name of the tool that is called.",
        ),
        (
            ("w", "tool_call", add),
            TypeError,
            "`tool` is of type `function`. Give `emit` the name of the tool that is called.",
        ),
    ],
)
async def test_a_piece_that_is_none_is_told(piece: tuple[object, ...], error: type[Exception], text: str) -> None:
    """`emit` raises where the provider called it, and listeners get nothing of it."""
    handle = Thena(flow(Answering(Completion(content="w"), ("hello ",), piece))).run("go", observe=True)

    with pytest.raises(error) as caught:
        await handle
    assert f"[thena] `stream` of provider `Answering` emitted a piece whose {text}" == str(caught.value)
    assert ["hello "] == [token.text async for token in handle.text_stream("text", "thinking", "tool_call")]


async def test_a_piece_may_be_of_a_kind_of_string() -> None:
    """A subclass of `str`, and each kind, are fine."""

    class Word(str):
        pass

    pieces = [(Word("a"),), ("b", "thinking"), ("c", "tool_call", Word("add")), ("d", "text")]
    handle = Thena(flow(Answering(Completion(content="ad"), *pieces))).run("go", observe=True)

    assert "ad" == await handle
    assert ["a", "b", "c", "d"] == [token.text async for token in handle.text_stream("text", "thinking", "tool_call")]


async def test_the_completion_is_the_answer_whatever_was_said() -> None:
    """What a provider says in pieces goes to listeners alone; output, history and hooks have what it returned."""
    seen: list[str] = []

    class Hooks:
        def after_response(self, response: str) -> None:
            seen.append(response)

    handle = Thena(flow(Answering(Completion(content="the answer"), ("something ",), ("else",)), hooks=Hooks)).run(
        "go", observe=True
    )

    assert "the answer" == await handle
    assert (["the answer"], "the answer") == (seen, handle.state.history[-1].content)
    assert ["something ", "else"] == [token.text async for token in handle.text_stream()]


# -- hooks and agents of their own


@pytest.mark.parametrize(
    ("hook", "value", "text"),
    [
        ("before_prompt", 5, "returned a value of type `int`. Return `str`, or nothing to keep the value."),
        ("after_response", b"x", "returned a value of type `bytes`. Return `str`, or nothing to keep the value."),
        (
            "before_tool",
            {"number": 2},
            "returned a value of type `dict`. Return `ToolCall`, or nothing to keep the value.",
        ),
        (
            "before_tool",
            ToolCall("add", None),
            "returned a `ToolCall` whose `args` are of type `NoneType`. Give a dict of arguments by name.",
        ),  # type: ignore[arg-type]
        (
            "before_tool",
            ToolCall("add", [1]),
            "returned a `ToolCall` whose `args` are of type `list`. Give a dict of arguments by name.",
        ),  # type: ignore[arg-type]
        ("before_tool", ToolCall(None, {}), "returned a call of `None` for one of `add`. Change only the arguments."),  # type: ignore[arg-type]
        (
            "after_tool",
            5,
            "returned a value of type `int`. Return `str` or `ToolOutput`, or nothing to keep the value.",
        ),
    ],
)
async def test_what_a_hook_returns_is_looked_at(hook: str, value: object, text: str) -> None:
    """The error names the agent, the hook and what to return."""
    hooks = type("Hooks", (), {hook: lambda self, given: value})

    assert f"`Asking.{hook}` {text}" == await told(flow(hooks=hooks))


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"messages": 5}, f"`ctx.chat` got `messages` of type `int`. {MESSAGES}"),
        ({"messages": "hello"}, f"`ctx.chat` got `messages` of type `str`. {MESSAGES}"),
        ({"messages": ["hello"]}, "`ctx.chat` got a message of type `str`. Give `Message(role, content)` values, "),
        ({"messages": [Message("user", 5)]}, "`ctx.chat` got a `Message` whose `content` is of type `int`. Give a"),  # type: ignore[arg-type]
        ({"tools": "add"}, "`ctx.chat` got `tools` of type `str`. Give a list of the agent's tools, by name or as in"),
        ({"tools": 5}, "`ctx.chat` got `tools` of type `int`. Give a list of the agent's tools, by name or as in"),
        ({"tools": [5]}, "`Own` has no tool `int`; it has: `add`."),
    ],
)
async def test_what_an_own_run_asks_for_is_looked_at(options: dict[str, Any], text: str) -> None:
    """`ctx.chat` says what it takes."""

    @Agent(provider=ScriptedProvider(["never"]), prompt=Prompt("p"), tools=[add])
    class Own:
        async def run(self, text: str, ctx: Context) -> str:
            return (await ctx.chat(**options)).content

    @Workflow(steps=[Own])
    class Flow:
        pass

    assert re.match(re.escape(text), await told(Flow))


async def test_messages_of_an_own_run_may_come_from_an_iterator() -> None:
    """They are gone through once."""
    provider = ScriptedProvider(["done"])

    @Agent(provider=provider, prompt=Prompt("p"), tools=[add])
    class Own:
        async def run(self, text: str, ctx: Context) -> str:
            messages: Any = (Message("user", word) for word in ("a", "b"))
            return (await ctx.chat(messages, tools=(tool for tool in ["add"]))).content  # type: ignore[arg-type]

    @Workflow(steps=[Own])
    class Flow:
        pass

    assert "done" == await Thena(Flow).run("go")
    assert ["a", "b"] == [each.content for each in provider.calls[0].messages]


async def test_an_own_run_calls_a_tool_by_its_name() -> None:
    """Anything else in the place of the name is told."""

    @Agent(provider=ScriptedProvider(["never"]), prompt=Prompt("p"), tools=[add])
    class Own:
        async def run(self, text: str, ctx: Context) -> str:
            return (await ctx.call_tool(add, {"number": 1})).content  # type: ignore[arg-type]

    @Workflow(steps=[Own])
    class Flow:
        pass

    assert "`ctx.call_tool` got a name of type `function`. Give a tool's name." == await told(Flow)

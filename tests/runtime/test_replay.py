"""Answers of earlier runs that stand for the same calls of models."""

import asyncio
import json
from collections.abc import Callable

import pytest

from thena_runtime import (
    Agent,
    Budget,
    Completion,
    CompletionRequest,
    Emit,
    Event,
    FunctionCall,
    OpenAIProvider,
    Prices,
    Prompt,
    Provider,
    ScriptedProvider,
    Thena,
    Tool,
    Usage,
    Workflow,
    loop,
    parallel,
    tool_call,
    until_answered,
)
from thena_runtime.providers.scripted import Turn
from thena_runtime.replay import Answered, Replay, key_of


class Model:
    """A model that says who it is, and counts how often it is asked."""

    def __init__(self, *turns: Turn, identity: str | None = "model") -> None:
        self._identity = identity
        self._script = ScriptedProvider(turns, usage=Usage(prompt_tokens=100, completion_tokens=20, cost_usd=0.25))

    @property
    def identity(self) -> str | None:
        return self._identity

    @property
    def asked(self) -> int:
        return len(self._script.calls)

    async def complete(self, request: CompletionRequest) -> Completion:
        return await self._script.complete(request)

    async def stream(self, request: CompletionRequest, emit: Emit) -> Completion:
        return await self._script.stream(request, emit)

    async def close(self) -> None: ...


class Other(Model):
    """Another class of models with the same identity."""

    @property
    def identity(self) -> str | None:
        return super().identity


class Derived(Model):
    """A class that doesn't say so itself."""


def flow(model: Provider, prompt: str = "p", results: Callable[[], str] = lambda: "found") -> type:
    """A workflow that asks until there is an answer, with a tool on the way."""

    @Tool(name="find", description="Find.")
    class Find:
        def execute(self, what: str) -> str:
            return results()

    @Agent(provider=model, prompt=Prompt(prompt), tools=[Find])
    class Asking: ...

    @Workflow(steps=[loop([Asking], until=until_answered)])
    class Flow: ...

    return Flow


async def run(
    workflow: type, answers: list[Answered], *, budget: Budget | None = None, streams: bool = False
) -> tuple[object, list[Answered], list[Event]]:
    """Run with these answers; return the output, the answers of this run, and its events."""
    told: list[Answered] = []
    events: list[Event] = []
    handle = Thena(workflow).run("go", replay=Replay(answers, told=told.append), log=events.append, budget=budget)
    if streams:
        handle.on_token(lambda _: None)
    return await handle, told, events


def chats(events: list[Event]) -> list[dict[str, object]]:
    """What the nodes of the model calls tell."""
    return [dict(event.data) for event in events if event.kind == "chat" and event.phase == "end"]


async def test_a_call_that_has_not_changed_is_answered_as_before() -> None:
    """Nobody is asked, tools are called all the same, and each node says that it was replayed and what that saved."""
    found: list[str] = []
    model = Model(tool_call("find", what="x"), "done")
    first = flow(model, results=lambda: found.append("one") or "found")  # type: ignore[func-returns-value]
    _, answers, _ = await run(first, [])
    output, again, events = await run(first, answers)
    assert ("done", 2, ["one", "one"]) == (output, model.asked, found)
    assert answers == again
    replayed = {
        "attempts": 0, "prompt_tokens": 0, "completion_tokens": 0, "cached_tokens": 0, "cost_usd": 0.0,
        "replayed": True, "saved_tokens": 120, "saved_usd": 0.25,
    }  # fmt: skip
    assert [replayed, replayed] == chats(events)


async def test_what_comes_after_a_change_is_asked() -> None:
    """A tool that gives something else changes what the model is sent from there on."""
    model = Model(tool_call("find", what="x"), "done", "done otherwise")
    _, answers, _ = await run(flow(model), [])
    output, _, events = await run(flow(model, results=lambda: "found more"), answers)
    assert ("done otherwise", 3) == (output, model.asked)
    assert [True, False] == ["replayed" in data for data in chats(events)]


@pytest.mark.parametrize("changed", ["prompt", "identity", "class"])
async def test_another_prompt_and_another_model_are_asked(changed: str) -> None:
    """Whatever an answer depends on is part of the call."""
    _, answers, _ = await run(flow(Model("one")), [])

    model = Other("two") if changed == "class" else Model("two", identity="m2" if changed == "identity" else "model")
    output, _, _ = await run(flow(model, "q" if changed == "prompt" else "p"), answers)
    assert ("two", 1) == (output, model.asked)


async def test_who_does_not_say_who_it_is_is_asked_each_time() -> None:
    """A script has no identity, `None` is none, and a class that derives from one that has it may answer otherwise."""
    for model in (Model("x", identity=None), Derived("x")):
        for _ in range(2):
            _, answers, _ = await run(flow(model), [])
            assert [] == answers
        assert 2 == model.asked
    request = CompletionRequest(messages=())
    assert None is key_of(ScriptedProvider(["x"]), request)


async def test_the_same_call_made_often_gets_its_answers_in_order() -> None:
    """Each answer is used once, and a call beyond them is asked."""

    def votes(model: Provider, count: int) -> type:
        @Agent(provider=model, prompt=Prompt("vote"))
        class Voter:
            async def run(self, text: str, ctx: object) -> str:
                answers = [await ctx.chat() for _ in range(count)]  # type: ignore[attr-defined]
                return " ".join(answer.content for answer in answers)

        @Workflow(steps=[Voter])
        class Flow: ...

        return Flow

    model = Model("a", "b", "c")
    _, answers, _ = await run(votes(model, 2), [])
    output, _, _ = await run(votes(model, 3), answers)
    assert ("a b c", 3) == (output, model.asked)


async def test_a_branch_that_has_not_changed_is_replayed_beside_one_that_has() -> None:
    """What a model is sent decides, and not who comes first."""

    def both(model: Provider, prompt: str) -> type:
        @Agent(provider=model, prompt=Prompt(prompt))
        class First: ...

        @Agent(provider=model, prompt=Prompt("second"))
        class Second: ...

        @Workflow(steps=[parallel([First, Second])])
        class Flow: ...

        return Flow

    model = Model("x")
    _, answers, _ = await run(both(model, "first"), [])
    _, _, events = await run(both(model, "otherwise"), answers)
    assert 3 == model.asked
    assert 1 == len([data for data in chats(events) if data.get("replayed")])


async def test_a_replayed_answer_is_heard_by_who_listens_for_tokens() -> None:
    """It comes in one piece, whether or not it was streamed when it was given."""
    for streams in (False, True):
        model = Model("two words")
        _, answers, _ = await run(flow(model), [], streams=streams)
        handle = Thena(flow(model)).run("go", replay=Replay(answers))
        assert ["two words"] == [str(token) async for token in handle.text_stream()]
        assert 1 == model.asked


async def test_a_replayed_call_takes_no_tokens_and_no_dollars_of_a_budget_and_counts_as_a_call() -> None:
    """So a run stops after as many calls as without a replay."""
    model = Model(tool_call("find", what="x"), "done")
    _, answers, _ = await run(flow(model), [])
    output, _, _ = await run(flow(model), answers, budget=Budget(max_tokens=10, max_cost_usd=0.01))
    assert "done" == output
    handle = Thena(flow(model)).run("go", replay=Replay(answers), budget=Budget(max_chat_calls=1))
    await handle
    assert ("budget", 2) == (handle.stopped_by, model.asked)


async def test_a_failed_call_is_asked_again() -> None:
    """An error is no answer."""
    model = Model(OSError("down"))
    with pytest.raises(OSError):
        await run(flow(model), [])
    told: list[Answered] = []
    with pytest.raises(OSError):
        await Thena(flow(model)).run("go", replay=Replay(told=told.append))
    assert ([], 2) == (told, model.asked)


def test_an_answer_can_be_kept_as_json() -> None:
    """It is read back as it was; anything else is a ValueError."""
    call = FunctionCall(name="find", arguments={"what": ["x", 1]})
    answered = Answered(key="k", completion=Completion(content="c", tool_calls=(call,), usage=Usage(cost_usd=0.5)))
    assert answered == Answered.from_json(json.loads(json.dumps(answered.to_json())))
    for broken in ({}, {"key": "k", "completion": {"usage": None}}, {"key": "k", "completion": 3}):
        with pytest.raises(ValueError):
            Answered.from_json(broken)


def test_who_an_openai_provider_is_never_holds_its_key() -> None:
    """Model, address, sampling and prices make two of them different; a key doesn't."""
    one = OpenAIProvider("m", base_url="http://127.0.0.1:9/v1", api_key="sk-secret")
    assert "secret" not in one.identity
    assert one.identity == OpenAIProvider("m", base_url="http://127.0.0.1:9/v1", api_key="sk-other").identity
    others = [
        OpenAIProvider("n", base_url="http://127.0.0.1:9/v1"),
        OpenAIProvider("m", base_url="http://127.0.0.1:8/v1"),
        OpenAIProvider("m", base_url="http://127.0.0.1:9/v1", sampling={"temperature": 1.0}),
        OpenAIProvider("m", base_url="http://127.0.0.1:9/v1", raw={"n": 1}),
        OpenAIProvider("m", base_url="http://127.0.0.1:9/v1", rescue=False),
        OpenAIProvider("m", base_url="http://127.0.0.1:9/v1", prices=Prices(input=1, output=1)),
    ]
    assert len(others) == len({other.identity for other in others} - {one.identity})


def test_an_identity_of_another_type_is_refused() -> None:
    """The error names the provider and what to give."""
    with pytest.raises(TypeError, match=r"`identity` of provider `Model` is of type `int`\. Give a string"):
        asyncio.run(run(flow(Model("x", identity=3)), []))  # type: ignore[arg-type]

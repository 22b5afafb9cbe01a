"""What the models of a run say, as it reaches whoever listens to the handle; and who makes a model stream."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thena_runtime import (
    Agent,
    Completion,
    CompletionRequest,
    Context,
    Emit,
    Event,
    FunctionCall,
    Plugin,
    Prompt,
    RunAborted,
    RunHandle,
    ScriptedProvider,
    Thena,
    ThenaConfig,
    Token,
    Tool,
    Workflow,
    WorkflowRuntime,
    loop,
    parallel,
    tool_call,
    until_answered,
)
from thena_runtime.steps import Step


class Speaking:
    """A provider that says its pieces one by one, gives way between them, and counts how it was asked."""

    def __init__(self, *pieces: str, calls: Sequence[FunctionCall] = (), fails: Exception | None = None) -> None:
        self.pieces = pieces
        self.calls = tuple(calls)
        self.fails = fails
        self.asked: list[str] = []

    async def complete(self, request: CompletionRequest) -> Completion:
        self.asked.append("whole")
        await asyncio.sleep(0)
        return Completion(content="".join(self.pieces), tool_calls=self.calls)

    async def stream(self, request: CompletionRequest, emit: Emit) -> Completion:
        self.asked.append("in pieces")
        for piece in self.pieces:
            await asyncio.sleep(0)
            emit(piece)
        if self.fails is not None:
            raise self.fails
        return Completion(content="".join(self.pieces), tool_calls=self.calls)

    async def close(self) -> None:
        pass


def agent(provider: object, name: str = "Speaker", tools: Sequence[object] = ()) -> type:
    """An agent of this name."""
    made = type(name, (), {})
    return Agent(provider=provider, prompt=Prompt("p"), tools=list(tools))(made)  # type: ignore[arg-type, type-var]


def flow(*steps: Step) -> type:
    """A workflow of these steps."""
    return Workflow(steps=steps)(type("Flow", (), {}))


def app_of(*steps: Step, keep_bytes: int = 1_000_000) -> Thena:
    """An app with a workflow of these steps."""
    return Thena(flow(*steps), ThenaConfig(keep_bytes=keep_bytes))


async def texts(handle: RunHandle) -> list[str]:
    """The pieces of text."""
    return [token.text async for token in handle.text_stream()]


# Pieces


@pytest.mark.behaviour("T393", "T398")
async def test_text_comes_in_pieces_that_joined_are_the_result() -> None:
    """A listener and a stream get the same pieces in order, and the stream ends with the run."""
    handle = app_of(agent(ScriptedProvider(["one two three"]))).run("x")
    heard: list[str] = []
    handle.on_token(lambda token: heard.append(token.text))
    assert ["one ", "two ", "three"] == await texts(handle)
    assert ["one ", "two ", "three"] == heard
    assert "one two three" == await handle


@pytest.mark.behaviour("W39")
async def test_a_token_says_who_speaks_and_what_it_is() -> None:
    """Run, agent, turn and kind are known of each token, and a token prints as its text."""

    class Thinking(Speaking):
        async def stream(self, request: CompletionRequest, emit: Emit) -> Completion:
            emit("hm", "thinking")
            return await super().stream(request, emit)

    handle = app_of(agent(Thinking("a", "b"), "First"), agent(ScriptedProvider(["c"]), "Second")).run("x")
    tokens = [token async for token in handle.text_stream("text", "thinking", "tool_call")]
    run = handle.run_id
    assert [
        Token("hm", "thinking", run, "First", 1),
        Token("a", "text", run, "First", 1),
        Token("b", "text", run, "First", 1),
        Token("c", "text", run, "Second", 2),
    ] == tokens
    assert "hmabc" == "".join(map(str, tokens))


@pytest.mark.behaviour("T395", "W39")
async def test_turns_that_call_a_tool_can_be_told_from_answers() -> None:
    """The turns of a loop are one stream; a turn without a token of a call is an answer."""

    @Tool(name="look", description="Look.")
    class Look:
        def execute(self) -> str:
            return "seen"

    class Calling(Speaking):
        async def stream(self, request: CompletionRequest, emit: Emit) -> Completion:
            self.pieces, self.calls = (
                (("the ", "answer"), ()) if self.asked else (("I look.",), (FunctionCall(name="look", arguments={}),))
            )
            return await super().stream(request, emit)

    handle = app_of(loop([agent(Calling(), tools=[Look])], until=until_answered)).run("x")
    tokens = [token async for token in handle.text_stream("text", "tool_call")]
    assert [("I look.", 1), ("", 1), ("the ", 2), ("answer", 2)] == [(token.text, token.turn) for token in tokens]
    assert [None, "look", None, None] == [token.tool for token in tokens]
    answered = {token.turn for token in tokens} - {token.turn for token in tokens if token.kind == "tool_call"}
    assert {2} == answered
    assert await handle == "".join(token.text for token in tokens if token.turn in answered)


@pytest.mark.parametrize("listens", [True, False])
async def test_a_call_found_in_the_text_is_said_as_a_call(listens: bool) -> None:
    """Text that turned out to be a call has the kind of a call, whether somebody listened by then or not."""
    call = FunctionCall(name="look", arguments={}, source="rescued")

    class Rescued(Speaking):
        async def stream(self, request: CompletionRequest, emit: Emit) -> Completion:
            emit('{"name": "look"}', "tool_call", "look")
            return await self.complete(request)

    handle = app_of(agent(Rescued('{"name": "look"}', calls=[call]))).run("x")
    if listens:
        handle.on_token(print)
    await handle
    assert [('{"name": "look"}', "tool_call", "look")] == [
        (token.text, token.kind, token.tool) async for token in handle.text_stream("text", "tool_call")
    ]


@pytest.mark.behaviour("W39")
async def test_branches_that_speak_at_the_same_time_are_told_apart() -> None:
    """Each token of a branch names its agent and its turn, so that each answer can be put together."""
    left, right = Speaking("l1 ", "l2 ", "l3"), Speaking("r1 ", "r2 ", "r3")
    handle = app_of(parallel([agent(left, "Left"), agent(right, "Right")])).run("x")
    tokens = [token async for token in handle.text_stream()]
    assert ["Left", "Right", "Left", "Right", "Left", "Right"] == [token.agent for token in tokens]
    by_turn = {token.turn: "" for token in tokens}
    for token in tokens:
        by_turn[token.turn] += token.text
    assert {1: "l1 l2 l3", 2: "r1 r2 r3"} == by_turn


@pytest.mark.behaviour("W39")
@pytest.mark.parametrize("how", ["step", "tool"])
async def test_nested_runs_speak_in_the_same_stream(how: str) -> None:
    """A workflow inside a workflow, as a step or started by a tool, is heard with its own agent's name."""
    inner = flow(agent(Speaking("in", "ner"), "Inner"))

    @Tool(name="start", description="Start.")
    class Start:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> str:
            return str(await self.runtime.run(inner, "go"))

    outer: list[Step] = [agent(ScriptedProvider([tool_call("start")]), "Outer", tools=[Start])]
    handle = app_of(*(outer if how == "tool" else [inner])).run("x")
    tokens = [(token.text, token.agent, token.run_id) async for token in handle.text_stream()]
    assert [("in", "Inner", handle.run_id), ("ner", "Inner", handle.run_id)] == tokens


# Who makes a model stream


@pytest.mark.behaviour("T401", "T282")
async def test_a_model_that_nobody_listens_to_answers_whole() -> None:
    """Without a listener the provider isn't asked to stream."""
    provider = Speaking("a", "b")
    app = app_of(agent(provider))
    handle = app.run("x")
    handle.on_event(print)
    await handle
    assert ["whole"] == provider.asked


@pytest.mark.behaviour("T394", "W52")
async def test_who_comes_after_the_end_gets_all_the_text() -> None:
    """An answer that nobody listened to is one token; with the same text as in pieces."""
    handle = app_of(agent(Speaking("a", "b"), "First"), agent(Speaking("c", "d"), "Second")).run("x")
    await handle
    assert ["ab", "cd"] == await texts(handle)
    heard: list[Token] = []
    handle.on_token(heard.append)
    assert [("ab", "First", 1), ("cd", "Second", 2)] == [(token.text, token.agent, token.turn) for token in heard]


@pytest.mark.behaviour("T400")
async def test_a_run_that_is_to_be_observed_streams_from_the_start() -> None:
    """With `observe=True` who comes late gets the very pieces that an early one got."""
    provider = Speaking("a", "b")
    handle = app_of(agent(provider)).run("x", observe=True)
    await handle
    assert (["in pieces"], ["a", "b"]) == (provider.asked, await texts(handle))


@pytest.mark.behaviour("T402")
async def test_a_plugin_that_watches_makes_models_stream() -> None:
    """A plugin with `on_event` shows runs to somebody; one with middlewares alone doesn't."""
    provider = Speaking("a")
    app = app_of(agent(provider))
    await app.use(Plugin(name="only in between", chat=lambda invocation, next_: next_()))
    await app.run("x")
    await app.use(Plugin(name="viewer", on_event=lambda event: None))
    await app.run("x")
    await app.run("x", observe=False)
    assert ["whole", "in pieces", "whole"] == provider.asked


@pytest.mark.behaviour("T403")
def test_a_run_without_a_handle_never_streams() -> None:
    """Nobody can listen to `run_sync`."""
    provider = Speaking("a")
    assert "a" == app_of(agent(provider)).run_sync("x")
    assert ["whole"] == provider.asked


@pytest.mark.parametrize("leave", ["unsubscribe", "break"])
async def test_who_listens_no_longer_makes_no_model_stream(leave: str) -> None:
    """A model call that begins after the last listener has left is asked for whole."""
    provider = Speaking("a", "b")
    handle = app_of(agent(provider), agent(provider)).run("x")
    if leave == "break":
        async for _ in handle.text_stream():
            break
    else:
        unsubscribe = handle.on_token(lambda token: unsubscribe())
    await handle
    assert ["in pieces", "whole"] == provider.asked
    assert "abab" == "".join(await texts(handle))


async def test_a_provider_that_can_not_stream_is_heard_all_the_same() -> None:
    """Its answer is one token."""

    class Whole:
        async def complete(self, request: CompletionRequest) -> Completion:
            return Completion(content="all at once")

        async def close(self) -> None:
            pass

    handle = app_of(agent(Whole())).run("x")
    assert ["all at once"] == await texts(handle)


async def test_an_answer_out_of_a_middleware_is_heard() -> None:
    """What a cache answers in the place of the model is said whole."""
    provider = Speaking("never")

    async def cache(invocation: object, next_: object) -> Completion:
        return Completion(content="from the cache")

    app = app_of(agent(provider)).use(chat=cache)
    handle = (await app).run("x")
    assert (["from the cache"], []) == (await texts(handle), provider.asked)


@pytest.mark.behaviour("T284", "T285")
async def test_a_run_that_keeps_nothing_can_not_be_watched() -> None:
    """With `observe=False` whoever subscribes is told, and the run goes on."""
    handle = app_of(agent(Speaking("a"))).run("x", observe=False)
    for subscribe in (
        lambda: handle.on_token(print),
        lambda: handle.text_stream(),
        lambda: handle.on_event(print),
        lambda: handle.event_stream(),
    ):
        with pytest.raises(RuntimeError, match=r"started with `observe=False`, which keeps nothing"):
            subscribe()
    assert ("a", "") == (await handle, handle.partial_text)


async def test_an_unknown_kind_of_token_is_refused() -> None:
    """The error lists the kinds that there are."""
    handle = app_of(agent(Speaking("a"))).run("x")
    with pytest.raises(ValueError, match=r"got 'words'\. Give kinds out of: text, thinking, tool_call"):
        handle.text_stream("words")  # type: ignore[arg-type]
    await handle


# Listeners


@pytest.mark.behaviour("T396")
async def test_who_unsubscribes_before_the_first_token_hears_none() -> None:
    """Unsubscribing counts at once."""
    handle = app_of(agent(Speaking("a"))).run("x")
    heard: list[Token] = []
    handle.on_token(heard.append)()
    await handle
    assert [] == heard


@pytest.mark.behaviour("T397")
async def test_a_listener_that_raises_changes_nothing() -> None:
    """The run, the other listeners and the model's other pieces are as without it."""

    def failing(token: Token) -> None:
        raise ValueError(token.text)

    handle = app_of(agent(Speaking("a", "b"))).run("x")
    heard: list[str] = []
    handle.on_token(failing)
    handle.on_token(lambda token: heard.append(token.text))
    assert ("ab", ["a", "b"]) == (await handle, heard)


@pytest.mark.behaviour("T399")
async def test_tokens_and_events_are_told_apart() -> None:
    """Neither channel has anything of the other's."""
    handle = app_of(agent(Speaking("a"))).run("x")
    tokens: list[object] = []
    events: list[object] = []
    handle.on_token(tokens.append)
    handle.on_event(events.append)
    await handle
    assert {Token} == {type(token) for token in tokens}
    assert {Event} == {type(event) for event in events}


@pytest.mark.behaviour("T371", "W52")
async def test_what_is_no_longer_kept_is_told_as_a_gap() -> None:
    """A listener that comes when the beginning is gone is told how much it misses, of tokens and of events."""
    numbers = [f"{number} " for number in range(200)]
    handle = app_of(agent(Speaking(*numbers)), keep_bytes=5_000).run("x", observe=True)
    early: list[str] = []
    handle.on_token(lambda token: early.append(token.text))
    await handle
    assert numbers == early

    gap, *rest = [token async for token in handle.text_stream()]
    assert ("gap", "", handle.run_id) == (gap.kind, gap.text, gap.run_id)
    assert numbers[gap.lost :] == [token.text for token in rest]
    assert 0 < len(rest) < 200

    handle = app_of(*[agent(Speaking("a"))] * 20, keep_bytes=5_000).run("x")
    await handle
    events = [event async for event in handle.event_stream()]
    assert ("gap", events[1].sequence - 1) == (events[0].kind, events[0].data["lost"])
    assert ("end", "workflow") == (events[-1].phase, events[-1].kind)
    assert Event.from_json(events[0].to_json()) == events[0]


SUBSCRIBERS = st.lists(
    st.tuples(st.integers(0, 12), st.sampled_from(["listen", "stream"]), st.integers(0, 3)), max_size=5
)


@pytest.mark.behaviour("W52")
@settings(deadline=None)
@given(
    st.lists(st.sampled_from(["a", "bc ", "\n", "é", "long " * 9]), max_size=12),
    SUBSCRIBERS,
    st.sampled_from([None, True]),
)
def test_every_subscriber_hears_the_whole_text(
    pieces: list[str], subscribers: list[tuple[int, str, int]], observe: bool | None
) -> None:
    """However many there are, whenever each comes, however slow it is: the text that each hears is the model's."""

    async def play() -> None:
        provider = Speaking(*pieces)
        handle = app_of(agent(provider), agent(provider)).run("x", observe=observe)

        async def subscribe(moment: int, how: str, pauses: int) -> str:
            for _ in range(moment):
                await asyncio.sleep(0)
            heard: list[str] = []
            if how == "listen":
                handle.on_token(lambda token: heard.append(token.text))
                await handle
            else:
                async for token in handle.text_stream():
                    heard.append(token.text)
                    for _ in range(pauses):
                        await asyncio.sleep(0)
            return "".join(heard)

        heard = await asyncio.gather(*(subscribe(*subscriber) for subscriber in subscribers))
        await handle
        assert ["".join(pieces) * 2] * len(subscribers) == heard

    asyncio.run(play())


# What is cut off


@pytest.mark.parametrize("reason", [ValueError("enough"), "enough", None])
async def test_an_abort_in_the_middle_keeps_what_was_said(reason: object) -> None:
    """The handle has the partial text, the conversation as far as it came, and the reason as it was given."""
    provider = Speaking("one ", "two ", "three ", "four")
    handle = app_of(agent(ScriptedProvider(["before"])), agent(provider)).run("x")
    handle.on_token(lambda token: handle.abort(reason) if token.text == "two " else None)
    with pytest.raises(ValueError if isinstance(reason, Exception) else RunAborted) as caught:
        await handle
    if isinstance(reason, Exception):
        assert reason is caught.value
    else:
        assert isinstance(caught.value, RunAborted)
        assert reason == caught.value.reason
    assert "one two " == handle.partial_text
    assert ["x", "before"] == [message.content for message in handle.state.history]


async def test_a_failure_in_the_middle_keeps_what_was_said() -> None:
    """A provider that fails after some pieces fails the run; what was said is on the handle and in the stream."""
    handle = app_of(agent(Speaking("half ", "an answer", fails=ValueError("lost")))).run("x")
    heard = await texts(handle)
    with pytest.raises(ValueError, match="lost"):
        await handle
    assert (["half ", "an answer"], "half an answer") == (heard, handle.partial_text)


async def test_a_whole_answer_leaves_no_partial_text() -> None:
    """Nothing is partial where nothing was cut off."""
    handle = app_of(agent(Speaking("a", "b"))).run("x", observe=True)
    await handle
    assert "" == handle.partial_text


# Middlewares and the own step


async def test_an_agent_with_a_step_of_its_own_is_heard() -> None:
    """What `ctx.chat()` asks is said as in any other turn, each call being a turn of its own."""

    @Agent(provider=Speaking("a", "b"), prompt=Prompt("p"))
    class Own:
        async def run(self, given: str, ctx: Context) -> str:
            first = await ctx.chat()
            second = await ctx.chat()
            return first.content + second.content

    handle = app_of(Own).run("x")
    tokens = [(token.text, token.turn) async for token in handle.text_stream()]
    assert [("a", 1), ("b", 1), ("a", 2), ("b", 2)] == tokens
    assert "abab" == await handle

"""Answers that come in pieces from a real server: what is said, what is made of them, and every way they fail."""

import asyncio
import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.loopback import Answer, serving
from thena_runtime.messages import Completion, FunctionCall, Message, ToolSpec, Usage
from thena_runtime.providers.answer import IncomingAnswer
from thena_runtime.providers.chat_completions import ChatCompletionStream
from thena_runtime.providers.openai import OpenAIProvider
from thena_runtime.providers.provider import CompletionRequest, ProviderError, StreamingProvider
from thena_runtime.providers.retry import RetryPolicy

HELLO = CompletionRequest(messages=(Message("user", "hello"),))
TOOLS = (
    ToolSpec(name="read", description="Reads.", parameters={}),
    ToolSpec(name="b", description="B.", parameters={}),
)
WITH_TOOLS = replace(HELLO, tools=TOOLS)
AT_ONCE = RetryPolicy(initial_delay=0.0)

Said = list[tuple[str, str, str | None]]


@pytest.fixture(autouse=True)
def no_defaults_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine's own settings, and its proxies, out of the tests."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def event(value: object) -> str:
    """One event with this JSON."""
    return f"data: {json.dumps(value)}\n\n"


def delta(content: object = None, *, finish: str | None = None, **more: object) -> str:
    """One piece of an answer."""
    piece = more if content is None else {"content": content, **more}
    return event({"choices": [{"index": 0, "delta": piece, "finish_reason": finish}]})


def fragment(
    index: int | None, arguments: str | None, *, name: str | None = None, call_id: str | None = None
) -> object:
    """One piece of a tool call."""
    function = {} if name is None else {"name": name}
    if arguments is not None:
        function["arguments"] = arguments
    entry: dict[str, object] = {"function": function}
    if index is not None:
        entry["index"] = index
    if call_id is not None:
        entry["id"] = call_id
    return entry


STOP = delta(finish="stop")
DONE = "data: [DONE]\n\n"


def streamed(*chunks: str, **options: object) -> Answer:
    return Answer(chunks=chunks, **options)  # type: ignore[arg-type]


WHOLE = streamed(delta("hello "), delta("you"), STOP, DONE)


async def said(
    *answers: Answer, request: CompletionRequest = HELLO, retry: RetryPolicy | bool = AT_ONCE, **options: object
) -> tuple[Said, Completion]:
    """What is said and what is made of it."""
    pieces: Said = []
    async with serving(*answers) as server:
        provider = OpenAIProvider("m", base_url=server.url, retry=retry, **options)  # type: ignore[arg-type]
        try:
            completion = await provider.stream(request, lambda *piece: pieces.append(_piece(*piece)))
        finally:
            await provider.close()
    return pieces, completion


def _piece(text: str, kind: str = "text", tool: str | None = None) -> tuple[str, str, str | None]:
    return text, kind, tool


def text(*pieces: str) -> Said:
    """Pieces of text."""
    return [(piece, "text", None) for piece in pieces]


async def refused(
    *answers: Answer, retry: RetryPolicy | bool = AT_ONCE, **options: object
) -> tuple[Said, ProviderError, int]:
    """What is said before an answer fails, the error, and how many requests there were."""
    pieces: Said = []
    async with serving(*answers) as server:
        provider = OpenAIProvider("m", base_url=server.url, retry=retry, **options)  # type: ignore[arg-type]
        with pytest.raises(ProviderError) as caught:
            await provider.stream(HELLO, lambda *piece: pieces.append(_piece(*piece)))
        await provider.close()
        port = server.url.split(":")[2].split("/")[0]
    caught.value.args = (caught.value.args[0].replace(port, "PORT"),)
    return pieces, caught.value, len(server.asked)


# What is sent and read


@pytest.mark.behaviour("T094")
async def test_an_answer_comes_in_pieces_with_its_usage() -> None:
    """Streaming and the usage are asked for; the pieces are said in order, and joined they are the answer."""
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 2}}
    pieces: Said = []
    async with serving(
        streamed(delta("hel"), delta("lo "), delta("you"), STOP, event({"choices": [], "usage": usage}), DONE)
    ) as server:
        provider = OpenAIProvider("m", base_url=server.url)
        completion = await provider.stream(HELLO, lambda *piece: pieces.append(_piece(*piece)))
        await provider.close()
    asked = server.asked[0].body
    assert isinstance(asked, dict)
    assert (True, {"include_usage": True}) == (asked["stream"], asked["stream_options"])
    assert text("hel", "lo", " you") == pieces
    assert (
        Completion(content="hello you", usage=Usage(prompt_tokens=7, completion_tokens=3, cached_tokens=2))
        == completion
    )


@pytest.mark.behaviour("T093")
async def test_a_call_that_nobody_listens_to_asks_for_no_stream() -> None:
    """A completion that is asked for whole has no word of streaming in its request."""
    async with serving(Answer(body={"choices": [{"message": {"content": "whole"}}]})) as server:
        provider = OpenAIProvider("m", base_url=server.url)
        completion = await provider.complete(HELLO)
        await provider.close()
    asked = server.asked[0].body
    assert isinstance(asked, dict)
    assert not {"stream", "stream_options"} & asked.keys()
    assert "whole" == completion.content


@pytest.mark.behaviour("T095")
async def test_a_call_in_fragments_is_put_together() -> None:
    """Name and arguments come in pieces; each is said as a piece of this tool's call."""
    pieces, completion = await said(
        streamed(
            delta("I read. "),
            delta(tool_calls=[fragment(0, "", name="read", call_id="c1")]),
            delta(tool_calls=[fragment(0, '{"pa')]),
            delta(tool_calls=[fragment(0, 'th": "a"}')]),
            delta(finish="tool_calls"),
            DONE,
        ),
        request=WITH_TOOLS,
    )
    calls = [("", "tool_call", "read"), ('{"pa', "tool_call", "read"), ('th": "a"}', "tool_call", "read")]
    assert [*text("I read."), *calls] == pieces
    assert (FunctionCall(id="c1", name="read", arguments={"path": "a"}),) == completion.tool_calls
    assert "I read." == completion.content


@pytest.mark.behaviour("T096")
async def test_fragments_of_two_calls_may_be_mixed() -> None:
    """Pieces belong together by their index, and the calls stand in its order."""
    _, completion = await said(
        streamed(
            delta(
                tool_calls=[fragment(1, '{"n"', name="b", call_id="c2"), fragment(0, '{"p', name="read", call_id="c1")]
            ),
            delta(tool_calls=[fragment(0, '": 1}'), fragment(1, ": 2}")]),
            STOP,
            DONE,
        )
    )
    expected = (
        FunctionCall(id="c1", name="read", arguments={"p": 1}),
        FunctionCall(id="c2", name="b", arguments={"n": 2}),
    )
    assert expected == completion.tool_calls


@pytest.mark.parametrize("index", [0, None], ids=["all the first", "none"])
async def test_calls_without_a_proper_index_are_told_apart(index: int | None) -> None:
    """A server that counts every call as the first, or leaves the index out, is told by the ids."""
    _, completion = await said(
        streamed(
            delta(tool_calls=[fragment(index, '{"n": ', name="read", call_id="c1"), fragment(index, "1}")]),
            delta(tool_calls=[fragment(index, '{"n": 2}', name="b", call_id="c2")]),
            STOP,
            DONE,
        )
    )
    assert [("c1", "read", {"n": 1}), ("c2", "b", {"n": 2})] == [
        (call.id, call.name, call.arguments) for call in completion.tool_calls
    ]


@pytest.mark.behaviour("W39", "W41")
async def test_thinking_is_told_from_the_answer() -> None:
    """Thinking in tags and thinking that the server marks are said as such and stay out of the answer."""
    pieces, completion = await said(
        streamed(
            delta(reasoning_content="first "),
            delta(content="", reasoning="second"),
            delta("<thi"),
            delta("nk>third</think>\n\nyes"),
            delta(" sir"),
            STOP,
            DONE,
        )
    )
    thinking = [("first ", "thinking", None), ("second", "thinking", None), ("third", "thinking", None)]
    assert [*thinking, *text("yes", " sir")] == pieces
    assert "yes sir" == completion.content


@pytest.mark.behaviour("W39")
async def test_text_that_turns_out_to_be_a_call_is_never_said_as_text() -> None:
    """What may be a call is held back until it is known, and said as a call."""
    call = '{"name": "read", "arguments": {"path": "a"}}'
    pieces, completion = await said(
        streamed(delta("I read. <tool"), delta("_call>" + call[:9]), delta(call[9:]), STOP, DONE), request=WITH_TOOLS
    )
    assert [*text("I read."), (f"<tool_call>{call}", "tool_call", "read")] == pieces
    assert [("read", {"path": "a"}, "rescued")] == [(c.name, c.arguments, c.source) for c in completion.tool_calls]


async def test_text_that_only_looked_like_a_call_is_said_in_the_end() -> None:
    """An answer in JSON is held back where tools are offered, and nothing of it is lost."""
    pieces, completion = await said(streamed(delta('{"a": '), delta("1}"), STOP, DONE), request=WITH_TOOLS)
    assert (text('{"a": 1}'), '{"a": 1}') == (pieces, completion.content)
    pieces, _ = await said(streamed(delta('{"a": '), delta("1}"), STOP, DONE))
    assert text('{"a":', " 1}") == pieces


@pytest.mark.parametrize(("rescue", "calls"), [(True, 1), ("strict", 0), (False, 0)])
async def test_rescue_is_on_can_be_strict_and_can_be_off(rescue: object, calls: int) -> None:
    """`rescue=` says how calls in the text are taken, in pieces and whole alike."""
    written = 'I read.\n{"name": "read", "arguments": {}}'
    _, completion = await said(streamed(delta(written), STOP, DONE), request=WITH_TOOLS, rescue=rescue)
    assert calls == len(completion.tool_calls)
    async with serving(Answer(body={"choices": [{"message": {"content": written}}]})) as server:
        provider = OpenAIProvider("m", base_url=server.url, rescue=rescue)  # type: ignore[arg-type]
        assert calls == len((await provider.complete(WITH_TOOLS)).tool_calls)
        assert 0 == len((await provider.complete(HELLO)).tool_calls)
        await provider.close()


def test_another_rescue_is_refused() -> None:
    """An option that can't be honoured is told when the provider is made."""
    with pytest.raises(ValueError, match='Give `True`, `False` or `"strict"`'):
        OpenAIProvider("m", base_url="http://127.0.0.1/v1", rescue="eager")  # type: ignore[arg-type]


async def test_blanks_around_the_answer_are_not_said() -> None:
    """What is said, joined, is the answer."""
    pieces, completion = await said(streamed(delta("\n\n"), delta(" a\n"), delta("\nb \n"), delta("\n"), STOP, DONE))
    assert (text("a", "\n\nb"), "a\n\nb") == (pieces, completion.content)


async def test_a_server_that_knows_no_streams_is_read_whole() -> None:
    """An answer of plain JSON to a request for a stream is taken, its thinking and calls too."""
    calls = [{"id": "c1", "function": {"name": "read", "arguments": "{}"}}]
    body = {
        "choices": [{"message": {"content": "<think>hm</think>hello", "tool_calls": calls}}],
        "usage": {"prompt_tokens": 1},
    }
    whole = Answer(body=body, headers={"content-type": "application/json; charset=utf-8"})
    pieces, completion = await said(whole, request=WITH_TOOLS)
    assert [("hm", "thinking", None), *text("hello"), ("{}", "tool_call", "read")] == pieces
    assert ("hello", "c1", Usage(prompt_tokens=1)) == (
        completion.content,
        completion.tool_calls[0].id,
        completion.usage,
    )


@pytest.mark.behaviour("T084")
async def test_nothing_counts_after_the_end_is_said() -> None:
    """What follows `[DONE]` is no part of the answer, and the end of the body isn't waited for long."""
    pieces, _ = await said(streamed(delta("a"), STOP, DONE, delta("b"), then="stall"))
    assert text("a") == pieces


async def test_the_end_needs_only_a_reason_or_a_mark() -> None:
    """Servers that send no `[DONE]`, or no reason, have still ended their answer."""
    assert "a" == (await said(streamed(delta("a"), STOP)))[1].content
    assert "a" == (await said(streamed(delta("a"), DONE)))[1].content


async def test_a_streamed_connection_is_used_again() -> None:
    """An answer that was read to its end leaves its connection for the next one."""
    async with serving(WHOLE) as server:
        provider = OpenAIProvider("m", base_url=server.url)
        for _ in range(3):
            await provider.stream(HELLO, lambda *piece: None)
        await provider.close()
    assert 1 == server.connections


def test_it_is_a_provider_that_streams() -> None:
    """`OpenAIProvider` satisfies the protocol."""
    assert isinstance(OpenAIProvider("m", base_url="http://127.0.0.1/v1"), StreamingProvider)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_it_never_matters_how_the_body_is_cut(data: st.DataObject) -> None:
    """Any way to cut the bytes of an answer says the same and makes the same of it."""
    body = "".join(
        [
            ": ping\r\n\r\n",
            delta("<think>hm</think>näh <tool"),
            delta("x> "),
            delta(tool_calls=[fragment(0, "{}", name="read", call_id="c1")]),
            STOP,
            event({"choices": [], "usage": {"prompt_tokens": 1}}),
            DONE,
        ]
    ).encode()

    def read(chunks: list[bytes]) -> tuple[dict[str, str], Completion]:
        joined: dict[str, str] = {}

        def emit(text: str, kind: str = "text", tool: str | None = None) -> None:
            joined[kind] = joined.get(kind, "") + text

        stream = ChatCompletionStream(IncomingAnswer(emit, TOOLS, True), ())
        for chunk in chunks:
            stream.feed(chunk)
        if not stream.is_over:
            stream.end()
        return joined, stream.finish(1)

    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=8)))
    chunks = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    assert ({"thinking": "hm", "text": "näh <toolx>", "tool_call": "{}"}, read([body])[1]) == read(chunks)


@pytest.mark.parametrize(
    ("told", "reason"),
    [("stop", "stop"), ("tool_calls", "stop"), ("length", "length"), ("content_filter", "content_filter")],
)
async def test_why_a_model_ended_is_read(told: str, reason: str) -> None:
    """It stands in the last piece, which the usage may follow; what came so far is the answer."""
    usage = event({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}})
    pieces, completion = await said(streamed(delta("half "), delta("an", finish=told), usage, DONE))

    assert (text("half", " an"), "half an", reason) == (pieces, completion.content, completion.finish_reason)
    assert Usage(prompt_tokens=1, completion_tokens=2) == completion.usage


@pytest.mark.parametrize("reason", ["stop", "length", "content_filter"])
@pytest.mark.parametrize("arguments", [None, '{"pa'])
async def test_arguments_of_a_call_that_was_cut_off_stay_a_text(arguments: str | None, reason: str) -> None:
    """Where they hadn't come yet they aren't taken for none."""
    call = delta(tool_calls=[fragment(0, arguments, name="read", call_id="c")])
    _, completion = await said(streamed(call, delta(finish=reason), DONE), request=WITH_TOOLS)

    nothing: object = {} if reason == "stop" else ""
    assert [arguments or nothing] == [call.arguments for call in completion.tool_calls]


@pytest.mark.parametrize("reason", ["stop", "length"])
async def test_a_call_in_the_text_that_was_cut_off_stays_a_text(reason: str) -> None:
    """Some of its arguments are not all of them."""
    written = "<function=read>\n<parameter=path>\na.py\n</parameter>\n<parameter=li"
    _, completion = await said(streamed(delta(written, finish=reason), DONE), request=WITH_TOOLS)

    [call] = completion.tool_calls
    assert ("read", written.removeprefix("<function=read>"), "rescued") == (call.name, call.arguments, call.source)


async def test_a_whole_answer_of_a_server_without_streams_tells_why_it_ended() -> None:
    """It is read like that of a request without a stream."""
    body = {"choices": [{"message": {"content": "half"}, "finish_reason": "length"}]}
    _, completion = await said(Answer(body=body, headers={"content-type": "application/json"}))

    assert Completion(content="half", finish_reason="length") == completion


# What goes wrong


@pytest.mark.behaviour("W37")
@pytest.mark.parametrize(
    "trouble",
    [
        Answer(status=503, body="busy"),
        Answer(status=429, headers={"Retry-After": "0"}, body={"error": {"message": "slow down"}}),
        streamed(),
        streamed(then="cut"),
        streamed(delta(""), "data: {bro\n\n", DONE),
        streamed(event({"error": {"message": "overloaded", "code": 503}})),
        streamed(delta(role="assistant", content=""), then="cut"),
        streamed(delta("<think"), then="cut"),
    ],
    ids=["failing", "429", "empty", "lost at once", "malformed", "told", "lost after the role", "lost while held back"],
)
async def test_a_trouble_before_anything_was_said_is_tried_again(trouble: Answer) -> None:
    """As long as nobody has heard a word, a failed attempt is followed by another."""
    pieces, completion = await said(trouble, WHOLE)
    assert (text("hello", " you"), "hello you", 2) == (pieces, completion.content, completion.attempts)


@pytest.mark.parametrize(
    ("rest", "fact"),
    [
        ({"then": "cut"}, r"got no whole answer \(RemoteProtocolError.*\)"),
        ({"then": "end"}, r"ended its answer in the middle"),
    ],
    ids=["connection lost", "ended in silence"],
)
async def test_a_truncated_answer_is_an_error_and_not_asked_for_again(rest: dict[str, str], fact: str) -> None:
    """What was said can't be taken back: there is no second attempt, and half an answer is never taken for whole."""
    pieces, error, asked = await refused(streamed(delta("half an "), delta("answer"), **rest), WHOLE)
    assert (text("half an", " answer"), 1) == (pieces, asked)
    error_text = str(error)
    assert error_text.startswith("[thena] THN703 `OpenAIProvider` `m` at http://127.0.0.1:PORT/v1/chat/completions ")
    assert not error.retryable
    with pytest.raises(ProviderError, match=fact):
        raise error


@pytest.mark.behaviour("T097")
async def test_a_malformed_piece_is_an_error() -> None:
    """A piece that can't be read is a part of the answer that is lost, and is never passed over."""
    pieces, error, _ = await refused(streamed(delta("a"), "data: {bro\n\n", delta("b"), STOP, DONE))
    assert text("a") == pieces
    assert (
        "[thena] THN703 `OpenAIProvider` `m` at http://127.0.0.1:PORT/v1/chat/completions "
        "got a piece of an answer that is no JSON: "
        "'{bro'. Check that `base_url=` is the address of the API, which often ends in `/v1`."
    ) == str(error)
    assert (200, "{bro", False) == (error.status, error.body, error.retryable)


@pytest.mark.behaviour("W45")
async def test_a_failure_that_the_server_tells_in_the_middle_is_an_error() -> None:
    """The server's own words are in the error, which says whether the same call may succeed later."""
    told = event({"error": {"message": "no more credit", "code": 402}})
    _, error, asked = await refused(streamed(told))
    assert "was told in the middle of the answer: no more credit." in str(error)
    assert (1, False) == (asked, error.retryable)


@pytest.mark.behaviour("W35")
async def test_the_time_limit_is_for_each_wait_and_not_for_the_whole_answer() -> None:
    """An answer that goes on may take longer than the limit."""
    slow = streamed(*(delta("a ") for _ in range(8)), STOP, DONE, pause=0.1)
    pieces, completion = await said(slow, timeout=0.4, retry=False)
    assert (8, 1) == (completion.content.count("a"), completion.attempts)
    assert 8 == len(pieces)


@pytest.mark.behaviour("W35")
async def test_an_answer_that_stalls_before_it_began_is_tried_again() -> None:
    """A server that is silent for longer than the limit is given up, and asked again."""
    _, completion = await said(streamed(then="stall"), WHOLE, timeout=0.3)
    assert ("hello you", 2) == (completion.content, completion.attempts)
    _, completion = await said(Answer(silent=True), WHOLE, timeout=0.3)
    assert ("hello you", 2) == (completion.content, completion.attempts)


async def test_an_answer_that_stalls_in_the_middle_is_told_with_the_limit() -> None:
    """The error names the option that sets the limit, and what was said stays said."""
    pieces, error, asked = await refused(streamed(delta("half"), then="stall"), WHOLE, timeout=0.2)
    assert (text("half"), 1, False) == (pieces, asked, error.retryable)
    assert "sent nothing for `timeout=0.2` seconds. Raise `timeout=`" in str(error)


async def test_a_refusal_is_told_as_without_a_stream() -> None:
    """A status that is no success is read whole and told with its repair."""
    _, error, asked = await refused(Answer(status=401, body={"error": {"message": "wrong key"}}))
    assert "was answered with status 401: wrong key. Set `OPENAI_API_KEY`" in str(error)
    assert (401, 1) == (error.status, asked)


async def test_cancelling_ends_the_connection_in_the_middle() -> None:
    """The server sees the connection end while it still had something to say."""
    heard = asyncio.Event()
    async with serving(streamed(delta("half"), then="stall")) as server:
        provider = OpenAIProvider("m", base_url=server.url, retry=AT_ONCE)
        call = asyncio.create_task(provider.stream(HELLO, lambda *piece: heard.set()))
        await asyncio.wait_for(heard.wait(), 30)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await asyncio.wait_for(server.abandoned.wait(), 30)
        await provider.close()
    assert 1 == len(server.asked)

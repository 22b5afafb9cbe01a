"""What `OpenAIProvider` sends to a real server, what it reads, and what it says when that fails."""

import asyncio
import traceback
from dataclasses import replace
from datetime import timedelta

import pytest
from pydantic import SecretStr

from tests.support.loopback import Answer, serving
from thena_runtime.messages import Completion, FunctionCall, Message, ToolSpec, Usage
from thena_runtime.providers.openai import OpenAIProvider
from thena_runtime.providers.provider import CompletionRequest, Provider, ProviderError
from thena_runtime.providers.retry import RetryPolicy

HELLO = CompletionRequest(messages=(Message("user", "hello"),))
AT_ONCE = RetryPolicy(initial_delay=0.0)
KEY = "sk-very/secret"


@pytest.fixture(autouse=True)
def no_defaults_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine's own settings, and its proxies, out of the tests."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def answered(content: object = "hi", calls: object = None, usage: object = None) -> Answer:
    message = {"role": "assistant", "content": content, "tool_calls": calls}
    return Answer(body={"choices": [{"message": message}], "usage": usage})


def function(name: object, arguments: object, call_id: object = "c1") -> dict[str, object]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


async def completed(*answers: Answer, request: CompletionRequest = HELLO) -> Completion:
    async with serving(*answers) as server:
        provider = OpenAIProvider("m", base_url=server.url, retry=AT_ONCE)
        try:
            return await provider.complete(request)
        finally:
            await provider.close()


async def refused(*answers: Answer, retry: RetryPolicy | bool = False) -> ProviderError:
    """Get the error of a server that answers like this, its port written as PORT."""
    async with serving(*answers) as server:
        provider = OpenAIProvider("m", base_url=server.url, api_key=KEY, retry=retry)
        with pytest.raises(ProviderError) as caught:
            await provider.complete(HELLO)
        await provider.close()
        port = server.url.split(":")[2].split("/")[0]
    caught.value.args = (caught.value.args[0].replace(port, "PORT"),)
    return caught.value


async def sent(request: CompletionRequest, **options: object) -> object:
    async with serving(answered()) as server:
        provider = OpenAIProvider("m", base_url=server.url, **options)  # type: ignore[arg-type]
        await provider.complete(request)
        await provider.close()
        return server.asked[0].body


# What is sent


async def test_a_request_without_options_holds_only_the_model_and_the_messages() -> None:
    """No option of a request has a default, so that the server's own hold."""
    assert {"model": "m", "messages": [{"role": "user", "content": "hello"}]} == await sent(HELLO)


async def test_a_request_goes_to_the_chat_completions_of_the_base_url_with_the_key() -> None:
    """The path is laid onto the base URL, with or without its last slash, and the key is a bearer token."""
    async with serving(answered()) as server:
        provider = OpenAIProvider("m", base_url=server.url + "/?version=1", api_key=f" {KEY}\n")
        await provider.complete(HELLO)
        await provider.close()
    assert "POST /v1/chat/completions?version=1 HTTP/1.1" == server.asked[0].line
    assert f"Bearer {KEY}" == server.asked[0].headers["authorization"]


async def test_a_server_that_asks_for_no_key_gets_none() -> None:
    """Without a key there is no authorization header."""
    async with serving(answered()) as server:
        provider = OpenAIProvider("m", base_url=server.url)
        await provider.complete(HELLO)
        await provider.close()
    assert "authorization" not in server.asked[0].headers


async def test_model_address_and_key_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A provider that is told nothing uses `OPENAI_MODEL`, `OPENAI_BASE_URL` and `OPENAI_API_KEY`."""
    async with serving(answered()) as server:
        monkeypatch.setenv("OPENAI_MODEL", "from-outside")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        provider = OpenAIProvider()
        await provider.complete(HELLO)
        await provider.close()
    body = server.asked[0].body
    assert isinstance(body, dict)
    assert ("from-outside", f"Bearer {KEY}") == (body["model"], server.asked[0].headers["authorization"])


@pytest.mark.behaviour("W38", "W41")
async def test_a_conversation_is_sent_in_the_wire_format() -> None:
    """Calls go out with their arguments as JSON text, and each tool's answer names the call that it answers."""
    messages = (
        Message("system", "prompt"),
        Message("user", "\ud800é"),
        Message("assistant", "", tool_calls=(FunctionCall(id="c1", name="read", arguments={"path": "ä"}),)),
        Message("tool", "text", tool_call_id="c1", tool_name="read"),
        Message("assistant", "more", tool_calls=(FunctionCall(id="c2", name="read", arguments="{bro"),)),
        Message("tool", "no such file", tool_call_id="c2", tool_name="read", is_error=True),
        Message("assistant", "done"),
    )
    body = await sent(CompletionRequest(messages=messages))
    expected = [
        {"role": "system", "content": "prompt"},
        {"role": "user", "content": "?é"},
        {"role": "assistant", "content": None, "tool_calls": [function("read", '{"path": "ä"}')]},
        {"role": "tool", "tool_call_id": "c1", "content": "text"},
        {"role": "assistant", "content": "more", "tool_calls": [function("read", '{"arguments": "{bro"}', "c2")]},
        {"role": "tool", "tool_call_id": "c2", "content": "Error: no such file"},
        {"role": "assistant", "content": "done"},
    ]
    assert {"model": "m", "messages": expected} == body


@pytest.mark.behaviour("T004")
async def test_tools_are_offered_with_their_schema() -> None:
    """A tool goes out with its name, its description and its JSON schema."""
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    body = await sent(
        CompletionRequest(messages=(), tools=(ToolSpec(name="read", description="Reads.", parameters=schema),))
    )
    tool = {"type": "function", "function": {"name": "read", "description": "Reads.", "parameters": schema}}
    assert {"model": "m", "messages": [], "tools": [tool], "tool_choice": "auto"} == body


@pytest.mark.behaviour("W41", "T352", "T353")
async def test_sampling_of_the_agent_wins_key_by_key_and_raw_wins_over_all() -> None:
    """The provider's sampling is overlaid by the agent's, both by `raw`; what the format lacks isn't sent."""
    body = await sent(
        CompletionRequest(messages=(), sampling={"temperature": 0.0, "stop": ["END"], "top_k": 3}),
        sampling={"temperature": 1.0, "top_p": 0.5, "max_tokens": 9, "seed": 4, "num_ctx": 8},
        raw={"seed": 5, "user": "me"},
    )
    expected = {
        "model": "m",
        "messages": [],
        "temperature": 0.0,
        "top_p": 0.5,
        "max_tokens": 9,
        "seed": 5,
        "stop": ["END"],
        "user": "me",
    }
    assert expected == body


# What is read


async def test_an_answer_is_read_with_its_usage() -> None:
    """The text comes without the model's thinking, with the tokens that it took and the attempts."""
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 2}}
    completion = await completed(answered("<think>hm</think> yes ", usage=usage))
    assert (
        Completion(content="yes", usage=Usage(prompt_tokens=7, completion_tokens=3, cached_tokens=2), attempts=1)
        == completion
    )


async def test_counts_that_are_none_are_read_as_nothing() -> None:
    """A server that tells a negative count, or no number, doesn't end the run."""
    completion = await completed(answered("yes", usage={"prompt_tokens": -1, "completion_tokens": "3"}))

    assert Usage() == completion.usage


@pytest.mark.parametrize(
    ("content", "text"),
    [(None, ""), ([{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}], "ab"), (3, "")],
)
async def test_an_answer_without_plain_text_is_read(content: object, text: str) -> None:
    """A missing text is empty, and a text in parts is joined."""
    assert Completion(content=text) == await completed(answered(content))


@pytest.mark.behaviour("T095")
async def test_native_calls_are_read() -> None:
    """Each call keeps its id, its name and its arguments read from JSON."""
    completion = await completed(answered(None, [function("a", '{"n": 1}', "x"), function(" b ", {"n": 2}, "y")]))
    expected = (
        FunctionCall(id="x", name="a", arguments={"n": 1}),
        FunctionCall(id="y", name="b", arguments={"n": 2}),
    )
    assert expected == completion.tool_calls


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        ('{"path": ', '{"path": '),
        ('{"n": NaN}', '{"n": NaN}'),
        ("[" * 100_000, "[" * 100_000),
        ("[1]", [1]),
        ("", {}),
        ("null", {}),
        (None, {}),
    ],
    ids=["cut", "no JSON", "too deep", "list", "empty", "null", "missing"],
)
async def test_arguments_that_are_no_json_stay_as_they_were_written(written: object, arguments: object) -> None:
    """Broken arguments stay text for the layer above to answer; no arguments are an empty mapping."""
    completion = await completed(answered(None, [function("a", written)]))
    assert [arguments] == [call.arguments for call in completion.tool_calls]


async def test_entries_that_name_no_function_are_no_calls() -> None:
    """What a server puts among the calls without a function's name is passed over."""
    entries = [None, 3, {"id": "x"}, {"function": "a"}, function(None, "{}"), function(" ", "{}"), function("a", "{}")]
    assert ["a"] == [call.name for call in (await completed(answered(None, entries))).tool_calls]


@pytest.mark.behaviour("W38")
async def test_every_call_gets_an_id_that_no_other_has() -> None:
    """An id that is missing, or was used before in the answer or the conversation, is replaced by a new one."""
    earlier = Message("assistant", "", tool_calls=(FunctionCall(id="old", name="a", arguments={}),))
    entries = [function("a", "{}", call_id) for call_id in ("new", "new", "old", "", None)]
    completion = await completed(answered(None, entries), request=CompletionRequest(messages=(earlier,)))
    ids = [call.id for call in completion.tool_calls]
    assert "new" == ids[0]
    assert 6 == len({"old", *ids})
    assert "" not in ids


REASONS = [
    ("stop", "stop"),
    ("tool_calls", "stop"),
    (None, "stop"),
    ("something new", "stop"),
    (["length"], "stop"),
    ("length", "length"),
    ("max_tokens", "length"),
    ("content_filter", "content_filter"),
]


@pytest.mark.parametrize(("told", "reason"), REASONS)
async def test_why_a_model_ended_is_read(told: object, reason: str) -> None:
    """A limit and a filter cut an answer off; whatever else a server says is an end like any other."""
    body = {"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": told}]}

    assert Completion(content="hi", finish_reason=reason) == await completed(Answer(body=body))  # type: ignore[arg-type]


@pytest.mark.parametrize("arguments", ["", None, '{"a": '])
@pytest.mark.parametrize("reason", ["stop", "length", "content_filter"])
async def test_arguments_of_a_call_that_was_cut_off_stay_a_text(arguments: object, reason: str) -> None:
    """Where they hadn't come yet they aren't taken for none; those of the calls before are read as ever."""
    message = {"content": None, "tool_calls": [function("a", "", "c1"), function("b", arguments, "c2")]}
    body = {"choices": [{"message": message, "finish_reason": reason}]}
    calls = (await completed(Answer(body=body))).tool_calls

    nothing: object = {} if reason == "stop" else ""
    assert [{}, arguments or nothing] == [call.arguments for call in calls]


# What goes wrong


@pytest.mark.behaviour("W37", "T067")
async def test_too_many_requests_are_repeated_when_the_server_says_so() -> None:
    """A 429 is tried again after the time that the server names, and the attempts are counted."""
    busy = Answer(status=429, headers={"Retry-After": "0"}, body={"error": {"message": "slow down"}})
    async with serving(busy, answered("at last")) as server:
        # A computed wait would outlast the test: only the server's own word lets it end.
        provider = OpenAIProvider("m", base_url=server.url, retry=RetryPolicy(initial_delay=1e9, max_delay=1e9))
        completion = await asyncio.wait_for(provider.complete(HELLO), 30)
        await provider.close()
    assert Completion(content="at last", attempts=2) == completion
    assert server.asked[0].body == server.asked[1].body
    assert 1 == server.connections


@pytest.mark.behaviour("W37")
@pytest.mark.parametrize(
    "trouble",
    [Answer(status=500, body="oops"), Answer(body={"choices": "x" * 999}, cut=True), Answer(body='{"choices": [')],
    ids=["failing server", "connection lost", "cut off without notice"],
)
async def test_a_passing_trouble_is_tried_again(trouble: Answer) -> None:
    """A failing server, a connection lost in the body, and an answer that isn't whole are tried again."""
    assert Completion(content="hi", attempts=2) == await completed(trouble, answered())


@pytest.mark.behaviour("W45")
async def test_a_trouble_that_lasts_ends_in_an_error_that_counts_the_attempts() -> None:
    """When the attempts are used up the last fact is told, with how often it was tried."""
    error = await refused(Answer(status=503, body="<b>down</b>"), retry=AT_ONCE)
    assert (
        "[thena] THN703 `OpenAIProvider` `m` at http://127.0.0.1:PORT/v1/chat/completions "
        "was answered with status 503: <b>down</b>"
        " after 3 attempts. Try again later, or allow more attempts with `retry=RetryPolicy(max_attempts=...)`."
    ) == str(error)
    assert (503, "<b>down</b>", True) == (error.status, error.body, error.retryable)


@pytest.mark.behaviour("W45")
async def test_a_refused_key_is_told_with_the_repair_and_without_the_key() -> None:
    """A 401 is not tried again; its error says how to give another key, and never shows the one that was given."""
    echo = '{"error": {"message": "Wrong key sk-very/secret.", "sent": "sk-very\\/secret"}}'
    async with serving(Answer(status=401, body=echo)) as server:
        provider = OpenAIProvider("m", base_url=server.url, api_key=KEY, retry=AT_ONCE)
        with pytest.raises(ProviderError) as caught:
            await provider.complete(HELLO)
        await provider.close()
    error = caught.value
    assert 1 == len(server.asked)
    assert (
        f"[thena] THN703 `OpenAIProvider` `m` at {server.url}/chat/completions "
        "was answered with status 401: Wrong key ***. "
        "Set `OPENAI_API_KEY` or pass `api_key=` with a key that may use this model."
    ) == str(error)
    assert (401, False) == (error.status, error.retryable)
    assert "secret" not in f"{error.body}{''.join(traceback.format_exception(error))}{vars(error)}"


@pytest.mark.behaviour("T062", "W45")
async def test_a_server_that_cannot_be_reached_is_told() -> None:
    """Nobody listening is a fact about the address, and may be over later."""
    async with serving(answered()) as server:
        pass
    with pytest.raises(ProviderError, match=r"ConnectError.* after 3 attempts\. Check that the server runs") as caught:
        await OpenAIProvider("m", base_url=server.url, retry=AT_ONCE).complete(HELLO)
    assert (None, None, True) == (caught.value.status, caught.value.body, caught.value.retryable)


@pytest.mark.behaviour("W35")
async def test_an_attempt_that_takes_too_long_is_tried_again() -> None:
    """The time limit is for one attempt: a silent server is given up and asked again."""
    async with serving(Answer(silent=True), answered("awake")) as server:
        provider = OpenAIProvider("m", base_url=server.url, timeout=0.5, retry=AT_ONCE)
        completion = await provider.complete(HELLO)
        await provider.close()
        await asyncio.wait_for(server.abandoned.wait(), 30)
    assert Completion(content="awake", attempts=2) == completion


@pytest.mark.behaviour("W45")
async def test_a_server_that_stays_silent_is_told_with_the_limit() -> None:
    """An attempt out of time names the option that sets the time."""
    async with serving(Answer(silent=True)) as server:
        provider = OpenAIProvider("m", base_url=server.url, timeout=0.05, retry=False)
        with pytest.raises(ProviderError, match=r"within `timeout=0.05` seconds\. Raise `timeout=`") as caught:
            await provider.complete(HELLO)
        await provider.close()
    assert caught.value.retryable


@pytest.mark.behaviour("T043")
async def test_no_time_limit_holds_but_the_one_that_is_given() -> None:
    """A model that thinks for longer than an HTTP client's usual five seconds is waited for."""
    slow = replace(answered("thought about it"), delay=5.5)
    assert Completion(content="thought about it", attempts=1) == await completed(slow)


async def test_cancelling_a_call_ends_its_request() -> None:
    """A cancelled call is not tried again, and the server sees the connection end."""
    async with serving(Answer(silent=True)) as server:
        provider = OpenAIProvider("m", base_url=server.url, retry=AT_ONCE)
        call = asyncio.create_task(provider.complete(HELLO))
        await server.wait_for(1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        await asyncio.wait_for(server.abandoned.wait(), 30)
        await provider.close()
    assert 1 == len(server.asked)


@pytest.mark.parametrize(
    ("body", "fact"),
    [
        ({"choices": []}, "got an answer without choices"),
        ({"error": {"message": "no credit"}}, "got an answer without choices: no credit"),
        ([], "got an answer that is no JSON object"),
        ({"choices": [None]}, "got a choice without a message"),
        ({"choices": [{"message": "sk-very/secret"}]}, "got a choice without a message"),
    ],
)
async def test_an_answer_that_is_no_completion_is_told(body: object, fact: str) -> None:
    """A whole answer of another form is an error that says what is missing, and is not asked for again."""
    error = await refused(Answer(body=body), retry=AT_ONCE)
    assert (
        f"[thena] THN703 `OpenAIProvider` `m` at http://127.0.0.1:PORT/v1/chat/completions {fact}. "
        "Check that the server at `base_url=` speaks OpenAI's Chat Completions and knows this model."
    ) == str(error)
    assert (200, False) == (error.status, error.retryable)
    assert "secret" not in str(error.body)


async def test_an_address_that_is_no_api_is_told() -> None:
    """A web page in place of JSON points to the address."""
    error = await refused(Answer(body="<html>Welcome</html>"))
    assert (
        "[thena] THN703 `OpenAIProvider` `m` at http://127.0.0.1:PORT/v1/chat/completions "
        "got an answer that is no JSON: "
        "'<html>Welcome</html>'. Check that `base_url=` is the address of the API, which often ends in `/v1`."
    ) == str(error)


@pytest.mark.parametrize(
    ("status", "repair"),
    [
        (302, "Give the address that it points to as `base_url=`."),
        (403, "Set `OPENAI_API_KEY` or pass `api_key=` with a key that may use this model."),
        (404, "Check `base_url=` and `model=`."),
        (413, "Send less: the conversation or a tool's result is too long for this server."),
        (422, "Change what the answer names: the model, its sampling, or a tool's parameters."),
        (429, "Wait, send fewer requests at once, or ask the provider for a higher limit."),
    ],
)
async def test_each_refusal_comes_with_its_repair(status: int, repair: str) -> None:
    """What to do about a status depends on the status."""
    error = await refused(Answer(status=status, body={"error": "told as text"}))
    assert (
        "[thena] THN703 `OpenAIProvider` `m` at http://127.0.0.1:PORT/v1/chat/completions "
        f"was answered with status {status}: "
        f"told as text. {repair}"
    ) == str(error)


async def test_a_long_answer_is_cut_in_the_error() -> None:
    """An error holds the beginning of what the server said, never all of a page."""
    error = await refused(Answer(status=400, body="x" * 100_000))
    assert f"status 400: {'x' * 300}…. Change what" == str(error)[str(error).index("status") :][:326]
    assert "x" * 2000 == error.body


async def test_openai_without_a_key_is_told_before_anything_is_sent() -> None:
    """OpenAI's own address needs a key, and the error says how to give one or another address."""
    with pytest.raises(ProviderError, match=r"has no key .*`OPENAI_API_KEY`.*`api_key=`.*`OPENAI_BASE_URL`") as caught:
        await OpenAIProvider("m").complete(HELLO)
    assert not caught.value.retryable


@pytest.mark.parametrize("url", ["localhost:8080/v1", "ftp://host/v1", "http://", "http://host:port/"])
def test_an_address_that_is_no_http_address_is_refused(url: str) -> None:
    """A base URL that can't be one is told when the provider is made."""
    with pytest.raises(ValueError, match=r"Write it as `http://host:port/v1`"):
        OpenAIProvider("m", base_url=url)


def test_a_password_in_the_address_is_refused_and_not_shown() -> None:
    """A base URL with a password would show it in errors."""
    with pytest.raises(ValueError, match="pass the key as `api_key=`") as caught:
        OpenAIProvider("m", base_url="http://me:hidden@host/v1")
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-hidden\nx", "sk-hidden é"])
def test_a_key_that_can_be_none_is_refused_and_not_shown(key: str) -> None:
    """A key with a line break or a letter that no header can hold is told when the provider is made."""
    with pytest.raises(ValueError, match="Copy it again") as caught:
        OpenAIProvider("m", api_key=key)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    ("option", "value", "text"),
    [
        ("model", 4, "got `model` of type `int`. Give the model's name as a string."),
        ("base_url", b"http://host/v1", "got `base_url` of type `bytes`. Give the address as a string."),
        (
            "api_key",
            SecretStr("hidden"),
            "got `api_key` of type `SecretStr`. Give the key as a string; a `SecretStr` has `get_secret_value()`.",
        ),
        ("sampling", 0.2, "got `sampling` of type `float`. Give a dict, such as `{'temperature': 0.2}`."),
        ("timeout", "30", "got `timeout` of type `str`. Give seconds, or `None` for no limit."),
        ("timeout", timedelta(seconds=30), "got `timeout` of type `timedelta`. Give seconds, or `None` for no limit."),
        ("timeout", 0, "got `timeout=0`. Give seconds above 0, or `None` for no limit."),
        ("timeout", True, "got `timeout=True`. Give seconds above 0, or `None` for no limit."),
        ("timeout", float("nan"), "got `timeout=nan`. Give seconds above 0, or `None` for no limit."),
        ("timeout", float("inf"), "got `timeout=inf`. Give seconds above 0, or `None` for no limit."),
        ("retry", 5, "got `retry` of type `int`. Give `RetryPolicy(max_attempts=...)`, `True` or `False`."),
        ("retry", None, "got `retry` of type `NoneType`. Give `RetryPolicy(max_attempts=...)`, `True` or `False`."),
        ("prices", {"input": 1}, "got `prices` of type `dict`. Give `Prices(input=..., output=...)`."),
        ("rescue", 1, 'got `rescue=1`. Give `True`, `False` or `"strict"`.'),
        ("raw", [("n", 1)], "got `raw` of type `list`. Give a dict of what is laid over a request's body."),
        ("clock", None, "got `clock` of type `NoneType`. Give an object with the methods of `Clock`."),
    ],
)
def test_an_option_of_another_type_is_refused_when_the_provider_is_made(option: str, value: object, text: str) -> None:
    """The error names the option and what it is to be; the first request would fail in some other way, or never."""
    with pytest.raises((TypeError, ValueError)) as caught:
        OpenAIProvider(**{option: value})  # type: ignore[arg-type]
    assert f"`OpenAIProvider` {text}" == str(caught.value)


# Connections


async def test_calls_share_connections_until_the_provider_is_closed() -> None:
    """Calls in a row use one connection, and a closed provider opens a new one."""
    async with serving(answered()) as server:
        provider = OpenAIProvider("m", base_url=server.url)
        for _ in range(3):
            await provider.complete(HELLO)
        assert 1 == server.connections
        await provider.close()
        await provider.complete(HELLO)
        await provider.close()
    assert 2 == server.connections


async def test_one_provider_serves_several_event_loops() -> None:
    """A provider made once works in a loop that runs beside, and in one after another, and is closed from any."""
    async with serving(answered()) as server:
        provider = OpenAIProvider("m", base_url=server.url)

        def in_a_loop_of_its_own() -> str:
            async def once() -> str:
                answer = await provider.complete(HELLO)
                await provider.close()
                return answer.content

            return asyncio.run(once())

        here = await provider.complete(HELLO)
        beside = [await asyncio.to_thread(in_a_loop_of_its_own) for _ in range(2)]
        again = await provider.complete(HELLO)
        await provider.close()
    assert ["hi", "hi", "hi", "hi"] == [here.content, *beside, again.content]


async def test_many_calls_go_on_at_the_same_time() -> None:
    """No hidden limit makes concurrent calls wait for each other."""
    async with serving(Answer(silent=True)) as server:
        provider = OpenAIProvider("m", base_url=server.url)
        calls = [asyncio.create_task(provider.complete(HELLO)) for _ in range(150)]
        await server.wait_for(150)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await provider.close()
    assert 150 == server.connections


def test_it_is_a_provider() -> None:
    """`OpenAIProvider` satisfies the protocol."""
    assert isinstance(OpenAIProvider("m", base_url="http://127.0.0.1/v1"), Provider)

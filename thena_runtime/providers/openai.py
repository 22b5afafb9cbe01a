"""The Chat Completions wire format, which OpenAI and many other servers speak.

It answers whole: nothing is streamed. It takes the calls that a server marks as calls; calls that a model writes into
its text are left in the text. It checks no arguments against a schema: that, like an unknown tool, is answered by the
layer above.
"""

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, NoReturn

import httpx

from thena_runtime.clock import SYSTEM_CLOCK, Clock
from thena_runtime.messages import Completion, FunctionCall, Message, Sampling, ToolSpec, Usage, new_call_id
from thena_runtime.providers.provider import CompletionRequest, ProviderError
from thena_runtime.providers.retry import RetryPolicy
from thena_runtime.providers.think import strip_thinking
from thena_runtime.providers.transport import Endpoint, Reply, Transport

DEFAULT_BASE_URL: Final = "https://api.openai.com/v1"
DEFAULT_MODEL: Final = "gpt-4o-mini"

_SAMPLING: Final = ("temperature", "top_p", "seed", "stop")


class OpenAIProvider:
    """A model behind any server that speaks OpenAI's Chat Completions.

    Args:
        model: the model's name; else `OPENAI_MODEL`, else a small model of OpenAI's.
        base_url: the API's address, without `/chat/completions`; else `OPENAI_BASE_URL`, else OpenAI's own.
        api_key: the key; else `OPENAI_API_KEY`. A server of your own may need none.
        sampling: how the model picks its words; an agent's own sampling wins, key by key.
        timeout: seconds for one attempt, from connecting to the last byte; none by default.
        retry: a `RetryPolicy`, `True` for the default one, or `False` for a single attempt.
        raw: keys laid over every request's body, for what this class has no option for.
        clock: what waits and time limits go by; a test gives one that it moves itself.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        sampling: Sampling | None = None,
        timeout: float | None = None,
        retry: RetryPolicy | bool = True,
        raw: Mapping[str, object] | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self._model = model or os.environ.get("OPENAI_MODEL") or DEFAULT_MODEL
        url = _read_url(base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL)
        key = _read_key(os.environ.get("OPENAI_API_KEY") if api_key is None else api_key)
        self._is_openai = url.host == httpx.URL(DEFAULT_BASE_URL).host
        self._lacks_key = self._is_openai and key is None
        self._sampling = sampling or Sampling()
        self._raw = raw or {}
        headers = {"content-type": "application/json", "accept": "application/json"}
        if key is not None:
            headers["authorization"] = f"Bearer {key}"
        self._sender = f"`OpenAIProvider` `{self._model}`"
        endpoint = Endpoint(
            sender=self._sender,
            url=url,
            headers=headers,
            secrets=_secrets(key),
            key_repair="Set `OPENAI_API_KEY` or pass `api_key=` with a key that may use this model.",
        )
        self._transport = Transport(endpoint, retry=RetryPolicy.of(retry), timeout=timeout, clock=clock)

    async def complete(self, request: CompletionRequest) -> Completion:
        """Send the conversation once and read the answer. Raises `ProviderError`."""
        if self._lacks_key:
            raise ProviderError(
                f"{self._sender} has no key for {DEFAULT_BASE_URL}. Set `OPENAI_API_KEY` or pass `api_key=`; "
                "for a server of your own set `OPENAI_BASE_URL` or pass `base_url=`.",
                retryable=False,
            )
        reply = await self._transport.post(self._body(request))
        message = self._message(reply)
        earlier = {call.id for sent in request.messages for call in sent.tool_calls}
        return Completion(
            content=strip_thinking(_read_content(message.get("content"))),
            tool_calls=_read_calls(message.get("tool_calls"), taken=earlier),
            usage=_read_usage(reply.value),
            attempts=reply.attempts,
        )

    async def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        await self._transport.close()

    def _body(self, request: CompletionRequest) -> dict[str, object]:
        body: dict[str, object] = {
            "model": self._model,
            "messages": [_message(message) for message in request.messages],
        }
        if request.tools:
            body["tools"] = [_tool(tool) for tool in request.tools]
            body["tool_choice"] = "auto"
        sampling: dict[str, object] = {**self._sampling, **request.sampling}
        body.update((key, sampling[key]) for key in _SAMPLING if sampling.get(key) is not None)
        if sampling.get("max_tokens") is not None:
            # OpenAI's newer models refuse the old name; other servers often know nothing else.
            body["max_completion_tokens" if self._is_openai else "max_tokens"] = sampling["max_tokens"]
        return {**body, **self._raw}

    def _message(self, reply: Reply) -> Mapping[str, object]:
        """Find the answer's message. A server may also report a failure under status 200."""
        if not isinstance(reply.value, dict):
            self._refuse(reply, "got an answer that is no JSON object")
        choices = reply.value.get("choices")
        if not isinstance(choices, list) or not choices:
            error = reply.value.get("error")
            told = error.get("message") if isinstance(error, dict) else error
            self._refuse(reply, f"got an answer without choices: {told}" if told else "got an answer without choices")
        message = choices[0].get("message") if isinstance(choices[0], dict) else None
        if not isinstance(message, dict):
            self._refuse(reply, "got a choice without a message")
        return message

    def _refuse(self, reply: Reply, fact: str) -> NoReturn:
        repair = "Check that the server at `base_url=` speaks OpenAI's Chat Completions and knows this model."
        raise self._transport.refusal(fact, repair, body=reply.value, attempts=reply.attempts)


def _read_url(text: str) -> httpx.URL:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        url = httpx.URL()
    if url.scheme not in ("http", "https") or not url.host:
        raise ValueError(
            "`OpenAIProvider` has a `base_url=` that is no HTTP address. Write it as `http://host:port/v1`."
        )
    if url.userinfo:
        raise ValueError(
            "`OpenAIProvider` has a name or a password in `base_url=`, where errors would show it. "
            "Take it out and pass the key as `api_key=`."
        )
    return url.copy_with(path=url.path.rstrip("/") + "/chat/completions")


def _read_key(key: str | None) -> str | None:
    stripped = (key or "").strip()
    if not (stripped.isascii() and stripped.isprintable()):
        # Told here, without the key: the HTTP client would tell it with the key.
        raise ValueError(
            "`OpenAIProvider` has a key with characters that no key has. Copy it again into `OPENAI_API_KEY`."
        )
    return stripped or None


def _secrets(key: str | None) -> tuple[str, ...]:
    # A shorter key is a placeholder for a server that asks for none, and taking it out would only garble the text.
    # A server that repeats the key in JSON may write it in other ways.
    return () if key is None or len(key) < 4 else (key, json.dumps(key)[1:-1], key.replace("/", "\\/"))


def _tool(tool: ToolSpec) -> dict[str, object]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _message(message: Message) -> dict[str, object]:
    if message.role == "tool":
        # The format has no place for the mark of a failure, so that the model can only read it.
        content = f"Error: {message.content}" if message.is_error else message.content
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": content}
    if message.tool_calls:
        calls = [_call(call) for call in message.tool_calls]
        return {"role": message.role, "content": message.content or None, "tool_calls": calls}
    return {"role": message.role, "content": message.content}


def _call(call: FunctionCall) -> dict[str, object]:
    # Some servers refuse a whole conversation for arguments that are no JSON object, so what a model once sent wrongly
    # is wrapped, not repeated.
    given = call.arguments if isinstance(call.arguments, Mapping) else {"arguments": call.arguments}
    arguments = json.dumps(given, ensure_ascii=False, default=str)
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}}


def _read_content(content: object) -> str:
    """Read a message's text, which some servers send as a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))


def _read_calls(entries: object, *, taken: Iterable[str]) -> tuple[FunctionCall, ...]:
    """Read the calls that name a function, and give those a new id whose own is missing or used already."""
    ids = set(taken)
    calls: list[FunctionCall] = []
    for entry in entries if isinstance(entries, list) else ():
        call = _read_call(entry)
        if call is None:
            continue
        if not call.id or call.id in ids:
            call = replace(call, id=new_call_id())
        ids.add(call.id)
        calls.append(call)
    return tuple(calls)


def _read_call(entry: object) -> FunctionCall | None:
    function = entry.get("function") if isinstance(entry, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(entry, dict) or not isinstance(function, dict) or not isinstance(name, str) or not name.strip():
        return None
    own_id = entry.get("id")
    return FunctionCall(
        id=own_id if isinstance(own_id, str) else "",
        name=name.strip(),
        arguments=_read_arguments(function.get("arguments")),
    )


def _read_arguments(arguments: object) -> object:
    """Read the JSON text of a call's arguments; text that is no JSON stays as it is."""
    if arguments is None:
        return {}
    if not isinstance(arguments, str):
        return arguments
    if not arguments.strip():
        return {}
    try:
        value: object = json.loads(arguments, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return arguments
    return {} if value is None else value


def _refuse_constant(constant: str) -> NoReturn:
    # Python reads NaN and Infinity, JSON has neither.
    raise ValueError(constant)


def _read_usage(value: object) -> Usage | None:
    usage = value.get("usage") if isinstance(value, dict) else None
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details")
    return Usage(
        prompt_tokens=_read_count(usage, "prompt_tokens"),
        completion_tokens=_read_count(usage, "completion_tokens"),
        cached_tokens=_read_count(details, "cached_tokens"),
    )


def _read_count(counts: object, key: str) -> int:
    count = counts.get(key) if isinstance(counts, dict) else None
    return count if isinstance(count, int) else 0

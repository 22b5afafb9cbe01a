"""The Chat Completions wire format, which OpenAI and many other servers speak.

This module writes the requests; what comes back is read by `thena_runtime.providers.chat_completions`. No arguments
are checked against a schema: that, like an unknown tool, is answered by the layer above.
"""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from types import UnionType
from typing import Final

import httpx

from thena_runtime.clock import SYSTEM_CLOCK, Clock
from thena_runtime.messages import Completion, FunctionCall, Message, Sampling, ToolSpec, Usage
from thena_runtime.providers.answer import RESCUE_CHOICES, IncomingAnswer, Rescue, finish_completion
from thena_runtime.providers.chat_completions import (
    ChatCompletionStream,
    ids_of,
    read_calls,
    read_content,
    read_finish_reason,
    read_message,
    read_usage,
)
from thena_runtime.providers.prices import Prices
from thena_runtime.providers.provider import CompletionRequest, Emit, ProviderError
from thena_runtime.providers.retry import RetryPolicy
from thena_runtime.providers.think import strip_thinking
from thena_runtime.providers.transport import Endpoint, Transport, UnreadableError, written

DEFAULT_BASE_URL: Final = "https://api.openai.com/v1"
DEFAULT_MODEL: Final = "gpt-4o-mini"

_AROUND_TOOLS: Final = 512
"""More tokens than any chat template spends on explaining how tools are called."""

_SAMPLING: Final = ("temperature", "top_p", "seed", "stop")


class OpenAIProvider:
    """A model behind any server that speaks OpenAI's Chat Completions.

    Args:
        model: the model's name; else `OPENAI_MODEL`, else a small model of OpenAI's.
        base_url: the API's address, without `/chat/completions`; else `OPENAI_BASE_URL`, else OpenAI's own.
        api_key: the key; else `OPENAI_API_KEY`. A server of your own may need none.
        sampling: how the model picks its words; an agent's own sampling wins, key by key.
        timeout: seconds for one attempt, from connecting to the last byte; for an answer that comes in pieces, the
            longest wait for the next one. None by default.
        retry: a `RetryPolicy`, `True` for the default one, or `False` for a single attempt.
        prices: what tokens cost, for `Budget(max_cost_usd=...)` and the numbers of a run.
        rescue: whether calls that the model writes into its text, and not where calls belong, are taken as calls;
            `"strict"` takes them only from an answer that holds nothing else.
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
        prices: Prices | None = None,
        rescue: Rescue = True,
        raw: Mapping[str, object] | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        _require("model", model, str | None, "Give the model's name as a string.")
        _require("base_url", base_url, str | None, "Give the address as a string.")
        _require("api_key", api_key, str | None, "Give the key as a string; a `SecretStr` has `get_secret_value()`.")
        _require("sampling", sampling, Mapping | None, "Give a dict, such as `{'temperature': 0.2}`.")
        _require("retry", retry, RetryPolicy | bool, "Give `RetryPolicy(max_attempts=...)`, `True` or `False`.")
        _require("prices", prices, Prices | None, "Give `Prices(input=..., output=...)`.")
        _require("raw", raw, Mapping | None, "Give a dict of what is laid over a request's body.")
        _require("clock", clock, Clock, "Give an object with the methods of `Clock`.")
        _check_timeout(timeout)
        self._model = model or os.environ.get("OPENAI_MODEL") or DEFAULT_MODEL
        url = _read_url(base_url or os.environ.get("OPENAI_BASE_URL") or DEFAULT_BASE_URL)
        key = _read_key(os.environ.get("OPENAI_API_KEY") if api_key is None else api_key)
        self._is_openai = url.host == httpx.URL(DEFAULT_BASE_URL).host
        self._lacks_key = self._is_openai and key is None
        self._sampling = sampling or Sampling()
        if not isinstance(rescue, bool | str) or rescue not in RESCUE_CHOICES:
            raise ValueError(f'`OpenAIProvider` got `rescue={rescue!r}`. Give `True`, `False` or `"strict"`.')
        self._rescue: Rescue = rescue
        self._prices = prices
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
        self._url = str(url)

    @property
    def identity(self) -> str:
        """The model, its address, and how its answers are made and read, as JSON."""
        said = [self._model, self._url, self._sampling, self._raw, self._rescue, self._prices and asdict(self._prices)]
        return json.dumps(said, sort_keys=True, default=repr)

    async def complete(self, request: CompletionRequest) -> Completion:
        """Send the conversation once and read the answer. Raises `ProviderError`."""
        self._require_key()
        reply = await self._transport.post(self._body(request))
        try:
            message = read_message(reply.value)
        except UnreadableError as error:
            refusal = self._transport.refusal(error.fact, error.repair, body=reply.value, attempts=reply.attempts)
        else:
            finish_reason = read_finish_reason(reply.value)
            return finish_completion(
                strip_thinking(read_content(message.get("content"))),
                read_calls(message.get("tool_calls"), taken=ids_of(request), is_cut_off=finish_reason != "stop"),
                tools=request.tools,
                rescue=self._rescue,
                usage=self._priced(read_usage(reply.value)),
                attempts=reply.attempts,
                finish_reason=finish_reason,
            )
        raise refusal

    async def stream(self, request: CompletionRequest, emit: Emit) -> Completion:
        """Send the conversation once and read the answer while it comes in. Raises `ProviderError`.

        An attempt that fails is repeated only as long as nothing was emitted.
        """
        self._require_key()
        body = {**self._body(request), "stream": True, "stream_options": {"include_usage": True}, **self._raw}
        incoming, attempts = await self._transport.stream(
            body, lambda: ChatCompletionStream(IncomingAnswer(emit, request.tools, self._rescue), ids_of(request))
        )
        completion = incoming.finish(attempts)
        return completion if self._prices is None else replace(completion, usage=self._priced(completion.usage))

    def worst_case(self, request: CompletionRequest) -> Usage | None:
        """Say the most that a call may take, known only where `max_tokens` limits the answer.

        No tokenizer makes more tokens than there are bytes; what a chat template adds is less than the request's own
        JSON around the texts, but for what it says of tools.
        """
        body = self._body(request)
        longest = body.get("max_completion_tokens", body.get("max_tokens"))
        if not isinstance(longest, int) or body.get("n", 1) != 1:
            return None
        around = _AROUND_TOOLS if request.tools else 0
        return self._priced(Usage(prompt_tokens=len(written(body)) + around, completion_tokens=longest))

    async def close(self) -> None:
        """Close the connections; the next call opens new ones."""
        await self._transport.close()

    def _priced(self, usage: Usage | None) -> Usage | None:
        return usage if usage is None or self._prices is None else self._prices.applied_to(usage)

    def _require_key(self) -> None:
        if self._lacks_key:
            raise ProviderError(
                f"{self._sender} has no key for {DEFAULT_BASE_URL}. Set `OPENAI_API_KEY` or pass `api_key=`; "
                "for a server of your own set `OPENAI_BASE_URL` or pass `base_url=`.",
                retryable=False,
            )

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


def _require(option: str, value: object, kind: type | UnionType, repair: str) -> None:
    # Never the value: it may be a key.
    if not isinstance(value, kind):
        raise TypeError(f"`OpenAIProvider` got `{option}` of type `{type(value).__name__}`. {repair}")


def _check_timeout(timeout: float | None) -> None:
    _require("timeout", timeout, int | float | None, "Give seconds, or `None` for no limit.")
    if timeout is not None and (isinstance(timeout, bool) or not 0 < timeout < math.inf):
        raise ValueError(f"`OpenAIProvider` got `timeout={timeout!r}`. Give seconds above 0, or `None` for no limit.")


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

"""What comes back in the Chat Completions wire format: whole, or as events while it is made; pure.

Servers that speak it differ in much that is small: what is read here is read loosely, except where something would be
lost. A chunk that can't be read, and a stream that ends before the answer does, are failures and no answers.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, NoReturn

from thena_runtime.messages import Completion, FinishReason, FunctionCall, Usage, new_call_id
from thena_runtime.providers.answer import IncomingAnswer
from thena_runtime.providers.provider import CompletionRequest
from thena_runtime.providers.retry import is_retryable_status
from thena_runtime.providers.sse import ServerSentEvent, SseReader
from thena_runtime.providers.transport import UnreadableError

_DONE: Final = "[DONE]"
_REPAIR: Final = "Check that the server at `base_url=` speaks OpenAI's Chat Completions and knows this model."
_THINKING: Final = ("reasoning_content", "reasoning", "thinking")
"""Where servers put a model's thinking beside its text."""


class ChatCompletionStream:
    """Reads one attempt's answer from its events. Lives for one attempt."""

    def __init__(self, answer: IncomingAnswer, taken: Iterable[str]) -> None:
        self._answer = answer
        self._taken = taken
        self._events = SseReader()
        self._usage: Usage | None = None
        self._is_whole = False
        self._finish_reason: FinishReason = "stop"
        self.is_over = False

    @property
    def has_spoken(self) -> bool:
        """Whether anything of the answer was passed on."""
        return self._answer.has_spoken

    def feed(self, chunk: bytes) -> None:
        """Take what has come."""
        for event in self._events.feed(chunk):
            self._event(event)

    def end(self) -> None:
        """Take it that nothing more comes, which is well only after the model has said why it ended."""
        for event in self._events.finish():
            self._event(event)
        if not (self._is_whole or self.is_over):
            raise UnreadableError(
                "ended its answer in the middle",
                "Try again: the connection, or the server behind it, was lost.",
                is_retryable=True,
            )

    def whole(self, body: bytes) -> None:
        """Take an answer that came whole, from a server that knows no streams."""
        try:
            value: object = json.loads(body)
        except (ValueError, RecursionError):
            raise _no_json(body.decode("utf-8", "replace")) from None
        message = read_message(value)
        self._usage = read_usage(value)
        self._finish_reason = read_finish_reason(value)
        self._message(message)
        self._is_whole = self.is_over = True

    def finish(self, attempts: int) -> Completion:
        """Make the completion of an answer that has come whole."""
        is_cut_off = self._finish_reason != "stop"
        return self._answer.finish(
            lambda entries: read_calls(list(entries), taken=self._taken, is_cut_off=is_cut_off),
            usage=self._usage,
            attempts=attempts,
            finish_reason=self._finish_reason,
        )

    def _event(self, event: ServerSentEvent) -> None:
        if self.is_over:
            return
        if event.data.strip() == _DONE:
            self.is_over = True
            return
        try:
            value: object = json.loads(event.data)
        except (ValueError, RecursionError):
            raise _no_json(event.data) from None
        if not isinstance(value, dict):
            raise _no_json(event.data)
        if value.get("error") or event.name == "error":
            raise _failure(value)
        self._usage = read_usage(value) or self._usage
        choices = value.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if isinstance(choice, dict):
            delta = choice.get("delta")
            if isinstance(delta, dict):
                self._message(delta)
            if choice.get("finish_reason") is not None:
                self._is_whole = True
                self._finish_reason = read_finish_reason(value)

    def _message(self, message: Mapping[str, object]) -> None:
        for key in _THINKING:
            thought = message.get(key)
            if isinstance(thought, str) and thought:
                self._answer.thinking(thought)
                break
        content = read_content(message.get("content"))
        if content:
            self._answer.text(content)
        calls = message.get("tool_calls")
        for position, entry in enumerate(calls if isinstance(calls, list) else ()):
            self._call(entry, position)

    def _call(self, entry: object, position: int) -> None:
        if not isinstance(entry, dict):
            return
        index, call_id, function = entry.get("index"), entry.get("id"), entry.get("function")
        if not isinstance(function, dict):
            return
        name, arguments = function.get("name"), function.get("arguments")
        if arguments is not None and not isinstance(arguments, str):
            arguments = json.dumps(arguments, ensure_ascii=False)
        self._answer.call(
            index if isinstance(index, int) else None,
            call_id if isinstance(call_id, str) else "",
            name.strip() if isinstance(name, str) else "",
            arguments or "",
        )


def ids_of(request: CompletionRequest) -> frozenset[str]:
    """The ids of the calls that stand in the conversation already."""
    return frozenset(call.id for sent in request.messages for call in sent.tool_calls)


def read_message(value: object) -> Mapping[str, object]:
    """Find the message of a whole answer. A server may also report a failure under status 200."""
    if not isinstance(value, dict):
        raise UnreadableError("got an answer that is no JSON object", _REPAIR, is_retryable=False)
    choices = value.get("choices")
    if not isinstance(choices, list) or not choices:
        told = _told(value)
        fact = f"got an answer without choices: {told}" if told else "got an answer without choices"
        raise UnreadableError(fact, _REPAIR, is_retryable=False, body=json.dumps(value, ensure_ascii=False))
    message = choices[0].get("message") if isinstance(choices[0], dict) else None
    if not isinstance(message, dict):
        raise UnreadableError("got a choice without a message", _REPAIR, is_retryable=False)
    return message


def _told(value: Mapping[str, object]) -> object:
    error = value.get("error")
    return error.get("message") if isinstance(error, dict) else error


def _failure(value: Mapping[str, object]) -> UnreadableError:
    """A failure that a server reports in the middle of its answer."""
    error = value.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    told = _told(value)
    return UnreadableError(
        f"was told in the middle of the answer: {told}"
        if told
        else "was told of a failure in the middle of the answer",
        "Try again later, or change what the answer names.",
        is_retryable=not isinstance(code, int) or is_retryable_status(code),
        body=json.dumps(value, ensure_ascii=False),
    )


def _no_json(text: str) -> UnreadableError:
    flat = " ".join(text.split())
    return UnreadableError(
        f"got a piece of an answer that is no JSON: {flat[:300]!r}",
        "Check that `base_url=` is the address of the API, which often ends in `/v1`.",
        is_retryable=True,
        body=text,
    )


def read_content(content: object) -> str:
    """Read a message's text, which some servers send as a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))


def read_finish_reason(value: object) -> FinishReason:
    """Read why a choice ended. Whatever isn't known to cut an answer off is an end like any other."""
    choices = value.get("choices") if isinstance(value, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    match choice.get("finish_reason") if isinstance(choice, dict) else None:
        case "length" | "max_tokens":  # some servers hand on the word of the model behind them
            return "length"
        case "content_filter":
            return "content_filter"
    return "stop"


def read_calls(entries: object, *, taken: Iterable[str], is_cut_off: bool) -> tuple[FunctionCall, ...]:
    """Read the calls that name a function, and give those a new id whose own is missing or used already.

    Of an answer that was cut off, the last one may have no arguments because they hadn't come yet: they stay a text.
    """
    ids = set(taken)
    calls: list[FunctionCall] = []
    given = entries if isinstance(entries, list) else []
    for position, entry in enumerate(given, 1):
        call = _read_call(entry, is_cut_off=is_cut_off and position == len(given))
        if call is None:
            continue
        if not call.id or call.id in ids:
            call = replace(call, id=new_call_id())
        ids.add(call.id)
        calls.append(call)
    return tuple(calls)


def _read_call(entry: object, *, is_cut_off: bool) -> FunctionCall | None:
    function = entry.get("function") if isinstance(entry, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(entry, dict) or not isinstance(function, dict) or not isinstance(name, str) or not name.strip():
        return None
    own_id = entry.get("id")
    return FunctionCall(
        id=own_id if isinstance(own_id, str) else "",
        name=name.strip(),
        arguments=_read_arguments(function.get("arguments"), nothing="" if is_cut_off else {}),
    )


def _read_arguments(arguments: object, *, nothing: object) -> object:
    """Read the JSON text of a call's arguments; text that is no JSON stays as it is."""
    if arguments is None:
        return nothing
    if not isinstance(arguments, str):
        return arguments
    if not arguments.strip():
        return nothing
    try:
        value: object = json.loads(arguments, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return arguments
    return {} if value is None else value


def _refuse_constant(constant: str) -> NoReturn:
    # Python reads NaN and Infinity, JSON has neither.
    raise ValueError(constant)


def read_usage(value: object) -> Usage | None:
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
    return count if isinstance(count, int) and count > 0 else 0

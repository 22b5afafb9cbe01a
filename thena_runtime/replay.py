"""Answers of models that were given before and stand for the same calls made again: while a program is being written,
only what has changed is paid for.

A call is the same if the provider says that it is the same model (`identity`) and everything that is sent is equal. A
request holds the whole conversation, so that the calls after a change aren't those of before. The same call made
several times gets the answers in the order in which they were given, each once.

Left out on purpose: where answers are kept from run to run; nothing here writes a file. Tools are never replayed, for
their effects matter.
"""

import hashlib
import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from typing import Any

from thena_runtime.messages import Completion, FunctionCall, Message, Usage
from thena_runtime.providers.provider import CompletionRequest, Identified, Provider

_NOTHING = Usage(cost_usd=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """One answer of a model, and by `key` the call that it was given to."""

    key: str
    completion: Completion

    def to_json(self) -> dict[str, Any]:  # JSON: a wire
        """The answer as JSON values; an argument that JSON doesn't know becomes its `str`."""
        answered: dict[str, Any] = json.loads(json.dumps(asdict(self), default=str))
        return answered

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "Answered":  # JSON: a wire
        """Read back what `to_json` wrote. Raises `ValueError` for anything else."""
        try:
            completion = said["completion"]
            usage = completion["usage"]
            return cls(
                key=said["key"],
                completion=Completion(
                    **{
                        **completion,
                        "tool_calls": tuple(FunctionCall(**call) for call in completion["tool_calls"]),
                        "usage": None if usage is None else Usage(**usage),
                    }
                ),
            )
        except (KeyError, TypeError) as error:
            raise ValueError(f"not an answer that was kept: {said!r:.200}") from error

    def again(self) -> Completion:
        """The answer as one that no request was made for: it took nothing, and whoever changes it changes a copy."""
        calls = tuple(replace(call, arguments=deepcopy(call.arguments)) for call in self.completion.tool_calls)
        return replace(self.completion, tool_calls=calls, usage=_NOTHING, attempts=0)

    @property
    def saved(self) -> dict[str, object]:
        """What the node of a call tells that was answered so: that it was, and what it didn't take again."""
        usage = self.completion.usage
        told: dict[str, object] = {"replayed": True}
        if usage is not None:
            told["saved_tokens"] = usage.prompt_tokens + usage.completion_tokens
            if usage.cost_usd is not None:
                told["saved_usd"] = usage.cost_usd
        return told


class Replay:
    """The answers that one run may use again; make a new one for each run.

    `told` is called with each answer of the run, those that were replayed too: together they are what the next run may
    use. It is called in the run's event loop, and what it raises ends the run.
    """

    def __init__(self, answers: Iterable[Answered] = (), *, told: Callable[[Answered], object] | None = None) -> None:
        self._answers: dict[str, deque[Answered]] = {}
        for answer in answers:
            self._answers.setdefault(answer.key, deque()).append(answer)
        self._told = told

    def take(self, key: str) -> Answered | None:
        """The next answer to this call, which is then used up; `None` if there is none left."""
        left = self._answers.get(key)
        if not left:
            return None
        answer = left.popleft()
        self.keep(answer)
        return answer

    def keep(self, answer: Answered) -> None:
        """Tell of an answer."""
        if self._told is not None:
            self._told(answer)


def key_of(provider: Provider, request: CompletionRequest) -> str | None:
    """What makes a call the same as another one; `None` where the provider doesn't say who it is.

    Ids of tool calls are told apart and not read: they are made anew each time.
    """
    identity = _identity(provider)
    if identity is None:
        return None
    names: dict[str, int] = {}
    said = [
        identity,
        [_message(message, names) for message in request.messages],
        [[tool.name, tool.description, tool.parameters] for tool in request.tools],
        request.sampling,
    ]
    text = json.dumps(said, sort_keys=True, default=repr)
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()


def _identity(provider: Provider) -> str | None:
    # Of a class that derives from one with an identity, nobody said that it answers alike.
    if not isinstance(provider, Identified) or "identity" not in vars(type(provider)):
        return None
    identity = provider.identity
    if identity is not None and not isinstance(identity, str):
        raise TypeError(
            f"[thena] `identity` of provider `{type(provider).__name__}` is of type `{type(identity).__name__}`. "
            "Give a string, or `None` where its answers can't stand for others."
        )
    return None if identity is None else f"{type(provider).__module__}.{type(provider).__qualname__}:{identity}"


def _message(message: Message, names: dict[str, int]) -> list[object]:
    def named(call_id: str | None) -> int | None:
        return None if call_id is None else names.setdefault(call_id, len(names))

    calls = [[named(call.id), call.name, call.arguments, call.is_cut_off] for call in message.tool_calls]
    answered = [named(message.tool_call_id), message.tool_name, message.is_error]
    return [message.role, message.content, calls, answered, message.finish_reason]

"""A model that plays back what a script says: for tests, and for examples that need no key and no network.

It answers as fast as it is told to and keeps what it was sent. It never looks at the tools it is offered: a script may
ask for one that doesn't exist, to see what comes of it.
"""

import asyncio
import inspect
import itertools
import re
from collections.abc import Awaitable, Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeGuard

from thena_runtime.clock import SYSTEM_CLOCK, Clock
from thena_runtime.messages import Completion, FunctionCall, Message, Usage, new_call_id
from thena_runtime.providers.provider import CompletionRequest, Emit

_WORD: Final = re.compile(r"\S+\s*|\s+")


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    """A tool call of a script. Each time it is played it becomes a call with an id of its own.

    `arguments` may be anything a model could send; a `str` plays a model whose arguments are no JSON.
    """

    name: str
    arguments: object


def tool_call(name: str, /, **args: object) -> ScriptedCall:
    """Write a turn in which the model asks for the tool `name` with these arguments."""
    return ScriptedCall(name, args)


Answer: TypeAlias = str | ScriptedCall | list[ScriptedCall] | Completion | BaseException | type[BaseException]
Turn: TypeAlias = Answer | Callable[[tuple[Message, ...]], Answer | Awaitable[Answer]]


class ScriptedProvider:
    """Plays its turns in order, one for each call, and repeats the last one for ever.

    A turn is a string (an answer), a `tool_call(...)`, a list of those (several calls at once), a whole `Completion`
    (one that was cut off, say), an exception to raise, or a function of the messages, sync or async, that returns one
    of these. Agents may share an instance: they then take turns from the same script. `delay` is the time in seconds
    that every call takes, by `clock`; `usage` is what every call takes of a budget, nothing by default.
    """

    def __init__(
        self, turns: Iterable[Turn], delay: float = 0.0, *, usage: Usage | None = None, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        if isinstance(turns, str):
            raise TypeError(f"`ScriptedProvider` takes a list of turns, but got a string. Write `[{turns!r}]`.")
        self._turns: tuple[Turn, ...] = tuple(turns)
        if not self._turns:
            raise ValueError("`ScriptedProvider` has no turns. Give it at least one, such as `['done']`.")
        for index, turn in enumerate(self._turns):
            if not callable(turn):
                _require_answer(turn, f"turn {index}")
        self._delay = delay
        self._usage = usage
        self._clock = clock
        self._positions = itertools.count()
        self.calls: list[CompletionRequest] = []
        """What each call was sent, in order: its `messages`, `tools` and `sampling`."""

    async def complete(self, request: CompletionRequest) -> Completion:
        """Play the next turn."""
        position = next(self._positions)
        self.calls.append(request)
        # Even without a delay the loop gets its turn, or a run that never ends could not be aborted.
        await self._clock.sleep(self._delay)
        turn = self._turns[min(position, len(self._turns) - 1)]
        completion = _completion(await _answer(turn, request.messages, position))
        return completion if self._usage is None else replace(completion, usage=self._usage)

    async def stream(self, request: CompletionRequest, emit: Emit) -> Completion:
        """Play the next turn, and say an answer word by word. Between two words the run can be aborted."""
        completion = await self.complete(request)
        for word in _WORD.findall(completion.content):
            emit(word)
            await asyncio.sleep(0)
        return completion

    def worst_case(self, request: CompletionRequest) -> Usage:
        """Say what a call takes, which a script knows beforehand."""
        return Usage(cost_usd=0.0) if self._usage is None else self._usage

    async def close(self) -> None:
        """Do nothing: a script holds nothing open."""


async def _answer(turn: Turn, messages: tuple[Message, ...], position: int) -> Answer:
    if not callable(turn) or _is_exception_class(turn):
        return _require_answer(turn, f"turn {position}")
    answer: object = turn(messages)
    if inspect.isawaitable(answer):
        answer = await answer
    return _require_answer(answer, f"the function of turn {position}")


def _completion(answer: Answer) -> Completion:
    match answer:
        case str():
            return Completion(content=answer)
        case ScriptedCall():
            return Completion(content="", tool_calls=(_play(answer),))
        case list():
            return Completion(content="", tool_calls=tuple(_play(call) for call in answer))
        case Completion():
            return replace(answer, tool_calls=tuple(_again(call) for call in answer.tool_calls))
        case BaseException():
            # Raised again and again by a repeated turn, it would drag every earlier traceback along.
            raise answer.with_traceback(None)
        case _:
            raise answer


def _play(call: ScriptedCall) -> FunctionCall:
    # A copy, so that whoever changes the arguments of one run doesn't rewrite the script.
    return FunctionCall(name=call.name, arguments=deepcopy(call.arguments))


def _again(call: FunctionCall) -> FunctionCall:
    return replace(call, id=new_call_id(), arguments=deepcopy(call.arguments))


def _is_exception_class(value: object) -> TypeGuard[type[BaseException]]:
    return isinstance(value, type) and issubclass(value, BaseException)


def _require_answer(value: object, where: str) -> Answer:
    if isinstance(value, str | ScriptedCall | BaseException) or _is_exception_class(value):
        return value
    if isinstance(value, Completion):
        if value.usage is not None:
            raise ValueError(
                f"`ScriptedProvider` can't play {where}: it is a `Completion` with a usage of its own, which a budget "
                "must know before the call is made. Give `usage=` to the `ScriptedProvider`."
            )
        return value
    if isinstance(value, list) and value and all(isinstance(call, ScriptedCall) for call in value):
        return value
    raise TypeError(
        f"`ScriptedProvider` can't play {where}: it is `{type(value).__name__}`. "
        "Write a string, `tool_call(...)`, a list of such calls, a `Completion(...)`, an exception, or a function of "
        "the messages."
    )

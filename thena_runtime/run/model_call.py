"""One call of a model, through the chat chain: the app's middlewares, then the provider.

The node around it is the caller's to open, for the tools that the model asks for stand inside it.
"""

import asyncio
import inspect
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from thena_runtime.budget.meter import Admission, BudgetCut, Need
from thena_runtime.endings import as_seen_here
from thena_runtime.messages import Completion, Message, ToolSpec, Usage, new_call_id
from thena_runtime.middleware.chain import Checks, compose
from thena_runtime.middleware.invocation import ChatInvocation, ChatMiddleware
from thena_runtime.observability.tokens import Utterance
from thena_runtime.observability.witness import Witness
from thena_runtime.providers.provider import Bounded, CompletionRequest, Provider, StreamingProvider
from thena_runtime.replay import Answered, Replay, key_of
from thena_runtime.run.handed_back import flaw_of_completion, flaw_of_messages, flaw_of_sampling, flaw_of_specs
from thena_runtime.run_context import Context, facts_of
from thena_runtime.scope import RunScope


@dataclass(slots=True, kw_only=True)
class _ModelCall(ChatInvocation):
    provider: Provider
    utterance: Utterance | None
    fixed: tuple[object, Context]


ChatChain: TypeAlias = Callable[[_ModelCall], Awaitable[Completion]]


def chat_chain(layers: Sequence[ChatMiddleware]) -> ChatChain | None:
    """Put the middlewares around every model call; `None` where there are none, and then no invocation is made."""
    return compose(layers, _send, Checks(sent=_check_sent, answered=_check_answered)) if layers else None


async def ask_model(
    chain: ChatChain | None, agent: object, provider: Provider, request: CompletionRequest, ctx: Context
) -> tuple[Completion, Sequence[ToolSpec]]:
    """Ask the model, and return its answer and the tools that it was offered in the end."""
    voice = facts_of(ctx).scope.voice
    utterance = None if voice is None else voice.begin(type(agent).__name__)
    if chain is None:
        completion = await call_provider(provider, request, ctx, utterance)
        if utterance is not None:
            utterance.complete(completion)
        return completion, request.tools
    call = _ModelCall(
        messages=list(request.messages),
        tools=list(request.tools),
        sampling=request.sampling.copy(),
        agent=agent,
        ctx=ctx,
        provider=provider,
        utterance=utterance,
        fixed=(agent, ctx),
    )
    completion = await chain(call)
    if utterance is not None:
        utterance.complete(completion)
    completion = _renewed(completion, request.messages)
    witness = facts_of(ctx).scope.recorder.witness
    if witness is not None:
        witness.answered(answer_of(completion))
    return completion, call.tools


def _check_sent(call: _ModelCall, name: str) -> None:
    subject = f"[thena] chat middleware `{name}`"
    if call.agent is not call.fixed[0] or call.ctx is not call.fixed[1]:
        raise TypeError(f"{subject} changed `agent` or `ctx`. Change `messages`, `tools` or `sampling` alone.")
    flaw = flaw_of_messages(call.messages) or flaw_of_specs(call.tools) or flaw_of_sampling(call.sampling)
    if flaw is not None:
        raise TypeError(f"{subject} handed on {flaw}")


def _check_answered(call: _ModelCall, answer: object, name: str) -> None:
    subject = f"[thena] chat middleware `{name}`"
    if not isinstance(answer, Completion):
        raise TypeError(
            f"{subject} returned a value of type `{type(answer).__name__}`. "
            "Return what `await next()` gave, or a `Completion(content=...)`."
        )
    flaw = flaw_of_completion(answer)
    if flaw is not None:
        raise TypeError(f"{subject} returned {flaw}")
    # The model may call what stands there.
    flaw = flaw_of_specs(call.tools)
    if flaw is not None:
        raise TypeError(f"{subject} left {flaw}")


def _renewed(completion: Completion, messages: Sequence[Message]) -> Completion:
    """Give new ids to the calls of an answer that stands in the conversation already: a cache may repeat one."""
    known = {call.id for message in messages for call in message.tool_calls}
    if not any(call.id in known for call in completion.tool_calls):
        return completion
    return replace(completion, tool_calls=tuple(replace(call, id=new_call_id()) for call in completion.tool_calls))


async def _send(call: _ModelCall) -> Completion:
    request = CompletionRequest(messages=tuple(call.messages), tools=tuple(call.tools), sampling=call.sampling)
    try:
        return await call_provider(call.provider, request, call.ctx, call.utterance)
    except BudgetCut as cut:
        # A middleware may have gone on in a task of its own.
        raise as_seen_here(cut, facts_of(call.ctx), "answer") from None


def call_provider(
    provider: Provider, request: CompletionRequest, ctx: Context, utterance: Utterance | None
) -> Awaitable[Completion]:
    """The core of the chain: the one place where a model is called, or an answer stands for a call of before."""
    scope = facts_of(ctx).scope
    answer = _answered(provider, request, scope, utterance)
    witness = scope.recorder.witness
    return answer if witness is None else _witnessed(answer, witness, provider, request)


async def _witnessed(
    answer: Awaitable[Completion], witness: Witness, provider: Provider, request: CompletionRequest
) -> Completion:
    witness.sent(provider, request)
    completion = await answer
    witness.answered(answer_of(completion))
    return completion


def _answered(
    provider: Provider, request: CompletionRequest, scope: RunScope, utterance: Utterance | None
) -> Awaitable[Completion]:
    replay = scope.replay
    key = None if replay is None else key_of(provider, request)
    if replay is None or key is None:
        return _call(provider, request, scope, utterance)
    kept = replay.take(key)
    if kept is None:
        return _call_and_keep(provider, request, scope, utterance, replay, key)
    return _give_again(kept, scope)


async def _call_and_keep(
    provider: Provider,
    request: CompletionRequest,
    scope: RunScope,
    utterance: Utterance | None,
    replay: Replay,
    key: str,
) -> Completion:
    completion = await _call(provider, request, scope, utterance)
    replay.keep(Answered(key=key, completion=completion))
    return completion


async def _call(
    provider: Provider, request: CompletionRequest, scope: RunScope, utterance: Utterance | None
) -> Completion:
    meter = scope.meter
    if not meter.is_limited:
        meter.count_chat()
        completion = _checked(await _answer(provider, request, utterance), provider)
        if completion.usage is not None:
            meter.count_usage(completion.usage)
        return completion
    admission = await _admit(_need(provider, request) if meter.is_weighed else Need(), scope)
    try:
        completion = _checked(await _answer(provider, request, utterance), provider)
    except BaseException as error:
        admission.fail(error)
        raise
    admission.settle(completion.usage)
    return completion


async def _give_again(kept: Answered, scope: RunScope) -> Completion:
    """Answer without asking anybody: it is a call like any other, and takes no tokens and no dollars."""
    completion = kept.again()
    # The loop gets its turn, as with any model.
    await asyncio.sleep(0)
    if scope.meter.is_limited:
        (await _admit(Need.of(completion.usage), scope)).settle(completion.usage)
    else:
        scope.meter.count_chat()
    scope.recorder.add_to_open_node(kept.saved)
    return completion


async def _admit(need: Need, scope: RunScope) -> Admission:
    try:
        return await scope.meter.admit(need)
    except BudgetCut:
        scope.recorder.skip_open_node()
        raise


def _answer(provider: Provider, request: CompletionRequest, utterance: Utterance | None) -> Awaitable[Completion]:
    """Have the model answer in pieces where somebody waits for them, and whole otherwise."""
    if utterance is None or not utterance.is_awaited or not isinstance(provider, StreamingProvider):
        return _awaitable(provider.complete(request), provider, "complete")
    return _in_pieces(provider, request, utterance)


async def _in_pieces(provider: StreamingProvider, request: CompletionRequest, utterance: Utterance) -> Completion:
    utterance.speaker = type(provider).__name__
    try:
        return await _awaitable(provider.stream(request, utterance.say), provider, "stream")
    except BaseException:
        utterance.cut_off()
        raise


def _awaitable(answer: object, provider: Provider, method: str) -> Awaitable[Completion]:
    if inspect.isawaitable(answer):
        return answer
    raise TypeError(
        f"[thena] `{method}` of provider `{type(provider).__name__}` isn't async: it returned a value of type "
        f"`{type(answer).__name__}`. Write `async def {method}`, and return a `Completion(content=...)`."
    )


def _checked(completion: object, provider: Provider) -> Completion:
    if isinstance(completion, Completion):
        flaw = flaw_of_completion(completion)
        if flaw is not None:
            raise TypeError(f"[thena] provider `{type(provider).__name__}` answered with {flaw}")
        _check_usage(completion.usage, f"the usage that provider `{type(provider).__name__}` told")
        return completion
    raise TypeError(
        f"[thena] provider `{type(provider).__name__}` answered with a value of type `{type(completion).__name__}`. "
        "Return a `Completion(content=...)`."
    )


def _need(provider: Provider, request: CompletionRequest) -> Need:
    if not isinstance(provider, Bounded):
        return Need()
    worst = provider.worst_case(request)
    subject = f"`worst_case` of provider `{type(provider).__name__}`"
    if inspect.iscoroutine(worst):
        worst.close()  # nobody awaits it
        raise TypeError(f"[thena] {subject} is async, and a call waits for its answer. Write `def worst_case`.")
    _check_usage(worst, f"what {subject} returned")
    return Need.of(worst)


def _check_usage(usage: object, subject: str) -> None:
    """Refuse what can't be counted: a budget relies on it."""
    if usage is None:
        return
    if not isinstance(usage, Usage):
        raise TypeError(f"[thena] {subject} is of type `{type(usage).__name__}`. Give a `Usage(...)`, or `None`.")
    for name in ("prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd"):
        amount: object = getattr(usage, name)
        if amount is None and name == "cost_usd":
            continue
        if not isinstance(amount, int | float) or not 0 <= amount < math.inf:
            raise ValueError(
                f"[thena] {subject} has {name}={amount!r}. Give a number from 0 on, or no `Usage` where it isn't known."
            )


def answer_of(completion: Completion) -> Message:
    """The message of an answer. Of one that was cut off, a call without whole arguments is marked as such."""
    calls, reason = completion.tool_calls, completion.finish_reason
    if reason == "stop":
        return Message("assistant", completion.content, calls)
    marked = tuple(call if isinstance(call.arguments, Mapping) else replace(call, is_cut_off=True) for call in calls)
    return Message("assistant", completion.content, marked, finish_reason=reason)


def numbers_of(completion: Completion) -> dict[str, object]:
    """What the node of a model call keeps of its answer."""
    numbers: dict[str, object] = {} if completion.attempts == 1 else {"attempts": completion.attempts}
    if completion.finish_reason != "stop":
        numbers["finish_reason"] = completion.finish_reason
    if completion.usage is not None:
        numbers["prompt_tokens"] = completion.usage.prompt_tokens
        numbers["completion_tokens"] = completion.usage.completion_tokens
        numbers["cached_tokens"] = completion.usage.cached_tokens
        if completion.usage.cost_usd is not None:
            numbers["cost_usd"] = completion.usage.cost_usd
    return numbers

"""One call of a model, through the chat chain: the app's middlewares, then the provider.

The node around it is the caller's to open, for the tools that the model asks for stand inside it.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from thena_runtime.messages import Completion, Message, ToolSpec, new_call_id
from thena_runtime.middleware.chain import compose
from thena_runtime.middleware.invocation import ChatInvocation, ChatMiddleware
from thena_runtime.providers.provider import CompletionRequest, Provider
from thena_runtime.run_context import Context


@dataclass(slots=True, kw_only=True)
class _ModelCall(ChatInvocation):
    provider: Provider


ChatChain: TypeAlias = Callable[[_ModelCall], Awaitable[Completion]]


def chat_chain(layers: Sequence[ChatMiddleware]) -> ChatChain | None:
    """Put the middlewares around every model call; `None` where there are none, and then no invocation is made."""
    return compose(layers, _send) if layers else None


async def ask_model(
    chain: ChatChain | None, agent: object, provider: Provider, request: CompletionRequest, ctx: Context
) -> tuple[Completion, Sequence[ToolSpec]]:
    """Ask the model, and return its answer and the tools that it was offered in the end."""
    if chain is None:
        return await call_provider(provider, request, ctx), request.tools
    call = _ModelCall(
        messages=list(request.messages),
        tools=list(request.tools),
        sampling=request.sampling.copy(),
        agent=agent,
        ctx=ctx,
        provider=provider,
    )
    completion = await chain(call)
    if not isinstance(completion, Completion):
        raise TypeError(
            f"[thena] a chat middleware returned a value of type `{type(completion).__name__}`. "
            "Return what `await next()` gave, or a `Completion(content=...)`."
        )
    return _renewed(completion, request.messages), call.tools


def _renewed(completion: Completion, messages: Sequence[Message]) -> Completion:
    """Give new ids to the calls of an answer that stands in the conversation already: a cache may repeat one."""
    known = {call.id for message in messages for call in message.tool_calls}
    if not any(call.id in known for call in completion.tool_calls):
        return completion
    return replace(completion, tool_calls=tuple(replace(call, id=new_call_id()) for call in completion.tool_calls))


async def _send(call: _ModelCall) -> Completion:
    request = CompletionRequest(messages=tuple(call.messages), tools=tuple(call.tools), sampling=call.sampling)
    return await call_provider(call.provider, request, call.ctx)


async def call_provider(provider: Provider, request: CompletionRequest, ctx: Context) -> Completion:
    """The core of the chain: the one place where a model is called."""
    return await provider.complete(request)

"""What a run asks of a model: one protocol, and the error that every provider raises.

A user's own provider needs no base class, only the two methods of `Provider`; one that also has `stream` can say its
answer in pieces. Nothing here opens a connection.
"""

import inspect
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Protocol, runtime_checkable

from thena_contract.run_faults.provider_failed import ProviderFailed
from thena_runtime.errors import RunFaultError
from thena_runtime.messages import Completion, Message, Sampling, TokenKind, ToolSpec, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class CompletionRequest:
    """One call of a model: the conversation, the tools that it may ask for, and the agent's own sampling."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    sampling: Sampling = field(default_factory=Sampling)


@runtime_checkable
class Provider(Protocol):
    """A model that completes a conversation. One instance may serve many runs and many agents at once."""

    async def complete(self, request: CompletionRequest) -> Completion:
        """Answer the conversation once. Cancelling the awaiting task ends the request."""
        ...

    async def close(self) -> None:
        """Release what the provider holds; it may be used again afterwards."""
        ...


async def close_provider(provider: Provider) -> None:
    """Have a provider release what it holds. Raises what it raises, and says so where its `close` isn't async."""
    closing: object = provider.close()
    if not inspect.isawaitable(closing):
        raise TypeError(
            f"[thena] `close` of provider `{type(provider).__name__}` isn't async: it returned a value of type "
            f"`{type(closing).__name__}`. Write `async def close(self)`."
        )
    await closing


class Emit(Protocol):
    """Takes a piece of an answer while it comes in. It returns at once, and raises only where it is given no piece."""

    def __call__(self, text: str, kind: TokenKind = "text", tool: str | None = None, /) -> None:
        """Pass a piece on; `tool` names the tool of a piece of the kind `"tool_call"`."""
        ...


@runtime_checkable
class StreamingProvider(Provider, Protocol):
    """A provider that can say its answer in pieces. It is asked to only where somebody waits for them."""

    async def stream(self, request: CompletionRequest, emit: Emit) -> Completion:
        """Answer once, as `complete` does, and pass each piece to `emit` as it comes. Nothing can be taken back."""
        ...


@runtime_checkable
class Bounded(Protocol):
    """A provider that can say what a call may take at most, so that a budget can hold it back before it is made."""

    def worst_case(self, request: CompletionRequest) -> Usage | None:
        """Say the most that this call may be billed for, or `None` where that isn't known.

        What is known must be true whatever comes back: a budget relies on it. `cost_usd` is `None` without prices.
        """
        ...


@runtime_checkable
class Identified(Protocol):
    """A provider that can say who it is, so that an answer to one call may stand for the same call made again.

    Its class itself must say so: what derives from it may answer otherwise.
    """

    @property
    def identity(self) -> str | None:
        """Everything but the request that an answer depends on: the model, its address, its sampling. Never a key.

        `None` where no answer may stand for another one.
        """
        ...


class ProviderError(RunFaultError):
    """A provider refused, couldn't be reached, or answered what can't be read.

    The text that it is raised with names the provider, the fact and the repair. `status` is the HTTP status and `body`
    the beginning of the answer, both `None` where none came. `retryable` says whether the same call may succeed later.
    Neither text nor body ever holds the key.
    """

    code: ClassVar[str] = ProviderFailed.code

    def __init__(self, message: str, *, status: int | None = None, body: str | None = None, retryable: bool) -> None:
        super().__init__(message)
        self.status = status
        self.body = body
        self.retryable = retryable

    @property
    def fault(self) -> ProviderFailed:
        """What the provider said."""
        return ProviderFailed(reason=Exception.__str__(self))

    def __reduce__(self) -> tuple[object, ...]:
        # An exception is made again from its positional arguments, and `retryable` is none.
        return partial(type(self), *self.args, retryable=self.retryable), (), vars(self)

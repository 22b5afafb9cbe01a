"""What a middleware is given: one call of a model or of a tool, about to be made, which it may still change."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from thena_runtime.messages import Completion, Message, Sampling, ToolOutput, ToolSpec
from thena_runtime.run_context import Context


@dataclass(slots=True, kw_only=True)
class ChatInvocation:
    """A call of a model. What stands in `messages`, `tools` and `sampling` when the innermost layer is left is sent.

    `agent` is the agent object whose turn it is. A tool that is taken out of `tools` can't be called in this turn.
    """

    messages: list[Message]
    tools: list[ToolSpec]
    sampling: Sampling
    agent: object
    ctx: Context

    def meta(self, **data: object) -> None:
        """Add JSON values to the node of this call in the run's tree."""
        self.ctx.meta(**data)


@dataclass(slots=True, kw_only=True)
class ToolInvocation:
    """A call of a tool whose arguments were validated; arguments that a middleware changes are validated again."""

    name: str
    args: dict[str, Any]  # the model's arguments, of whatever types the tool declares
    agent: object
    ctx: Context

    def meta(self, **data: object) -> None:
        """Add JSON values to the node of this call in the run's tree."""
        self.ctx.meta(**data)


ChatMiddleware: TypeAlias = Callable[[ChatInvocation, Callable[[], Awaitable[Completion]]], Awaitable[Completion]]
ToolMiddleware: TypeAlias = Callable[[ToolInvocation, Callable[[], Awaitable[ToolOutput]]], Awaitable[ToolOutput]]

"""The five hooks of an agent: what each is given, and how an answer replaces a value.

`None` keeps the value and anything else replaces it. When a hook is called is the turn's to say
(`thena_runtime.run.turn`).
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from thena_contract.declarations import UNKNOWN, Unknown
from thena_runtime.calls import arguments_taken
from thena_runtime.messages import ToolCall, ToolOutput, ToolResult
from thena_runtime.run_context import Context

T = TypeVar("T")

Text: TypeAlias = str | Awaitable[str | None] | None


class AgentHooks:
    """An optional base that lets a type checker see a hook's signature. Its own methods never count as hooks."""

    def before_prompt(self, prompt: str, ctx: Context, /) -> Text:
        """Replace the prompt of this turn."""
        return None

    def before_tool(self, call: ToolCall, ctx: Context, /) -> ToolCall | Awaitable[ToolCall | None] | None:
        """Replace a call's arguments; an exception cancels the tool."""
        return None

    def after_tool(
        self, result: ToolResult, ctx: Context, /
    ) -> str | ToolOutput | Awaitable[str | ToolOutput | None] | None:
        """Replace what the model is told of a call: a string keeps the mark of failure, a `ToolOutput` sets it."""
        return None

    def after_response(self, response: str, ctx: Context, /) -> Text:
        """Replace the turn's response."""
        return None

    def on_error(self, error: Exception, ctx: Context, /) -> Text:
        """Answer in the place of a turn that raised."""
        return None


@dataclass(slots=True)
class Hooks:
    """The hooks of one agent object, by name, with how many arguments each takes as far as its class tells."""

    agent: object
    agent_name: str
    arities: Mapping[str, int | Unknown]

    async def replace(self, name: str, value: T, ctx: Context, *allowed: type) -> Any:
        """Call a hook, if there is one, and return what it answers, or the value where it answers nothing.

        The answer is of one of the `allowed` types, which the caller knows better than a type checker could.
        """
        if name not in self.arities:
            return value
        answer = self.call(name, self.arities[name], value, ctx)
        if inspect.isawaitable(answer):
            answer = await answer
        if answer is None:
            return value
        if not isinstance(answer, allowed):
            names = " or ".join(f"`{each.__name__}`" for each in allowed)
            raise TypeError(
                f"`{self.agent_name}.{name}` returned a value of type `{type(answer).__name__}`. "
                f"Return {names}, or nothing to keep the value."
            )
        return answer

    def call(self, name: str, arity: int | Unknown, *arguments: object) -> object:
        """Call a method of the agent with as many of the arguments as it takes.

        One that stands on the object itself isn't that of the class, and may take others.
        """
        method = self._method(name)
        if arity is UNKNOWN or name in getattr(self.agent, "__dict__", ()):
            arity = arguments_taken(method, len(arguments))
        return method(*arguments[:arity])

    def _method(self, name: str) -> Callable[..., object]:
        """The hook as it is called; one of `AgentHooks` doesn't stand before those of other bases."""
        method: Callable[..., object] = getattr(self.agent, name)
        function = getattr(method, "__func__", None)
        if function is not None and function is vars(AgentHooks).get(name):
            method = getattr(super(AgentHooks, self.agent), name)
        return method

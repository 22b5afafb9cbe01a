from __future__ import annotations

from collections import deque

from thena_runtime import AgentHooks, Context, ToolCall, ToolResult


class Trail:
    """The state: what was done, and by whom."""

    entries: deque[str] = deque(maxlen=100)
    violations = 0


class Logged(AgentHooks):
    """Writes every call into the trail. The class that mixes it in has `trail`."""

    trail: Trail

    def before_tool(self, call: ToolCall, ctx: Context, /) -> ToolCall | None:
        self.trail.entries.append(f"{type(self).__name__} calls {call.name}")
        return None


class Strict:
    trail: Trail

    def after_tool(self, result: ToolResult, ctx: Context) -> str | None:
        if "violation" in result.output:
            self.trail.violations += 1
        return None


class Patient:
    async def on_error(self, error: Exception, ctx: Context) -> str:
        ctx.state.append("memory", f"an error happened: {error}")
        return "The audit goes on."

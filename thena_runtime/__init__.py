"""Thena: workflows of AI agents as decorated classes, judged before anything runs.

The names here are for users; inside the repository the owning module is imported. Each name is loaded when it is first
asked for, so that importing the package costs next to nothing: an HTTP client is loaded by who names a provider that
needs one, and pydantic once a tool is planned.
"""

from importlib import import_module  # noqa: TID251 - modules of this package alone

# Type checkers must see what `__getattr__` gives. This is the face, which nothing imports from, so no cycle can hide.
from typing import TYPE_CHECKING, Final  # noqa: TID251

# A package of this name must have been imported before the marker takes its place, for importing it sets the name.
import thena_runtime.memory  # noqa: F401
from thena_runtime.markers import memory

if TYPE_CHECKING:
    from thena_runtime.app import Thena
    from thena_runtime.budget.limits import Budget, BudgetBreach, BudgetExceededError, RunUsage
    from thena_runtime.conversation import Conversation
    from thena_runtime.decorators import Agent, Prompt, Tool, Workflow
    from thena_runtime.errors import (
        ContractError,
        FatalToolError,
        OutputError,
        OutsideRunError,
        RunAborted,
        RunStoppedError,
        ThenaWarning,
    )
    from thena_runtime.hooks import AgentHooks
    from thena_runtime.markers import Input, State, context, state
    from thena_runtime.markers import input as input
    from thena_runtime.memory.store import Embedder, VectorStore
    from thena_runtime.memory.vector import EVERY_DATASET, Memory, Recalled, VectorMemory
    from thena_runtime.messages import (
        Completion,
        FunctionCall,
        Message,
        Sampling,
        ToolCall,
        ToolOutput,
        ToolResult,
        ToolSpec,
        Usage,
    )
    from thena_runtime.middleware.invocation import ChatInvocation, ChatMiddleware, ToolInvocation, ToolMiddleware
    from thena_runtime.middleware.window import context_window
    from thena_runtime.observability.events import Event
    from thena_runtime.observability.tokens import Token
    from thena_runtime.plugin import Plugin
    from thena_runtime.providers.openai import OpenAIProvider
    from thena_runtime.providers.prices import Prices
    from thena_runtime.providers.provider import CompletionRequest, Emit, Provider, ProviderError, StreamingProvider
    from thena_runtime.providers.retry import RetryPolicy
    from thena_runtime.providers.scripted import ScriptedCall, ScriptedProvider, tool_call
    from thena_runtime.run.handle import RunHandle
    from thena_runtime.run_context import Context, current_context
    from thena_runtime.settings import ReportOptions, ThenaConfig
    from thena_runtime.steps import (
        LoopFailure,
        LoopInfo,
        Turn,
        called_tool,
        loop,
        parallel,
        turn_of,
        until_answered,
        was_exhausted,
    )
    from thena_runtime.workflow_runtime import WorkflowRuntime

# Without `input`, which can be imported by its name: a star import must not take Python's own `input` away.
__all__ = [
    "EVERY_DATASET",
    "Agent",
    "AgentHooks",
    "Budget",
    "BudgetBreach",
    "BudgetExceededError",
    "ChatInvocation",
    "ChatMiddleware",
    "Completion",
    "CompletionRequest",
    "Context",
    "ContractError",
    "Conversation",
    "Embedder",
    "Event",
    "Emit",
    "FatalToolError",
    "FunctionCall",
    "Input",
    "LoopFailure",
    "LoopInfo",
    "Memory",
    "Message",
    "OpenAIProvider",
    "OutputError",
    "OutsideRunError",
    "Plugin",
    "Prices",
    "Prompt",
    "Provider",
    "ProviderError",
    "Recalled",
    "ReportOptions",
    "RetryPolicy",
    "RunAborted",
    "RunHandle",
    "RunUsage",
    "RunStoppedError",
    "Sampling",
    "ScriptedCall",
    "ScriptedProvider",
    "State",
    "StreamingProvider",
    "Thena",
    "ThenaConfig",
    "ThenaWarning",
    "Token",
    "Tool",
    "ToolCall",
    "ToolInvocation",
    "ToolMiddleware",
    "ToolOutput",
    "ToolResult",
    "ToolSpec",
    "Turn",
    "Usage",
    "VectorMemory",
    "VectorStore",
    "Workflow",
    "WorkflowRuntime",
    "called_tool",
    "context",
    "context_window",
    "current_context",
    "loop",
    "memory",
    "parallel",
    "state",
    "tool_call",
    "turn_of",
    "until_answered",
    "was_exhausted",
]

_OWNERS: Final = {
    "app": ("Thena",),
    "budget.limits": (
        "Budget",
        "BudgetBreach",
        "BudgetExceededError",
        "RunUsage",
    ),
    "conversation": ("Conversation",),
    "decorators": (
        "Agent",
        "Prompt",
        "Tool",
        "Workflow",
    ),
    "errors": (
        "ContractError",
        "FatalToolError",
        "OutputError",
        "OutsideRunError",
        "RunAborted",
        "RunStoppedError",
        "ThenaWarning",
    ),
    "hooks": ("AgentHooks",),
    "markers": (
        "Input",
        "State",
        "context",
        "input",
        "state",
    ),
    "memory.store": (
        "Embedder",
        "VectorStore",
    ),
    "memory.vector": (
        "EVERY_DATASET",
        "Memory",
        "Recalled",
        "VectorMemory",
    ),
    "messages": (
        "Completion",
        "FunctionCall",
        "Message",
        "Sampling",
        "ToolCall",
        "ToolOutput",
        "ToolResult",
        "ToolSpec",
        "Usage",
    ),
    "middleware.invocation": (
        "ChatInvocation",
        "ChatMiddleware",
        "ToolInvocation",
        "ToolMiddleware",
    ),
    "middleware.window": ("context_window",),
    "observability.events": ("Event",),
    "observability.tokens": ("Token",),
    "plugin": ("Plugin",),
    "providers.openai": ("OpenAIProvider",),
    "providers.prices": ("Prices",),
    "providers.provider": (
        "CompletionRequest",
        "Emit",
        "Provider",
        "ProviderError",
        "StreamingProvider",
    ),
    "providers.retry": ("RetryPolicy",),
    "providers.scripted": (
        "ScriptedCall",
        "ScriptedProvider",
        "tool_call",
    ),
    "run.handle": ("RunHandle",),
    "run_context": (
        "Context",
        "current_context",
    ),
    "settings": (
        "ReportOptions",
        "ThenaConfig",
    ),
    "steps": (
        "LoopFailure",
        "LoopInfo",
        "Turn",
        "called_tool",
        "loop",
        "parallel",
        "turn_of",
        "until_answered",
        "was_exhausted",
    ),
    "workflow_runtime": ("WorkflowRuntime",),
}
"""Which module of this package has which names."""

_OWNER_OF: Final = {name: owner for owner, names in _OWNERS.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _OWNER_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_OWNER_OF[name]}"), name)
    globals()[name] = value  # the next time it is found without a detour
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

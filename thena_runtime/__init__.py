"""Thena: workflows of AI agents as decorated classes, judged before anything runs.

The names here are for users; inside the repository the owning module is imported. `OpenAIProvider` and its
`RetryPolicy` come lazily, so that importing the package loads no HTTP client, and pydantic is loaded once a tool is
planned.
"""

# Type checkers must see what `__getattr__` gives. This is the face, which nothing imports from, so no cycle can hide.
from typing import TYPE_CHECKING  # noqa: TID251

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
from thena_runtime.markers import Input, State, context, input, memory, state
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
from thena_runtime.providers.prices import Prices
from thena_runtime.providers.provider import CompletionRequest, Emit, Provider, ProviderError, StreamingProvider
from thena_runtime.providers.scripted import ScriptedCall, ScriptedProvider, tool_call
from thena_runtime.run.handle import RunHandle
from thena_runtime.run_context import Context, current_context
from thena_runtime.settings import ThenaConfig
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

if TYPE_CHECKING:
    from thena_runtime.providers.openai import OpenAIProvider
    from thena_runtime.providers.retry import RetryPolicy

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
    "input",
    "loop",
    "memory",
    "parallel",
    "state",
    "tool_call",
    "turn_of",
    "until_answered",
    "was_exhausted",
]


def __getattr__(name: str) -> object:
    if name == "OpenAIProvider":
        from thena_runtime.providers.openai import OpenAIProvider

        return OpenAIProvider
    if name == "RetryPolicy":
        from thena_runtime.providers.retry import RetryPolicy

        return RetryPolicy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""The names that both readers recognise: decorators and their options, markers, step builders, hooks.

The runtime's decorators and the linter's reader both take this table as input; a test compares the real
signatures with it, so that drift is a red test.
"""

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

PACKAGE: Final = "thena_runtime"

REMEMBERED: Final = "__thena__"
"""The attribute of a class that keeps what its decorator was given."""

AGENT: Final = "Agent"
TOOL: Final = "Tool"
WORKFLOW: Final = "Workflow"

DECORATORS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        AGENT: ("provider", "prompt", "tools", "sampling", "tool_calls", "output"),
        TOOL: ("name", "description", "schema", "repeatable"),
        WORKFLOW: ("steps", "state"),
    }
)
"""What each class decorator accepts."""

PROVIDERS: Final = ("OpenAIProvider", "ScriptedProvider")
"""The providers that the framework has."""

APP: Final = "Thena"
CONFIG: Final = "ThenaConfig"

CONFIG_OPTIONS: Final = ("log", "report", "budget", "clock", "keep_bytes", "memory")
"""What the settings of an app accept."""

LOOP: Final = "loop"
PARALLEL: Final = "parallel"

UNTIL_ANSWERED: Final = "until_answered"
"""The condition of a loop that the framework has."""

STEP_BUILDERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        LOOP: (
            "steps",
            "until",
            "max_iterations",
            "max_fails",
            "max_repeats",
            "on_exhausted",
            "on_fail",
            "state",
        ),
        PARALLEL: ("steps",),
    }
)
"""What each builder of a step accepts; `steps` is its first positional argument."""

BRAKES: Final = ("max_iterations", "max_fails", "max_repeats")
"""The options of a loop that are a whole number from 1, or `None`."""

ON_EXHAUSTED: Final = "on_exhausted"
ON_FAIL: Final = "on_fail"

CALLBACKS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {ON_EXHAUSTED: ("ctx", "iterations"), ON_FAIL: ("ctx", "failure")}
)
"""What each callback of a loop is called with; it may leave out the last ones."""


class RequestKind(Enum):
    """What a parameter can ask the runtime for."""

    STATE = "state"
    CONTEXT = "context"
    INPUT = "input"
    MEMORY = "memory"
    RUNTIME = "runtime"

    # A member is the only one of its kind, and an `Enum` hashes its name anew each time it is looked up.
    __hash__ = object.__hash__


MARKERS: Final[Mapping[str, RequestKind]] = MappingProxyType(
    {
        "state": RequestKind.STATE,
        "context": RequestKind.CONTEXT,
        "input": RequestKind.INPUT,
        "memory": RequestKind.MEMORY,
    }
)
"""Markers for `Annotated[T, marker]`, written called or not."""

ALIASES: Final[Mapping[str, RequestKind]] = MappingProxyType({"State": RequestKind.STATE, "Input": RequestKind.INPUT})
"""Generic aliases: `State[T]` is `Annotated[T, state()]`."""

CONTEXT: Final = "Context"

SELF_MARKING: Final[Mapping[str, RequestKind]] = MappingProxyType(
    {
        CONTEXT: RequestKind.CONTEXT,
        "VectorMemory": RequestKind.MEMORY,
        "WorkflowRuntime": RequestKind.RUNTIME,
    }
)
"""Types that can mean only one thing, so that they need no marker."""

HOOKS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "before_prompt": ("prompt", "ctx"),
        "before_tool": ("call", "ctx"),
        "after_tool": ("result", "ctx"),
        "after_response": ("response", "ctx"),
        "on_error": ("error", "ctx"),
    }
)
"""The hooks of an agent, in the order in which a turn calls them, with what each receives."""

CONSTRUCTOR: Final = "__init__"
EXECUTE: Final = "execute"
RUN: Final = "run"

CALLED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({**HOOKS, RUN: ("input", "ctx")})
"""The methods of an agent that are called with arguments by position, with what each receives."""

BUCKETS: Final = ("history", "memory", "tasks")
"""The parts of the conversation, `ctx.state`."""

CONVERSATION: Final = frozenset({*BUCKETS, "append", "set", "add", "to_messages", "branch", "replace", "seeded"})
"""What `ctx.state` has."""

OWNED_BY_CONTEXT: Final = frozenset(
    {
        *("state", "turn", "output", "loop", "run_id", "data", "cancelled", "wait_cancelled", "prompt", "chat"),
        *("call_tool", "stop", "usage", "budget", "abort", "on_dispose", "meta", "get", "signal"),
    }
)
"""The names of the context that can't be set."""

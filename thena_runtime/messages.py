"""What a run and a model say to each other, in words that belong to no provider; and what the tool hooks are given.

Two families live here and are named apart. `Message`, `FunctionCall`, `ToolSpec`, `Usage` and `Completion` cross the
wire. `ToolCall`, `ToolResult` and `ToolOutput` are what hooks and tools see. Nothing here knows JSON formats of a
vendor (`thena_runtime.providers`) or when a hook is called (`thena_runtime.hooks`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypedDict, get_args

from thena_runtime.unique import new_hex

Role = Literal["system", "user", "assistant", "tool"]
CallSource = Literal["native", "rescued"]
TokenKind = Literal["text", "thinking", "tool_call"]
FinishReason = Literal["stop", "length", "content_filter"]
"""Why a model ended: it had come to the end, or a limit of tokens or a filter cut it off."""
FINISH_REASONS: Final[tuple[FinishReason, ...]] = get_args(FinishReason)


def new_call_id() -> str:
    """Make the id of a tool call; no two calls of any run share one."""
    return f"call_{new_hex()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall:
    """A model asks for a tool: the wire form, where hooks see a `ToolCall`.

    `arguments` is the JSON value as the model gave it, nearly always a mapping. Text that is no JSON stays the `str`
    that it was, for the layer above to answer. `source` tells a call of the provider's own format from one that was
    found in the answer's text. `is_cut_off` is set by the runtime where an answer ended in the middle of a call, which
    is then not executed.
    """

    id: str = field(default_factory=new_call_id)
    name: str
    arguments: object
    source: CallSource = "native"
    is_cut_off: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a conversation.

    `tool_calls` is set on an assistant's message that asks for tools; `tool_call_id`, `tool_name` and `is_error` on
    the tool's message that answers one of them. `finish_reason` is another than `"stop"` on an answer that was cut off.
    """

    role: Role
    content: str
    tool_calls: tuple[FunctionCall, ...] = ()
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool = False
    finish_reason: FinishReason = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as a model is told of it; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]  # JSON schema: a wire


class Sampling(TypedDict, total=False):
    """How a model picks its words. No key has a default, and a key that isn't given isn't sent."""

    temperature: float
    top_p: float
    top_k: int
    seed: int
    max_tokens: int
    num_ctx: int
    stop: Sequence[str]
    repeat_penalty: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The tokens of one completion; `cached_tokens` are those of the prompt that the provider had in its cache.

    `cost_usd` is what they cost in US dollars, and `None` where the provider knows no prices.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """A model's answer. `attempts` counts the requests that it took, `usage` is `None` where the provider told none.

    `finish_reason` says whether it is whole (`"stop"`, also where it asks for tools) or was cut off: by a limit of
    tokens (`"length"`) or by a filter of the provider's (`"content_filter"`).
    """

    content: str
    tool_calls: tuple[FunctionCall, ...] = ()
    usage: Usage | None = None
    attempts: int = 1
    finish_reason: FinishReason = "stop"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What `before_tool` is given and may return: a tool's name and its validated arguments."""

    name: str
    args: Mapping[str, Any]  # the model's arguments, of whatever types the tool declares


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What `after_tool` is given: the call as it was executed and what came out."""

    name: str
    args: Mapping[str, Any]  # the model's arguments, of whatever types the tool declares
    output: str
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool or `after_tool` may return: the text that the model reads, and whether it tells of a failure."""

    content: str
    is_error: bool = False

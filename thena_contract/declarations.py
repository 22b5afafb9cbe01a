"""What the user wrote, as neutral frozen data: the input of every rule.

Two readers make these values, one from class objects and one from text. A part that a reader can't see is
`UNKNOWN`, and a rule that meets it says nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

from thena_contract.anchor import Anchor, Ref
from thena_contract.vocabulary import RequestKind


class Unknown(Enum):
    """The type of `UNKNOWN`: a value that a reader can't see. It is neither true nor false."""

    UNKNOWN = "unknown"

    def __bool__(self) -> bool:
        raise TypeError("UNKNOWN is neither true nor false; compare it with `is`")


UNKNOWN: Final = Unknown.UNKNOWN


class ParamKind(Enum):
    """How an argument reaches a parameter; the values are those of `inspect`."""

    POSITIONAL_ONLY = 0
    POSITIONAL_OR_KEYWORD = 1
    VAR_POSITIONAL = 2
    KEYWORD_ONLY = 3
    VAR_KEYWORD = 4


POSITIONAL: Final = frozenset({ParamKind.POSITIONAL_ONLY, ParamKind.POSITIONAL_OR_KEYWORD})


@dataclass(frozen=True, slots=True)
class Request:
    """What one marker asks for. `of` is the class inside `State[...]`, or the store of a memory, if named."""

    kind: RequestKind
    of: Ref | Unknown | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamDecl:
    """One parameter. `index` counts from 0 without `self`. `requests` is empty when it asks for nothing."""

    name: str
    index: int
    kind: ParamKind
    has_default: bool
    requests: tuple[Request, ...] | Unknown
    anchor: Anchor

    def asks_for(self, kind: RequestKind) -> bool:
        """Say whether the parameter certainly asks for this."""
        return self.requests is not UNKNOWN and any(request.kind is kind for request in self.requests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The parameters of a callable, without the bound first one. `subject` is what texts call it: `Search.execute`."""

    subject: str
    params: tuple[ParamDecl, ...] = ()

    @property
    def positional(self) -> tuple[ParamDecl, ...]:
        """The parameters that a positional argument can fill."""
        return tuple(param for param in self.params if param.kind in POSITIONAL)

    @property
    def required_positional(self) -> tuple[ParamDecl, ...]:
        """Those of them without a default."""
        return tuple(param for param in self.positional if not param.has_default)

    @property
    def required_keyword(self) -> tuple[ParamDecl, ...]:
        """The keyword-only parameters without a default."""
        kind = ParamKind.KEYWORD_ONLY
        return tuple(param for param in self.params if param.kind is kind and not param.has_default)

    @property
    def takes_any_positional(self) -> bool:
        """Say whether there is a `*args`."""
        return any(param.kind is ParamKind.VAR_POSITIONAL for param in self.params)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptFile:
    """`prompt="./x.agent.md"` as written, and whether the file stands beside the agent's file."""

    literal: str
    exists: bool | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptText:
    """`prompt=Prompt("...")`: inline text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDecl:
    """A `@Tool` class (or a plain function used as a tool), and what its constructor and `execute` ask for."""

    ref: Ref
    constructor: Signature | Unknown
    execute: Signature | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEntry:
    """One entry of an agent's `tools=`."""

    tool: ToolDecl | Unknown
    anchor: Anchor


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDecl:
    """An `@Agent` class. `prompt` is `None` where missing; `tools` is `UNKNOWN` where none can be seen."""

    ref: Ref
    prompt: PromptFile | PromptText | Unknown | None
    tools: tuple[ToolEntry, ...] | Unknown
    constructor: Signature | Unknown

    @property
    def anchor(self) -> Anchor:
        """The class itself."""
        return Anchor(self.ref)


OtherKind = Literal["class", "tool", "instance", "function", "value"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStep:
    """An agent class in a list of steps."""

    agent: AgentDecl
    anchor: Anchor


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedStep:
    """A workflow class in a list of steps: a nested run, judged on its own."""

    workflow: Ref
    anchor: Anchor


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopStep:
    """`loop([...], until=...)`. `until` is `None` where the option is missing."""

    steps: "tuple[StepDecl, ...]"
    until: Signature | Unknown | None
    anchor: Anchor


@dataclass(frozen=True, slots=True, kw_only=True)
class ParallelStep:
    """`parallel([...])`."""

    steps: "tuple[StepDecl, ...]"
    anchor: Anchor


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherStep:
    """Something that is certainly no step. `name` is its class's or function's name, or its type's for a value."""

    kind: OtherKind
    name: str
    anchor: Anchor


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownStep:
    """A step, or any number of them, that a reader can't see."""

    anchor: Anchor


StepDecl = AgentStep | NestedStep | LoopStep | ParallelStep | OtherStep | UnknownStep


def walk(steps: tuple[StepDecl, ...]) -> Iterator[StepDecl]:
    """Every step, outer ones before those inside them."""
    for step in steps:
        yield step
        if isinstance(step, LoopStep | ParallelStep):
            yield from walk(step.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowDecl:
    """A `@Workflow` class. `state` is `None` where none is declared."""

    ref: Ref
    state: Ref | Unknown | None
    steps: tuple[StepDecl, ...]

    @property
    def anchor(self) -> Anchor:
        """The class itself."""
        return Anchor(self.ref)

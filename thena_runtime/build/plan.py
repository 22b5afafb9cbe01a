"""What a run walks: the judged workflow as frozen data, with everything that can be known before a run worked out.

Nothing here is made for one run alone. Objects that are (agents, tools, states, providers) come from
`thena_runtime.run`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from thena_contract.declarations import ParamKind, Unknown
from thena_contract.frozen import frozen
from thena_contract.vocabulary import RequestKind
from thena_runtime.build.output import OutputType
from thena_runtime.build.schema import ToolInput
from thena_runtime.messages import Message, Sampling, ToolSpec
from thena_runtime.providers.provider import Provider

MISSING_STORE: Final = -1
"""The position of a memory that no store is registered for: its parameter keeps its default."""


@frozen
class Slot:
    """A parameter to be filled. `request` is `None` for an argument that the model gives.

    `store` is the position of the registered store that a memory is about.
    """

    name: str
    kind: ParamKind
    request: RequestKind | None
    has_default: bool
    default: object = None
    store: int = 0


@frozen(kw_only=True)
class ToolNode:
    """A tool of one agent. `source` is a class to make for each run, an object with `execute`, or a function."""

    spec: ToolSpec
    source: object
    constructor: tuple[Slot, ...]
    execute: tuple[Slot, ...]
    input: ToolInput
    is_async: bool
    is_repeatable: bool


@frozen(kw_only=True)
class AgentNode:
    """One agent step. Each occurrence in the steps is a node of its own.

    `head` is what every turn begins with. `shared` is the provider where an instance was given: all runs share it, and
    the app closes it. `run` and `hooks` say how many arguments each takes, `UNKNOWN` where only the agent's object can
    tell; `run` is `None` where it has none. `calls_all` says whether every tool call of an answer is executed, and
    `output` what an answer is to be.
    """

    cls: type
    name: str
    prompt: str
    head: tuple[Message, ...]
    provider: object
    shared: Provider | None
    sampling: Sampling
    tools: tuple[ToolNode, ...]
    specs: tuple[ToolSpec, ...]
    constructor: tuple[Slot, ...]
    hooks: Mapping[str, int | Unknown]
    needs_memory: bool
    run: int | Unknown | None
    calls_all: bool
    output: OutputType | None


@frozen(kw_only=True)
class LoopNode:
    """A loop. The arities say how many of its arguments each callable takes."""

    steps: "tuple[StepNode, ...]"
    until: Callable[..., object]
    until_arity: int
    max_iterations: int | None
    max_fails: int | None
    max_repeats: int | None
    on_exhausted: Callable[..., object] | None
    on_exhausted_arity: int
    on_fail: Callable[..., object] | None
    on_fail_arity: int


@frozen(kw_only=True)
class ParallelNode:
    """Branches that run at the same time."""

    steps: "tuple[StepNode, ...]"


@frozen(kw_only=True)
class Plan:
    """A workflow; as a step, a nested run.

    `agents` are those of all its steps, but of nested workflows. `output` is what an app promises that a run gives.
    """

    name: str
    state: type | None
    steps: "tuple[StepNode, ...]"
    agents: tuple[AgentNode, ...]
    output: type | None = None


StepNode: TypeAlias = AgentNode | LoopNode | ParallelNode | Plan


def agents_of(steps: Sequence[StepNode]) -> Iterator[AgentNode]:
    """The agents of these steps, in their order, but those of nested workflows."""
    for step in steps:
        match step:
            case AgentNode():
                yield step
            case LoopNode() | ParallelNode():
                yield from agents_of(step.steps)
            case Plan():
                continue

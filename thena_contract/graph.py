"""Workflows as nodes and edges: what a picture of them shows, whoever draws it.

A step is a node of its own wherever it stands, inside the workflow, loop or parallel block that holds it (`parent`). A
tool is one node, however many agents use it. What a reader can't see is a node of the kind `"unknown"`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, assert_never

from thena_contract.anchor import Ref
from thena_contract.assembly import Assembly
from thena_contract.declarations import (
    UNKNOWN,
    AgentDecl,
    AgentStep,
    BareDecl,
    BareStep,
    Given,
    LoopStep,
    NestedStep,
    OtherStep,
    ParallelStep,
    PromptFile,
    PromptText,
    StateDecl,
    StepDecl,
    Steps,
    Thing,
    ToolDecl,
    Unknown,
    UnknownStep,
    WorkflowDecl,
)
from thena_contract.frozen import frozen

NodeKind = Literal["workflow", "loop", "parallel", "agent", "nested", "tool", "unknown"]
EdgeKind = Literal["then", "uses", "starts"]

_UNSEEN: Final = "?"
_LAMBDA: Final = "<lambda>"
_BRAKES: Final = ("max_iterations", "max_fails", "max_repeats")


@frozen(kw_only=True)
class Node:
    """A workflow, a step, or a tool.

    `details` are what a reader of a picture asks next: the state of a workflow, what ends a loop, the prompt and the
    model of an agent, what a tool is for. `module` is where the class is that it shows, if it shows one.
    """

    id: str
    kind: NodeKind
    name: str
    parent: str | None = None
    details: Mapping[str, str] = field(default_factory=dict)
    module: str | None = None


@frozen
class Edge:
    """`"then"`: the target is the next step. `"uses"`: an agent has a tool. `"starts"`: a step is a nested run."""

    source: str
    target: str
    kind: EdgeKind


@frozen
class Graph:
    """Nodes with the outer ones first, and edges; the first node is the workflow that was asked for."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]

    @property
    def workflows(self) -> tuple[Node, ...]:
        """The workflow that was asked for, and those that are nested in it."""
        return tuple(node for node in self.nodes if node.kind == "workflow")

    def node(self, id_: str) -> Node:
        """The node of this id."""
        return next(node for node in self.nodes if node.id == id_)

    def inside(self, parent: Node) -> tuple[Node, ...]:
        """What stands directly inside a node, in the order in which it runs."""
        return tuple(node for node in self.nodes if node.parent == parent.id)

    def tools(self, agent: Node) -> tuple[Node, ...]:
        """The tools of an agent, in the order of `tools=`."""
        return tuple(self.node(edge.target) for edge in self.edges if edge.kind == "uses" and edge.source == agent.id)


def graph_of(assemblies: Iterable[Assembly]) -> Graph:
    """The graph of the workflows of these assemblies."""
    drawn = _Drawn()
    for assembly in assemblies:
        if assembly.workflow is not None:
            _draw_workflow(drawn, assembly.workflow)
    there = {node.id for node in drawn.nodes}
    return Graph(
        (*drawn.nodes, *drawn.tools.values()),
        tuple(edge for edge in dict.fromkeys(drawn.edges) if edge.target in there or edge.target in drawn.tools),
    )


@dataclass(slots=True)
class _Drawn:
    nodes: list[Node] = field(default_factory=list)
    tools: dict[str, Node] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)


def _draw_workflow(drawn: _Drawn, workflow: WorkflowDecl) -> None:
    state = workflow.state
    details = {"state": state.ref.name} if isinstance(state, StateDecl) else {}
    node = Node(
        id=_id(workflow.ref),
        kind="workflow",
        name=workflow.ref.name,
        details=_told(details | {"state": _UNSEEN} if state is UNKNOWN else details),
        module=workflow.ref.module,
    )
    drawn.nodes.append(node)
    _draw_steps(drawn, workflow.steps, node, is_parallel=False)


def _draw_steps(drawn: _Drawn, steps: Steps, parent: Node, *, is_parallel: bool) -> None:
    before: Node | None = None
    for step in steps if isinstance(steps, tuple) else ():
        node = _node_of(step, parent)
        drawn.nodes.append(node)
        if before is not None and not is_parallel:
            drawn.edges.append(Edge(before.id, node.id, "then"))
        before = node
        match step:
            case AgentStep(agent=agent):
                _draw_tools(drawn, agent, node)
            case NestedStep(workflow=workflow):
                drawn.edges.append(Edge(node.id, _id(workflow), "starts"))
            case LoopStep(steps=inner):
                _draw_steps(drawn, inner, node, is_parallel=False)
            case ParallelStep(steps=inner):
                _draw_steps(drawn, inner, node, is_parallel=True)
            case _:
                pass


def _draw_tools(drawn: _Drawn, agent: AgentDecl, node: Node) -> None:
    for entry in _entries(agent):
        tool = _tool_of(entry, agent)
        drawn.tools.setdefault(tool.id, tool)
        drawn.edges.append(Edge(node.id, tool.id, "uses"))


def _entries(agent: AgentDecl) -> Iterator[ToolDecl | BareDecl | Thing | Unknown]:
    if agent.tools is UNKNOWN:
        yield UNKNOWN
    yield from (entry.tool for entry in agent.entries)


def _tool_of(tool: ToolDecl | BareDecl | Thing | Unknown, agent: AgentDecl) -> Node:
    match tool:
        case ToolDecl(ref=ref, name=name, description=description):
            told = {"description": description} if isinstance(description, str) else {}
            return Node(
                id=f"tool {_id(ref)}",
                kind="tool",
                name=_shown(name) if isinstance(name, str) else ref.name,
                details=_told(told),
                module=ref.module,
            )
        case BareDecl(ref=ref):
            return Node(id=f"tool {_id(ref)}", kind="unknown", name=ref.name, module=ref.module)
        case Thing(name=name):
            return Node(id=f"tool {name} of {_id(agent.ref)}", kind="unknown", name=name)
        case _:
            return Node(id=f"tools of {_id(agent.ref)}", kind="unknown", name=_UNSEEN)


def _node_of(step: StepDecl, parent: Node) -> Node:
    id_ = f"{_id(step.anchor.declaration)} {step.anchor.label}"
    match step:
        case AgentStep(agent=agent):
            return Node(
                id=id_,
                kind="agent",
                name=agent.ref.name,
                parent=parent.id,
                details=_told(_details_of(agent)),
                module=agent.ref.module,
            )
        case NestedStep(workflow=workflow):
            return Node(id=id_, kind="nested", name=workflow.name, parent=parent.id, module=workflow.module)
        case LoopStep(given=given):
            return Node(id=id_, kind="loop", name="loop", parent=parent.id, details=_told(_ends_of(given)))
        case ParallelStep():
            return Node(id=id_, kind="parallel", name="parallel", parent=parent.id)
        case BareStep(bare=bare):
            return Node(id=id_, kind="unknown", name=bare.ref.name, parent=parent.id, module=bare.ref.module)
        case OtherStep(thing=thing):
            return Node(id=id_, kind="unknown", name=thing.name, parent=parent.id)
        case UnknownStep():
            return Node(id=id_, kind="unknown", name=_UNSEEN, parent=parent.id)
        case _:
            assert_never(step)


def _details_of(agent: AgentDecl) -> dict[str, str]:
    told: dict[str, str] = {}
    match agent.prompt:
        case PromptFile(literal=literal):
            told["prompt"] = literal
        case PromptText():
            told["prompt"] = "inline"
    given = agent.given
    for option in ("provider", "output"):
        value = None if given is UNKNOWN else given.value(option)
        if isinstance(value, Thing):
            told[option] = value.name
    return told


def _ends_of(given: Given | Unknown) -> dict[str, str]:
    """What ends a loop: its `until`, and the brakes that were given."""
    if given is UNKNOWN:
        return {}
    told: dict[str, str] = {}
    until = given.value("until")
    if isinstance(until, Thing):
        told["until"] = "lambda" if until.name == _LAMBDA else until.name
    for brake in _BRAKES:
        value = given.value(brake)
        if isinstance(value, Thing) and isinstance(value.literal, int):
            told[brake] = str(value.literal)
        elif isinstance(value, Thing) and value.name == "NoneType":
            told[brake] = "off"
    return told


def _told(details: Mapping[str, str]) -> Mapping[str, str]:
    return {name: _shown(value) for name, value in details.items()}


def _shown(text: str) -> str:
    """The text in one line, without what a terminal would obey: a tool may have any name."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _id(ref: Ref) -> str:
    return f"{ref.module}:{ref.qualname}"

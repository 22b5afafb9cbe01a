"""THN206: a marker where nothing is given."""

from collections.abc import Collection, Iterator
from typing import ClassVar, Final, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly
from thena_contract.declarations import (
    UNKNOWN,
    AgentDecl,
    Called,
    FieldDecl,
    MethodDecl,
    ParamDecl,
    Request,
    Signature,
    StateDecl,
    StrayMarker,
    ToolDecl,
    Unknown,
    WorkflowDecl,
)
from thena_contract.fault import Fault, Finding
from thena_contract.vocabulary import RequestKind

_NOT_IN_HOOKS: Final = tuple(kind for kind in RequestKind if kind is not RequestKind.CONTEXT)
_NOT_IN_TOOLS: Final = (RequestKind.STATE, RequestKind.MEMORY)

_INPUT: Final = "on a parameter of a tool's `execute`"
_WANTED: Final = {
    RequestKind.STATE: "the state",
    RequestKind.CONTEXT: "the context",
    RequestKind.INPUT: "the input",
    RequestKind.MEMORY: "a memory",
    RequestKind.RUNTIME: "the workflow runtime",
}
_WRITTEN: Final = {
    RequestKind.STATE: "State[S]",
    RequestKind.CONTEXT: "Context",
    RequestKind.INPUT: "Input[Model]",
    RequestKind.MEMORY: "Annotated[VectorMemory, memory]",
    RequestKind.RUNTIME: "WorkflowRuntime",
}
_STRAY: Final = {
    "default": ("has a marker as its default value", "in the annotation"),
    "annotation": ("has a marker alone as its annotation", "around the type"),
    "inside": ("has a marker inside another type", "around the whole type"),
}


@final
class MarkerHasNoEffect(Fault):
    """Something is asked for where it is never given, or in a way that asks for nothing."""

    code: ClassVar[str] = "THN206"
    name: ClassVar[str] = "marker-has-no-effect"
    text: ClassVar[str] = "`{subject}` {part} {fact}."
    hint: ClassVar[str] = "Put it {instead}."

    subject: str
    part: str
    fact: str
    instead: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every marker that is passed over."""
    for agent, _ in assembly.all_agents():
        yield from _of_agent(agent)
    for tool, _ in assembly.all_tools():
        yield from _of_tool(tool)
    if assembly.workflow is not None:
        yield from _of_workflow(assembly.workflow)
    for loop in assembly.loops():
        for name, called in (("until", loop.until), ("on_exhausted", loop.on_exhausted), ("on_fail", loop.on_fail)):
            yield from _strays(called, loop.anchor.at(name).label)


def _of_agent(agent: AgentDecl) -> Iterator[Finding]:
    instead = f"on a parameter of `{agent.ref.name}.{vocabulary.CONSTRUCTOR}`"
    for method in _known(agent.methods):
        given = vocabulary.CALLED.get(method.name)
        if given is None:
            yield from _of_method(method, f"{instead}, and hand on what it is given")
        else:
            fact = f"but it is called with `({', '.join(given)})`"
            yield from _asking(method.called, _NOT_IN_HOOKS, fact, f"{instead}, and keep what it is given on `self`")
            yield from _strays(method.called)
    yield from _strays(agent.constructor)
    yield from _of_fields(
        agent.ref.name, agent.fields, agent.constructor, f"{instead}, or on a field that a dataclass takes"
    )


def _of_tool(tool: ToolDecl) -> Iterator[Finding]:
    instead = f"on a parameter of `{tool.ref.name}.{vocabulary.EXECUTE}`"
    yield from _asking(tool.constructor, _NOT_IN_TOOLS, "which a tool is given in `execute`", instead)
    yield from _strays(tool.constructor)
    fact = "which a tool is given in its constructor"
    yield from _asking(tool.execute, (RequestKind.RUNTIME,), fact, "on a parameter of the constructor of a `@Tool`")
    yield from _strays(tool.execute)
    # Without an `execute` that is what is at fault, and what another method asks for was most likely meant for it.
    for method in () if tool.execute is None else _known(tool.methods):
        if method.name != vocabulary.EXECUTE:
            yield from _of_method(method, f"{instead}, and hand on what it is given")
    yield from _of_fields(tool.ref.name, tool.fields, tool.constructor, instead)


def _of_workflow(workflow: WorkflowDecl) -> Iterator[Finding]:
    if isinstance(workflow.state, StateDecl):
        yield from _strays(workflow.state.constructor)
    instead = "on a parameter of an agent's constructor or of a tool's `execute`"
    for method in _known(workflow.methods):
        yield from _asking(
            method.called, tuple(RequestKind), "but no object is made of a workflow", instead, marked_only=True
        )
    constructor = next((one.called for one in _known(workflow.methods) if one.name == vocabulary.CONSTRUCTOR), UNKNOWN)
    yield from _of_fields(workflow.ref.name, workflow.fields, constructor, instead)


def _of_method(method: MethodDecl, instead: str) -> Iterator[Finding]:
    """A method that only the user's code calls: a type that needs no marker may well be a type there."""
    yield from _asking(
        method.called, _NOT_IN_HOOKS, "but only your own code calls this method", instead, marked_only=True
    )


def _of_fields(
    subject: str, fields: tuple[FieldDecl, ...] | Unknown, constructor: Called, instead: str
) -> Iterator[Finding]:
    """Fields that nobody fills; one that the constructor asks for under another name may be kept in it."""
    if not isinstance(constructor, Signature) or any(param.requests is UNKNOWN for param in constructor.params):
        return
    for field in () if fields is UNKNOWN else fields:
        kind = _kind(field.requests, tuple(RequestKind), marked_only=True)
        if kind is not None and not any(param.asks_for(kind) for param in constructor.params):
            fact = f"asks for {_WANTED[kind]}, but the constructor doesn't take it"
            where = _INPUT if kind is RequestKind.INPUT else instead
            fault = MarkerHasNoEffect(subject=subject, part=f"field `{field.name}`", fact=fact, instead=where)
            yield Finding(fault, field.anchor)


def _asking(
    called: Called, kinds: Collection[RequestKind], fact: str, instead: str, *, marked_only: bool = False
) -> Iterator[Finding]:
    """Parameters that ask for one of these, where it isn't given."""
    if not isinstance(called, Signature):
        return
    for param in called.params:
        kind = _kind(param.requests, kinds, marked_only=marked_only)
        if kind is not None and param.stray is None:
            where = _INPUT if kind is RequestKind.INPUT else instead
            yield _finding(called.subject, param, f"asks for {_WANTED[kind]}, {fact}", where)


def _strays(called: Called, subject: str | None = None) -> Iterator[Finding]:
    """Parameters with a marker that asks for nothing, wherever they are."""
    if not isinstance(called, Signature):
        return
    for param in called.params:
        if isinstance(param.stray, StrayMarker):
            fact, where = _STRAY[param.stray.where]
            instead = f"{where}, as `{param.name}: {_WRITTEN[param.stray.kind]}`"
            yield _finding(subject or called.subject, param, f"{fact}, where it asks for nothing", instead)


def _finding(subject: str, param: ParamDecl, fact: str, instead: str) -> Finding:
    part = f"parameter {param.index} `{param.name}`"
    return Finding(MarkerHasNoEffect(subject=subject, part=part, fact=fact, instead=instead), param.anchor)


def _kind(
    requests: tuple[Request, ...] | Unknown, kinds: Collection[RequestKind], *, marked_only: bool
) -> RequestKind | None:
    """The first of these that is asked for."""
    for request in () if requests is UNKNOWN else requests:
        if request.kind in kinds and (request.is_marked or not marked_only):
            return request.kind
    return None


def _known(methods: tuple[MethodDecl, ...] | Unknown) -> tuple[MethodDecl, ...]:
    return () if methods is UNKNOWN else methods

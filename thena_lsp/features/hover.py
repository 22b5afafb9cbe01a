"""What a marker gives, what uses an agent, when `until` and a hook are called: the text under the mouse.

Only what the declarations say is shown, and what can't be seen is left out. A fault's message isn't repeated here:
the editor shows it beside the hover anyway.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, assert_never

from lsprotocol import types as lsp

from thena_contract.anchor import Ref
from thena_contract.assembly import Assembly
from thena_contract.declarations import (
    UNKNOWN,
    AgentDecl,
    AgentStep,
    BareStep,
    LoopStep,
    NestedStep,
    OtherStep,
    ParallelStep,
    ParamDecl,
    PromptFile,
    PromptText,
    Request,
    Signature,
    StateDecl,
    StepDecl,
    Steps,
    ToolDecl,
    UnknownStep,
    WorkflowDecl,
)
from thena_contract.vocabulary import EXECUTE, RequestKind
from thena_lsp.convert import from_position, to_hover
from thena_lsp.cursor import Hook, Marker, Parameter, Thing, Tool, Until, thing_at
from thena_lsp.session import Session

MARKERS: Final[Mapping[RequestKind, str]] = {
    RequestKind.STATE: "The workflow's state, one object per run, shared by agents, hooks, tools and `until`.",
    RequestKind.CONTEXT: "The run's context, with the conversation (`ctx.state`), `ctx.data` and `ctx.turn`.",
    RequestKind.INPUT: "All arguments that the model fills in, validated against this type.",
    RequestKind.MEMORY: "The vector memory over the named store, or over the first one that the app registers.",
    RequestKind.RUNTIME: "Starts nested runs of other workflows.",
}

ALLOWED: Final[Mapping[RequestKind, str]] = {
    RequestKind.STATE: "an agent's `__init__` and a tool's `execute`",
    RequestKind.CONTEXT: "a tool's `execute` (hooks and `until` receive it by position)",
    RequestKind.INPUT: "a tool's `execute`, once, and without unmarked parameters beside it",
    RequestKind.MEMORY: "an agent's `__init__` and a tool's `execute`",
    RequestKind.RUNTIME: "a tool's `__init__`",
}

HOOKS: Final[Mapping[str, tuple[str, str, str]]] = {
    "before_prompt": (
        "Runs once a turn, before the model is called.",
        "the final prompt, a `str`",
        "A `str` replaces the prompt; `None` keeps it.",
    ),
    "before_tool": (
        "Runs before each tool call.",
        "the call, with `name` and `args`",
        "A `ToolCall` replaces the arguments; `None` keeps them. An exception cancels the tool and goes to `on_error`.",
    ),
    "after_tool": (
        "Runs after each tool call, also after one that failed.",
        "the result, with `name`, `args`, `output` and `is_error`",
        "A `str` replaces the text and keeps `is_error`; a `ToolOutput` replaces both; `None` keeps the result.",
    ),
    "after_response": (
        "Runs after the model has answered.",
        "the response, a `str`",
        "A `str` replaces the response, in the history too; `None` keeps it.",
    ),
    "on_error": (
        "Runs when something in the turn raised, but not for cancellation or `FatalToolError`.",
        "the exception",
        "A `str` becomes the agent's output; `None` lets the error go on.",
    ),
}
"""When a hook runs, what its first parameter is, and what its return value does."""


def hover_at(session: Session, uri: str, position: lsp.Position) -> lsp.Hover | None:
    """The text for what stands at this position, or nothing."""
    snapshot = session.snapshot()
    text = snapshot.text_of(uri)
    if text is None:
        return None
    lines = snapshot.lines_in(text)
    line, column = from_position(position, lines, session.encoding)
    found = thing_at(snapshot, text, line, column)
    if found is None:
        return None
    return to_hover(render(found.thing, found.assemblies), found.place, lines, session.encoding)


def render(thing: Thing, assemblies: Sequence[Assembly]) -> str:
    """The Markdown that explains this."""
    match thing:
        case AgentDecl():
            return _text(_agent(thing, assemblies))
        case Tool():
            return _text(_tool(thing, assemblies))
        case WorkflowDecl():
            return _text(_workflow(thing))
        case Marker():
            return _text(_marker(thing))
        case Parameter():
            return _text(_parameter(thing, assemblies))
        case Until():
            return _text(_until(thing))
        case Hook():
            return _text(_hook(thing))
    assert_never(thing)


def _text(paragraphs: Iterable[str]) -> str:
    return "\n\n".join(paragraphs)


# -- markers and parameters


def _marker(marker: Marker) -> Iterator[str]:
    yield f"**`{marker.written}`**"
    yield MARKERS[marker.kind]
    yield f"Allowed in {ALLOWED[marker.kind]}."


def _parameter(parameter: Parameter, assemblies: Sequence[Assembly]) -> Iterator[str]:
    param = parameter.param
    yield f"**`{param.name}`** of `{parameter.signature.subject}`"
    if param.requests is UNKNOWN:
        return
    if not param.requests:
        yield _unmarked(parameter)
    for request in param.requests:
        yield _injected(request)
        if request.kind is RequestKind.STATE:
            yield from _states(parameter, assemblies)
        yield f"Allowed in {ALLOWED[request.kind]}."


def _unmarked(parameter: Parameter) -> str:
    if isinstance(parameter.owner, ToolDecl) and parameter.method == EXECUTE:
        optional = " It may leave it out, as there is a default." if parameter.param.has_default else ""
        return f"The model fills it in.{optional}"
    return "Asks for nothing, so its default is used." if parameter.param.has_default else "Nothing fills it in."


def _injected(request: Request) -> str:
    of = f" Here: `{request.of.name}`." if isinstance(request.of, Ref) and request.kind is not RequestKind.STATE else ""
    return f"Injected: {MARKERS[request.kind][0].lower()}{MARKERS[request.kind][1:]}{of}"


def _states(parameter: Parameter, assemblies: Sequence[Assembly]) -> Iterator[str]:
    """What this parameter gets in each workflow that uses its class."""
    rows = [
        f"- in `{assembly.workflow.ref.name}`: {_state_of(assembly.workflow, parameter.param)}"
        for assembly in assemblies
        if assembly.workflow is not None and _has_member(assembly, parameter.owner)
    ]
    yield "\n".join(rows) if rows else f"No workflow uses `{parameter.owner.ref.name}` yet."


def _state_of(workflow: WorkflowDecl, param: ParamDecl) -> str:
    if workflow.state is UNKNOWN:
        return "its state, whose class can't be seen from here"
    if isinstance(workflow.state, StateDecl):
        return f"a `{workflow.state.ref.name}`"
    return "its default, as no state is declared" if param.has_default else "nothing: no state is declared"


def _has_member(assembly: Assembly, owner: AgentDecl | ToolDecl) -> bool:
    """Say whether an agent or tool takes part in a workflow."""
    # Not a set: to hash a declaration takes as long as to read it.
    return any(agent == owner for agent, _ in assembly.all_agents()) or any(
        tool == owner for tool, _ in assembly.all_tools()
    )


# -- declarations


def _agent(agent: AgentDecl, assemblies: Sequence[Assembly]) -> Iterator[str]:
    yield f"**agent `{agent.ref.name}`**"
    facts = [*_prompt(agent), *_tools(agent), *_injections(agent.constructor, "Injected into `__init__`")]
    yield "\n".join(f"- {fact}" for fact in facts)
    uses = [
        f"`{assembly.workflow.ref.name}` ({', '.join(f'`{label}`' for label in labels)})"
        for assembly in assemblies
        if assembly.workflow is not None and (labels := _labels(agent, assembly))
    ]
    yield f"A step of {', '.join(uses)}." if uses else "No workflow uses it yet."


def _labels(agent: AgentDecl, assembly: Assembly) -> list[str]:
    """Where in the workflow's steps the agent stands."""
    return [step.anchor.label for step in assembly.steps() if isinstance(step, AgentStep) and step.agent == agent]


def _prompt(agent: AgentDecl) -> Iterator[str]:
    match agent.prompt:
        case PromptFile():
            missing = " (missing)" if agent.prompt.exists is False else ""
            yield f"Prompt: `{agent.prompt.literal}`{missing}"
        case PromptText():
            yield "Prompt: inline text"
        case None:
            yield "Prompt: none"


def _tools(agent: AgentDecl) -> Iterator[str]:
    if not agent.entries:
        return
    names = [f"`{entry.tool.ref.name}`" for entry in agent.entries if isinstance(entry.tool, ToolDecl)]
    more = "" if len(names) == len(agent.entries) else " and others that can't be seen from here"
    yield f"Tools: {', '.join(names)}{more}"


def _injections(signature: Signature | object, title: str) -> Iterator[str]:
    if not isinstance(signature, Signature):
        return
    rows = [
        f"`{param.name}` (the {_words(request)})"
        for param in signature.params
        if param.requests is not UNKNOWN
        for request in param.requests
    ]
    if rows:
        yield f"{title}: {', '.join(rows)}"


def _words(request: Request) -> str:
    of = f" `{request.of.name}`" if isinstance(request.of, Ref) else ""
    match request.kind:
        case RequestKind.STATE:
            return f"state{of}"
        case RequestKind.CONTEXT:
            return "context"
        case RequestKind.INPUT:
            return f"whole arguments{of}"
        case RequestKind.MEMORY:
            return f"memory{of}"
        case RequestKind.RUNTIME:
            return "starter of nested runs"
    assert_never(request.kind)


def _tool(described: Tool, assemblies: Sequence[Assembly]) -> Iterator[str]:
    tool = described.tool
    called = "" if described.name is None else f", which the model calls `{described.name}`"
    yield f"**tool `{tool.ref.name}`**{called}"
    if described.description is not None:
        yield described.description
    facts = [*_filled_in(tool), *_injections(tool.execute, "Injected")]
    if facts:
        yield "\n".join(f"- {fact}" for fact in facts)
    users = sorted(
        {
            agent.ref.name
            for assembly in assemblies
            for agent, _ in assembly.all_agents()
            if any(entry.tool == tool for entry in agent.entries)
        }
    )
    yield f"A tool of {', '.join(f'`{name}`' for name in users)}." if users else "No agent uses it yet."


def _filled_in(tool: ToolDecl) -> Iterator[str]:
    if not isinstance(tool.execute, Signature):
        return
    names = [f"`{param.name}`" for param in tool.execute.params if param.requests == ()]
    whole = [
        f"`{param.name}` (a `{request.of.name}`)" if isinstance(request.of, Ref) else f"`{param.name}`"
        for param in tool.execute.params
        if param.requests is not UNKNOWN
        for request in param.requests
        if request.kind is RequestKind.INPUT
    ]
    yield f"The model fills in: {', '.join(names + whole) or 'nothing'}"


def _workflow(workflow: WorkflowDecl) -> Iterator[str]:
    yield f"**workflow `{workflow.ref.name}`**"
    if workflow.state is None:
        yield "State: none"
    elif isinstance(workflow.state, StateDecl):
        yield f"State: `{workflow.state.ref.name}`"
    yield "\n".join(_tree(workflow.steps, ""))


def _tree(steps: Steps, indent: str) -> Iterator[str]:
    for step in steps if isinstance(steps, tuple) else ():
        yield f"{indent}- {_step(step)}"
        if isinstance(step, LoopStep | ParallelStep):
            yield from _tree(step.steps, f"{indent}  ")


def _step(step: StepDecl) -> str:
    match step:
        case AgentStep():
            return f"agent `{step.agent.ref.name}`"
        case NestedStep():
            return f"workflow `{step.workflow.name}`"
        case LoopStep():
            return "loop"
        case ParallelStep():
            return "parallel"
        case BareStep():
            return f"`{step.bare.ref.name}`, which is not declared to be a step"
        case OtherStep():
            return f"`{step.thing.name}`, which is no step"
        case UnknownStep():
            return "steps that can't be seen from here"
    assert_never(step)


# -- loops and hooks


def _until(until: Until) -> Iterator[str]:
    yield f"**`{until.loop.anchor.label}.until`** of `{until.workflow.ref.name}`"
    yield (
        "Called after each iteration, with as many of `(ctx, state)` as it can take; may be async. "
        "A true answer ends the loop."
    )
    signature = until.loop.until
    if isinstance(signature, Signature) and len(signature.positional) > 1:
        yield f"`{signature.positional[1].name}` is {_state_of(until.workflow, signature.positional[1])}."


def _hook(hook: Hook) -> Iterator[str]:
    when, first, returning = HOOKS[hook.name]
    yield f"**hook `{hook.name}`** of agent `{hook.agent}`"
    yield when
    yield f"Receives {first}, and `ctx`; trailing parameters may be left out. May be async."
    yield returning

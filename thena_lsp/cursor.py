"""Position -> what stands there, with the declarations that explain it.

The linter knows what stands where (`thena_lint.link.standing`); here it is joined with who uses it. Code that can't
be read, or that no declaration is about, gives nothing.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import assert_never

from thena_contract import vocabulary
from thena_contract.anchor import Anchor, Place
from thena_contract.assembly import Assembly
from thena_contract.declarations import (
    AgentDecl,
    Called,
    LoopStep,
    ParamDecl,
    Signature,
    ToolDecl,
    WorkflowDecl,
)
from thena_contract.frozen import frozen
from thena_contract.vocabulary import RequestKind
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt
from thena_lint.link.assemblies import Linked
from thena_lint.link.classes import declared_as
from thena_lint.link.standing import (
    DeclaredHere,
    HookHere,
    MarkerHere,
    ParameterHere,
    Standing,
    UntilHere,
    all_standing_at,
)
from thena_lint.source.notebook import in_cell, lines_above
from thena_lint.summary.expressions import Constant
from thena_lsp.snapshot import Snapshot, Text


@frozen(kw_only=True)
class Marker:
    """A marker that stands outside any parameter that it could fill."""

    written: str
    kind: RequestKind


@frozen(kw_only=True)
class Parameter:
    """A parameter of an agent's or tool's constructor, or of a tool's `execute`."""

    owner: AgentDecl | ToolDecl
    method: str
    signature: Signature
    param: ParamDecl


@frozen(kw_only=True)
class Tool:
    """A tool, with what its decorator tells the model, as far as it is written out."""

    tool: ToolDecl
    name: str | None
    description: str | None


@frozen(kw_only=True)
class Until:
    """The `until` of a loop."""

    workflow: WorkflowDecl
    loop: LoopStep


@frozen(kw_only=True)
class Hook:
    """A hook of an agent."""

    agent: str
    name: str


_Key = tuple[Path, str]
"""What makes a class or function this one and no other: its file, and its name in there."""

Thing = AgentDecl | Tool | WorkflowDecl | Marker | Parameter | Until | Hook


@frozen(kw_only=True)
class Found:
    """What stands at a position, how far it reaches, and the assemblies among which it is used."""

    thing: Thing
    place: Place
    assemblies: tuple[Assembly, ...]


def thing_at(snapshot: Snapshot, text: Text, line: int, column: int) -> Found | None:
    """What stands at a position of a text (line and column from 1), or `None`."""
    project, source = snapshot.project_of(text.path), snapshot.source(text.path)
    if project is None or source is None:
        return None
    line += lines_above(source, text.cell)
    index, linked = project.index, project.linked
    assemblies = tuple(one.assembly for one in linked)
    for standing in all_standing_at(index, linked, text.path, line, column):
        thing = _explained(index, linked, standing)
        if thing is not None:
            return Found(thing=thing, place=in_cell(standing.place, source), assemblies=assemblies)
    return None


def _explained(index: ProjectIndex, linked: tuple[Linked, ...], standing: Standing) -> Thing | None:
    """The declarations behind what stands there; `None` for a parameter or class that none is about."""
    match standing.thing:
        case MarkerHere(written=written, kind=kind):
            return Marker(written=written, kind=kind)
        case HookHere(agent=agent, name=name):
            return Hook(agent=agent.name, name=name)
        case UntilHere(anchor=anchor):
            return next(_untils(linked, anchor, standing.home), None)
        case DeclaredHere(ref=ref):
            return next(_declared(index, linked, (standing.home, ref.qualname)), None)
        case ParameterHere() as here:
            return next(_parameters(linked, here, (standing.home, here.owner.qualname)), None)
    assert_never(standing.thing)


def _declared(index: ProjectIndex, linked: tuple[Linked, ...], key: _Key) -> Iterator[Thing]:
    for one in linked:
        ref = one.refs.get(key)
        if ref is None:
            continue
        if one.assembly.workflow is not None and one.assembly.workflow.ref == ref:
            yield one.assembly.workflow
        yield from (agent for agent, _ in one.assembly.all_agents() if agent.ref == ref)
        yield from (_described(index, one, tool) for tool, _ in one.assembly.all_tools() if tool.ref == ref)


def _described(index: ProjectIndex, linked: Linked, tool: ToolDecl) -> Tool:
    home = linked.homes.get(tool.ref)
    decoration = declared_as(index, home) if isinstance(home, ClassAt) else None
    written = dict.fromkeys(("name", "description"))
    if decoration is not None and decoration.call is not None:
        for option in written:
            given = decoration.call.keyword(option)
            if given is not None and isinstance(given[1], Constant) and isinstance(given[1].value, str):
                written[option] = given[1].value
    return Tool(tool=tool, name=written["name"], description=written["description"])


def _untils(linked: tuple[Linked, ...], anchor: Anchor, home: Path) -> Iterator[Until]:
    for one in linked:
        for loop in one.assembly.loops():
            if one.assembly.workflow is not None and one.home == home and loop.anchor.at("until") == anchor:
                yield Until(workflow=one.assembly.workflow, loop=loop)


def _parameters(linked: tuple[Linked, ...], here: ParameterHere, key: _Key) -> Iterator[Thing]:
    """The declared parameters that this one is: of its own class, and of those that inherit it."""
    method = vocabulary.EXECUTE if here.method is None else here.method
    path = ("method", method, here.name)
    for one in linked:
        ref = one.refs.get(key)
        if ref is None:
            continue
        anchor = Anchor(ref, path)
        for agent, _ in one.assembly.all_agents():
            yield from _params(agent, vocabulary.CONSTRUCTOR, agent.constructor, anchor)
            if method in vocabulary.HOOKS and agent.ref == ref:
                yield Hook(agent=agent.ref.name, name=method)
        for tool, _ in one.assembly.all_tools():
            yield from _params(tool, vocabulary.CONSTRUCTOR, tool.constructor, anchor)
            yield from _params(tool, vocabulary.EXECUTE, tool.execute, anchor)


def _params(owner: AgentDecl | ToolDecl, method: str, signature: Called, anchor: Anchor) -> Iterator[Parameter]:
    if not isinstance(signature, Signature):
        return
    for param in signature.params:
        if param.anchor == anchor:
            yield Parameter(owner=owner, method=method, signature=signature, param=param)

"""Faults of what agents and tools ask for."""

import ast
import re
from collections.abc import Callable, Iterator
from typing import Final

from tests.support.planting.source import (
    HOOKS,
    MARK,
    OTHER,
    Declared,
    Edit,
    Edits,
    Project,
    Source,
    after_self,
    all_args,
    asking_in_constructor,
    last_name,
    simple_arguments,
    without,
)

FOR_TYPES: Final = (
    "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from thena_runtime import State as TheState\n"
)

_MEMORIES: Final = {"VectorMemory", "Facts", "Documents"}
"""What the corpus calls memories."""


def no_state_declared(project: Project) -> Edits:
    for flow in project.declared("Workflow"):
        if flow.option("state") is None:
            continue
        edits: dict[Source, list[Edit]] = {flow.source: [without(flow.source, flow.call, "state")]}
        # Another workflow of the project may have the same agents, so that any of them may be at fault.
        for source in project.sources:
            for node in ast.walk(source.tree):
                if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation and _asks_for_state(node.annotation):
                    edits.setdefault(source, []).append(source.mark(node))
        if any(MARK in edit.text for changes in edits.values() for edit in changes):
            yield edits


def _asks_for_state(annotation: ast.expr) -> bool:
    written = ast.unparse(annotation)
    is_optional = "None" in written or "Optional" in written
    return not is_optional and re.search(r"\b(State|state|Doc|TheEssay)\b", written) is not None


def the_state_where_there_is_none(project: Project) -> Edits:
    stateless = _agents_of(project, lambda flow: flow.option("state") is None)
    for agent in project.declared("Agent"):
        if agent.name in stateless and not agent.is_made_with:
            yield asking_in_constructor(agent, "shared: TheState[object]")


def _agents_of(project: Project, wanted: Callable[[Declared], bool]) -> set[str]:
    """The names that stand in the steps of workflows, where all of their workflows are wanted."""
    inside: set[str] = set()
    outside: set[str] = set()
    for flow in project.declared("Workflow"):
        steps = flow.option("steps")
        names = {node.id for node in ast.walk(steps) if isinstance(node, ast.Name)} if steps is not None else set()
        (inside if wanted(flow) else outside).update(names)
    return inside - outside


def the_context_in_a_constructor(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        source, method = agent.source, agent.method("__init__")
        edit = source.imported("from thena_runtime import Context as TheContext")
        if method is not None:
            yield {source: [edit, after_self(source, method, f"{MARK}ctx: TheContext")]}
        elif not agent.is_made_with:
            yield asking_in_constructor(agent, "ctx: TheContext")


def the_input_in_a_constructor(project: Project) -> Edits:
    for decorator in ("Agent", "Tool"):
        for one in project.declared(decorator):
            method = one.method("__init__")
            edit = one.source.imported("from thena_runtime import Input as TheInput")
            if method is not None and decorator == "Agent":
                yield {one.source: [edit, after_self(one.source, method, f"{MARK}given: TheInput[dict]")]}
            elif not one.is_made_with:
                yield asking_in_constructor(one, "given: TheInput[dict]")


def no_stores_for_what_is_asked_by_name(project: Project) -> Edits:
    asked = {name for source in project.sources for name in re.findall(r"memory\((\w+)\)", source.text)}
    for source, call in project.calls("ThenaConfig"):
        stores = next((each.value for each in call.keywords if each.arg == "memory"), None)
        if not isinstance(stores, ast.List | ast.Tuple):
            continue
        for element in stores.elts:
            name = last_name(element.func if isinstance(element, ast.Call) else element)
            if name in asked:
                kept = [source.written(each) for each in stores.elts if each is not element]
                edits: dict[Source, list[Edit]] = {source: [source.swap(stores, f"[{', '.join(kept)}]")]}
                for one, arg in _asked_by_alias(project, str(name)):
                    edits.setdefault(one.source, []).append(one.source.mark(arg))
                yield edits


def _asked_by_alias(project: Project, store: str) -> Iterator[tuple[Declared, ast.arg]]:
    alias = re.compile(rf"^(\w+) = Annotated.*memory\({store}\)", re.MULTILINE)
    aliases = {found for source in project.sources for found in alias.findall(source.text)}
    for one in project.declared("Tool"):
        method = one.method("execute")
        for arg in () if method is None else all_args(method):
            if arg.annotation is not None and last_name(arg.annotation) in aliases:
                yield one, arg


def no_store_at_all(project: Project) -> Edits:
    for source, call in project.calls("ThenaConfig"):
        if any(each.arg == "memory" for each in call.keywords):
            edits: dict[Source, list[Edit]] = {source: [without(source, call, "memory")]}
            for one in [*project.declared("Tool"), *project.declared("Agent")]:
                for name in ("execute", "__init__"):
                    method = one.method(name)
                    for arg in () if method is None else all_args(method):
                        if arg.annotation is not None and last_name(arg.annotation) in _MEMORIES:
                            edits.setdefault(one.source, []).append(one.source.mark(arg))
            yield edits


def a_marker_on_a_hook(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        for name in HOOKS:
            method = agent.method(name)
            if method is not None and len(all_args(method)) == 1:
                arg = all_args(method)[0]
                at = agent.source.end(arg)
                yield {
                    agent.source: [
                        agent.source.imported("from thena_runtime import State as TheState"),
                        Edit(at, at, f", {MARK}shared: TheState[object]"),
                    ]
                }


def a_marker_in_a_tools_constructor(project: Project) -> Edits:
    for tool in project.declared("Tool"):
        if not tool.is_made_with:
            yield asking_in_constructor(tool, "shared: TheState[object]")


def an_input_beside_arguments(project: Project) -> Edits:
    for tool in project.declared("Tool"):
        method = tool.method("execute")
        if method is not None and any(one.node is tool.node for one, _ in simple_arguments(project)):
            edits = [after_self(tool.source, method, f"{MARK}given: TheInput[dict]")]
            edits += [tool.source.mark(arg) for arg in all_args(method)]
            yield {tool.source: [tool.source.imported("from thena_runtime import Input as TheInput"), *edits]}


def a_parameter_that_nothing_fills(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        method = agent.method("__init__")
        if method is not None:
            yield {agent.source: [after_self(agent.source, method, f"{MARK}retries: int")]}
        elif not agent.is_made_with:
            yield asking_in_constructor(agent, "retries: int")


def another_state(project: Project) -> Edits:
    for one, arg in project.asking("State"):
        assert isinstance(arg.annotation, ast.Subscript)
        yield {
            one.source: [
                one.source.imported(OTHER),
                one.source.mark(arg),
                one.source.swap(arg.annotation.slice, "Elsewhere"),
            ]
        }


def one_store_too_few(project: Project) -> Edits:
    for source, call in project.calls("ThenaConfig"):
        stores = next((each.value for each in call.keywords if each.arg == "memory"), None)
        positions = [
            (agent, [arg for arg in all_args(method) if arg.annotation and last_name(arg.annotation) in _MEMORIES])
            for agent in project.declared("Agent")
            if (method := agent.method("__init__")) is not None
        ]
        for agent, args in positions:
            if isinstance(stores, ast.List | ast.Tuple) and len(args) == len(stores.elts) > 1:
                kept = ", ".join(source.written(each) for each in stores.elts[:-1])
                yield {source: [source.swap(stores, f"[{kept}]")], agent.source: [agent.source.mark(args[-1])]}


def a_type_that_is_not_imported(project: Project) -> Edits:
    for one, arg in project.asking("State"):
        assert isinstance(arg.annotation, ast.Subscript)
        yield {
            one.source: [
                one.source.imported(FOR_TYPES),
                one.source.mark(arg),
                one.source.swap(arg.annotation, f'"TheState[{one.source.written(arg.annotation.slice)}]"'),
            ]
        }


def the_state_as_args(project: Project) -> Edits:
    for agent in project.declared("Agent"):
        if not agent.is_made_with:
            yield asking_in_constructor(agent, "*shared: TheState[object]")


def two_things_at_once(project: Project) -> Edits:
    for one, arg in project.asking("State"):
        assert isinstance(arg.annotation, ast.Subscript)
        state = one.source.written(arg.annotation.slice)
        yield {
            one.source: [
                one.source.imported("import typing"),
                one.source.imported("from thena_runtime import context as the_context, state as the_state"),
                one.source.mark(arg),
                one.source.swap(arg.annotation, f"typing.Annotated[{state}, the_state(), the_context()]"),
            ]
        }


def the_state_without_its_marker(project: Project) -> Edits:
    return _states_without_marker(project, is_plain=False)


def a_plain_state_without_its_marker(project: Project) -> Edits:
    return _states_without_marker(project, is_plain=True)


def _states_without_marker(project: Project, *, is_plain: bool) -> Edits:
    """Where a tool is given the state; a plain class is one that no model can be told about."""
    plain = {
        node.name
        for source in project.sources
        for node in source.tree.body
        if isinstance(node, ast.ClassDef) and not node.bases and not node.decorator_list
    }
    for one, arg in project.asking("State"):
        assert isinstance(arg.annotation, ast.Subscript)
        if one.method("execute") is not None and (last_name(arg.annotation.slice) in plain) is is_plain:
            yield {
                one.source: [
                    one.source.mark(arg),
                    one.source.swap(arg.annotation, one.source.written(arg.annotation.slice)),
                ]
            }


def another_data(project: Project) -> Edits:
    has_data = any(each.arg == "data" for _, call in project.calls("Thena") for each in call.keywords)
    for one, arg in project.asking("Context") if has_data else ():
        assert isinstance(arg.annotation, ast.Subscript)
        yield {
            one.source: [
                one.source.imported(OTHER),
                one.source.mark(arg),
                one.source.swap(arg.annotation.slice, "Elsewhere"),
            ]
        }

"""Faults of what a model fills in, and of hooks."""

import ast
from collections.abc import Iterator

from tests.support.planting.source import (
    HOOKS,
    MARK,
    Declared,
    Edit,
    Edits,
    Function,
    Project,
    Source,
    after_self,
    all_args,
    into_class,
    self_of,
    simple_arguments,
)


def an_input_that_is_no_model(project: Project) -> Edits:
    for one, arg in project.asking("Input"):
        assert isinstance(arg.annotation, ast.Subscript)
        if one.option("schema") is None:
            edit = one.source.swap(arg.annotation.slice, "int")
            yield {one.source: [one.source.mark(arg), edit]}


def an_argument_without_annotation(project: Project) -> Edits:
    for tool, arg in simple_arguments(project):
        yield {tool.source: [tool.source.swap(arg, f"{MARK}{arg.arg}")]}


def an_argument_without_a_schema(project: Project) -> Edits:
    for tool, arg in simple_arguments(project):
        assert arg.annotation is not None
        edits = [tool.source.imported("import sqlite3 as sqlite"), tool.source.mark(arg)]
        yield {tool.source: [*edits, tool.source.swap(arg.annotation, "sqlite.Connection")]}


def a_tool_of_any_arguments(project: Project) -> Edits:
    for tool in project.declared("Tool"):
        method = tool.method("execute")
        if method is None or method.decorator_list or method.args.kwarg or tool.option("schema"):
            continue
        if method.args:
            last = all_args(method)[-1:] or [self_of(method)]
            default = [*method.args.kw_defaults, *method.args.defaults][-1:]
            if default and default[0] is not None:
                continue
            at = tool.source.end(last[0])
            yield {tool.source: [Edit(at, at, f", {MARK}**options: str")]}


def _yielding(source: Source, method: Function) -> list[Edit]:
    """Turn the value that is returned into one that is yielded."""
    name = source.text.index(method.name, source.start(method))
    last = method.body[-1]
    indent = " " * last.col_offset
    is_inline = last.lineno == method.lineno
    at = source.start(last)
    return [Edit(name, name, MARK)] if is_inline else [Edit(name, name, MARK), Edit(at, at, f"yield 1\n{indent}")]


def a_generator_as_tool(project: Project) -> Edits:
    for tool in project.declared("Tool"):
        method = tool.method("execute")
        if isinstance(method, ast.FunctionDef) and not method.decorator_list:
            yield {tool.source: _yielding(tool.source, method)}


def a_generator_as_hook(project: Project) -> Edits:
    for agent, method in _hooks(project):
        if isinstance(method, ast.FunctionDef) and method.body[-1].lineno != method.lineno:
            yield {agent.source: _yielding(agent.source, method)}


def _hooks(project: Project) -> Iterator[tuple[Declared, Function]]:
    for agent in project.declared("Agent"):
        for name in HOOKS:
            method = agent.method(name)
            if method is not None and not method.decorator_list:
                yield agent, method


def a_hook_that_wants_more(project: Project) -> Edits:
    for agent, method in _hooks(project):
        yield {agent.source: [after_self(agent.source, method, f"{MARK}before: str, after: str")]}


def a_run_beside_hooks(project: Project) -> Edits:
    for agent, method in _hooks(project):
        others = [each for _, each in _hooks(project) if each in agent.node.body]
        if others[0] is not method or agent.node.bases:
            continue
        marks = [agent.source.mark(each) for each in others]
        text = "async def run(self, input: str, ctx: object) -> str:\n    return input"
        yield {agent.source: [*marks, into_class(agent, text)]}


def a_misspelt_hook(project: Project) -> Edits:
    for agent, method in _hooks(project):
        if agent.node.bases:
            continue  # a base may have the hook, and this is then a method beside it
        at = agent.source.text.index(method.name, agent.source.start(method))
        words = method.name.split("_")
        for text in (method.name[:-1], words[0] + "".join(word.title() for word in words[1:])):
            yield {agent.source: [Edit(at, at + len(method.name), f"{MARK}{text}")]}


def the_context_first(project: Project) -> Edits:
    for agent, method in _hooks(project):
        first = all_args(method)[0]
        edit = agent.source.imported("from thena_runtime import Context as TheContext")
        yield {agent.source: [edit, agent.source.swap(first, f"{MARK}{first.arg}: TheContext")]}

"""Faults of the state, and of what the code of agents and tools does."""

import ast
from collections.abc import Iterator

from tests.support.planting.source import (
    HOOKS,
    MARK,
    Edit,
    Edits,
    Function,
    Project,
    Source,
    all_args,
    into_class,
    last_name,
    until_of,
)


def _states(project: Project) -> Iterator[tuple[Source, ast.ClassDef, list[tuple[Source, ast.expr]]]]:
    """The classes of states, and where workflows name them."""
    uses: dict[str, list[tuple[Source, ast.expr]]] = {}
    for flow in project.declared("Workflow"):
        state = flow.option("state")
        if state is not None and (name := last_name(state)) is not None:
            uses.setdefault(name, []).append((flow.source, state))
    for source in project.sources:
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and node.name in uses:
                yield source, node, uses[node.name]


def a_state_that_needs_something(project: Project) -> Edits:
    for source, node, _ in _states(project):
        if node.bases or node.decorator_list or "def __init__" in source.written(node):
            continue
        edits: dict[Source, list[Edit]] = {}
        text = "\n\n    def __init__(self, name: str) -> None:\n        self.named = name"
        edits.setdefault(source, []).append(Edit(source.end(node), source.end(node), text))
        # A class that inherits from it needs the same.
        for flow in project.declared("Workflow"):
            if (state := flow.option("state")) is not None:
                edits.setdefault(flow.source, []).append(flow.source.mark(state))
        yield edits


def a_frozen_state(project: Project) -> Edits:
    for source, node, uses in _states(project):
        for decorator in node.decorator_list:
            if last_name(decorator) == "dataclass" and "pydantic" not in source.text:
                edits: dict[Source, list[Edit]] = {source: [source.swap(decorator, "dataclass(frozen=True)")]}
                for user, state in uses:
                    edits.setdefault(user, []).append(user.mark(state))
                yield edits


def a_misspelt_field(project: Project) -> Edits:
    for _, node, _ in _states(project):
        fields = {
            one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
        }
        for source, reading in _readings(project, node.name):
            if reading.attr in fields:
                yield {source: [source.swap(reading, f"{MARK}{source.written(reading)}x")]}


def _readings(project: Project, state: str) -> Iterator[tuple[Source, ast.Attribute]]:
    """Where a tool reads or writes a field of the state that it is given."""
    for tool, arg in project.asking("State"):
        method = tool.method("execute")
        assert isinstance(arg.annotation, ast.Subscript)
        if method is None or ast.unparse(arg.annotation.slice) != state:
            continue
        for node in ast.walk(method):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == arg.arg:
                yield tool.source, node


def _async_bodies(project: Project) -> Iterator[tuple[Source, ast.AsyncFunctionDef]]:
    for decorator, names in (("Agent", HOOKS), ("Tool", ("execute",))):
        for one in project.declared(decorator):
            for name in names:
                method = one.method(name)
                if isinstance(method, ast.AsyncFunctionDef) and method.body[0].lineno != method.lineno:
                    yield one.source, method


def _before_last(source: Source, method: Function, text: str) -> Edit:
    """Write a statement before the last one of a function."""
    last = method.body[-1]
    return Edit(source.start(last), source.start(last), f"{text}\n{' ' * last.col_offset}")


def a_sleep_that_blocks(project: Project) -> Edits:
    for source, method in _async_bodies(project):
        yield {source: [source.imported("import time as clock"), _before_last(source, method, f"{MARK}clock.sleep(1)")]}


def a_bucket_that_is_not_there(project: Project) -> Edits:
    for source, method, ctx in _with_context(project):
        yield {source: [_before_last(source, method, f'{ctx}.state.append({MARK}"notes", "seen")')]}


def _with_context(project: Project) -> Iterator[tuple[Source, Function, str]]:
    for decorator, names in (("Agent", HOOKS), ("Tool", ("execute",))):
        for one in project.declared(decorator):
            for name in names:
                method = one.method(name)
                if method is None or method.decorator_list or method.body[0].lineno == method.lineno:
                    continue
                for arg in all_args(method):
                    annotation = arg.annotation.value if isinstance(arg.annotation, ast.Subscript) else arg.annotation
                    if annotation is not None and last_name(annotation) == "Context":
                        yield one.source, method, arg.arg


def a_key_that_the_model_reads(project: Project) -> Edits:
    for source, method, ctx in _with_context(project):
        told = f'{ctx}.state.append("memory", {MARK}system.environ["API_KEY"])'
        yield {source: [source.imported("import os as system"), _before_last(source, method, told)]}


def a_name_that_the_runtime_owns(project: Project) -> Edits:
    for source, method, ctx in _with_context(project):
        yield {source: [_before_last(source, method, f"{MARK}{ctx}.output = 1")]}


def a_list_for_all_runs(project: Project) -> Edits:
    for decorator in ("Agent", "Tool"):
        for one in project.declared(decorator):
            if not one.node.bases and len(one.node.decorator_list) == 1:
                method = "def keep(self, text: str) -> None:\n    self.kept.append(text)"
                yield {one.source: [into_class(one, f"{MARK}kept: list[str] = []\n\n{method}")]}


def a_cancellation_that_is_swallowed(project: Project) -> Edits:
    for source, method in _async_bodies(project):
        last = method.body[-1]
        is_simple = isinstance(last, ast.Expr | ast.Assign | ast.Return)
        if is_simple and any(isinstance(node, ast.Await) for node in ast.walk(last)):
            lines = ["try:", f"    {source.written(last)}", f"{MARK}except BaseException:", "    return None"]
            yield {source: [source.swap(last, f"\n{' ' * last.col_offset}".join(lines))]}


def a_run_that_nobody_awaits(project: Project) -> Edits:
    for source in project.sources:
        for function in source.tree.body:
            if isinstance(function, ast.AsyncFunctionDef):
                for call in _runs(function):
                    yield {source: [_before_last(source, function, f"{MARK}{source.written(call)}")]}


def a_comment_with_a_code_that_is_not_there(project: Project) -> Edits:
    return _comments(project, "THN299")


def a_comment_about_nothing(project: Project) -> Edits:
    return _comments(project, "THN108")


def _comments(project: Project, code: str) -> Edits:
    for option, decorator in (("prompt", "Agent"), ("name", "Tool")):
        for one in project.declared(decorator):
            value = one.option(option)
            if value is not None:
                at = one.source.text.index("\n", one.source.end(value))
                if "#" not in one.source.text[one.source.end(value) : at]:
                    yield {one.source: [Edit(at, at, f"  {MARK}# thena: ignore[{code}]")]}


def _runs(function: ast.AsyncFunctionDef) -> Iterator[ast.Call]:
    """Where a function awaits `app.run(...)`."""
    for node in ast.walk(function):
        match node:
            case ast.Await(value=ast.Call(func=ast.Attribute(value=ast.Name(id="app"), attr="run")) as call):
                yield call


def an_until_that_answers_nothing(project: Project) -> Edits:
    for source, call in project.loops():
        if (until := until_of(call)) is not None:
            text = 'def finished(ctx: object) -> None:\n    print("asked")\n\n'
            yield {source: [source.imported(text), source.swap(until, f"{MARK}finished")]}


def an_until_that_is_always_true(project: Project) -> Edits:
    for source, call in project.loops():
        if (until := until_of(call)) is not None:
            yield {source: [source.swap(until, f"{MARK}lambda ctx: True")]}

"""A project's source as what a planter rewrites: its declarations, its loops, and where each part stands."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias

MARK: Final = "\ue000"
"""Stands before what is at fault in a planted text."""

HOOKS: Final = ("before_prompt", "before_tool", "after_tool", "after_response", "on_error")
OTHER: Final = "class Elsewhere:\n    pass\n\n"
"""A class that is no state and no data of anything."""

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Node: TypeAlias = ast.expr | ast.stmt | ast.keyword | ast.arg

_LATER: Final = (Function, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of a file's text that is to be another."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, eq=False)
class Source:
    """A Python file of a project, and where its parts stand."""

    path: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """What the text says."""
        return ast.parse(self.text)

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        return starts

    def offset(self, line: int, column: int) -> int:
        """A position of the tree, whose columns count bytes, as one of the text."""
        start = self._starts[line - 1]
        text = self.text[start : self._starts[line]] if line < len(self._starts) else ""
        return start + len(text.encode()[:column].decode())

    def start(self, node: Node) -> int:
        """Where a part begins."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: Node) -> int:
        """Where a part ends."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.offset(node.end_lineno, node.end_col_offset)

    def written(self, node: Node) -> str:
        """A part as it is written."""
        return self.text[self.start(node) : self.end(node)]

    def swap(self, node: Node, text: str) -> Edit:
        """Something else in the place of a part."""
        return Edit(self.start(node), self.end(node), text)

    def mark(self, node: Node) -> Edit:
        """The mark before a part."""
        return Edit(self.start(node), self.start(node), MARK)

    def imported(self, statement: str) -> Edit:
        """A statement before everything but the docstring and the futures."""
        line = 0
        for there in self.tree.body:
            if isinstance(there, ast.ImportFrom) and there.module == "__future__":
                line = there.end_lineno or 0
            elif not (isinstance(there, ast.Expr) and isinstance(there.value, ast.Constant)):
                break
            else:
                line = there.end_lineno or 0
        at = self._starts[line]
        return Edit(at, at, f"{statement}\n")


@dataclass(frozen=True, eq=False)
class Declared:
    """A class with one of Thena's decorators."""

    source: Source
    node: ast.ClassDef
    call: ast.Call

    @property
    def name(self) -> str:
        """The class's name."""
        return self.node.name

    def option(self, name: str) -> ast.expr | None:
        """What the decorator is given by this name."""
        return next((keyword.value for keyword in self.call.keywords if keyword.arg == name), None)

    def method(self, name: str) -> Function | None:
        """The class's own method of this name."""
        for each in self.node.body:
            if isinstance(each, Function) and each.name == name:
                return each
        return None

    @property
    def is_made_with(self) -> bool:
        """Whether making an object of it needs something, as far as its own body and bases tell."""
        return bool(self.node.bases) or self.method("__init__") is not None or len(self.node.decorator_list) > 1


@dataclass(frozen=True, eq=False)
class Project:
    """A project of the corpus, its sources parsed."""

    folder: Path
    sources: tuple[Source, ...]

    @classmethod
    def read(cls, folder: Path) -> "Project":
        """Read what lies in a folder."""
        return cls(
            folder,
            tuple(
                Source(path.relative_to(folder).as_posix(), path.read_text(encoding="utf-8"))
                for path in sorted(folder.rglob("*.py"))
                # What stands in a project's tests is made by functions, and no app that is run has it.
                if "tests" not in path.relative_to(folder).parts
            ),
        )

    def declared(self, decorator: str) -> Iterator[Declared]:
        """The classes with a decorator that stand in modules; those that functions make are start-up's to see."""
        for source in self.sources:
            for node in source.tree.body:
                if isinstance(node, ast.ClassDef):
                    for call in node.decorator_list:
                        if isinstance(call, ast.Call) and last_name(call.func) == decorator:
                            yield Declared(source, node, call)

    def loops(self) -> Iterator[tuple[Source, ast.Call]]:
        """The calls of `loop` that stand in modules, outside functions and comprehensions."""
        for source in self.sources:
            for node in at_import(source.tree):
                if isinstance(node, ast.Call) and last_name(node.func) == "loop":
                    yield source, node

    def calls(self, name: str) -> Iterator[tuple[Source, ast.Call]]:
        """Every call of this name."""
        for source in self.sources:
            for node in ast.walk(source.tree):
                if isinstance(node, ast.Call) and last_name(node.func) == name:
                    yield source, node

    def asking(self, marker: str) -> Iterator[tuple[Declared, ast.arg]]:
        """The parameters of agents' constructors and tools' `execute` whose annotation is `marker[...]`."""
        for decorator, name in (("Agent", "__init__"), ("Tool", "execute")):
            for one in self.declared(decorator):
                method = one.method(name)
                for arg in () if method is None else all_args(method):
                    if isinstance(arg.annotation, ast.Subscript) and last_name(arg.annotation.value) == marker:
                        yield one, arg


Edits: TypeAlias = Iterator[Mapping[Source, Sequence[Edit]]]
"""What a planter does: for each place where it applies, the files that are rewritten."""


def at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """Everything below a node that is run once, when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        if not isinstance(node, _LATER):
            yield node
            yield from at_import(node)


def last_name(node: ast.expr) -> str | None:
    """`loop` for `loop` and for `thena_runtime.loop`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return None


def all_args(method: Function) -> list[ast.arg]:
    """The parameters without `self`."""
    args = method.args
    return [*args.posonlyargs, *args.args, *args.kwonlyargs][1:]


def self_of(method: Function) -> ast.arg:
    """The parameter `self`."""
    return [*method.args.posonlyargs, *method.args.args][0]


def first_in(source: Source, call: ast.Call, text: str) -> Edit:
    """Write something as the first argument of a call."""
    at = source.text.index("(", source.end(call.func)) + 1
    return Edit(at, at, f"{text}, " if call.args or call.keywords else text)


def without(source: Source, call: ast.Call, name: str) -> Edit:
    """Take an argument out of a call."""
    kept = [source.written(each) for each in call.args]
    kept += [source.written(each) for each in call.keywords if each.arg != name]
    return Edit(source.end(call.func), source.end(call), f"({', '.join(kept)})")


def with_option(source: Source, call: ast.Call, name: str, text: str) -> Edit:
    """Give an argument of a call this value, whatever it had."""
    there = next((each.value for each in call.keywords if each.arg == name), None)
    if there is not None:
        return source.swap(there, f"{MARK}{text}")
    ended = source.text[: source.end(call) - 1].rstrip()
    lead = " " if ended.endswith(",") else ", " if call.args or call.keywords else ""
    return Edit(source.end(call) - 1, source.end(call) - 1, f"{lead}{name}={MARK}{text}")


def into_list(source: Source, node: ast.expr | None, text: str) -> Edit | None:
    """Write something as the first element of a list that stands there."""
    if not isinstance(node, ast.List | ast.Tuple):
        return None
    at = source.start(node) + 1
    return Edit(at, at, f"{text}, " if node.elts else text)


def marked_name(one: Declared) -> Edit:
    """The mark before the class's name."""
    at = one.source.text.index(one.name, one.source.start(one.node) + len("class"))
    return Edit(at, at, MARK)


def into_class(one: Declared, text: str) -> Edit:
    """Write something at the end of a class's body."""
    source, last = one.source, one.node.body[-1]
    indent = " " * (one.node.col_offset + 4)
    lines = "\n".join(f"{indent}{line}" if line else "" for line in text.split("\n"))
    if last.lineno == one.node.lineno or (isinstance(last, ast.Expr | ast.Pass) and len(one.node.body) == 1):
        first = one.node.body[0]
        # A body on the class's own line, or one that says nothing.
        at = source.text.rindex(":", 0, source.start(first)) + 1
        kept = f"\n{indent}{source.written(first)}\n" if ast.get_docstring(one.node) is not None else ""
        return Edit(at, source.end(last), f"{kept}\n{lines}")
    return Edit(source.end(last), source.end(last), f"\n\n{lines}")


def after_self(source: Source, method: Function, text: str) -> Edit:
    """Write a parameter behind `self`."""
    at = source.end(self_of(method))
    return Edit(at, at, f", {text}")


def asking_in_constructor(one: Declared, parameter: str) -> Mapping[Source, Sequence[Edit]]:
    """Give a class a constructor with one parameter, whose annotation may have a name such as `TheState`."""
    name = parameter.lstrip("*").partition(":")[0]
    marker = parameter.partition("The")[2].partition("[")[0]
    edits = [into_class(one, f"def __init__(self, {MARK}{parameter}) -> None:\n    self.{name} = {name}")]
    if marker:
        edits.append(one.source.imported(f"from thena_runtime import {marker} as The{marker}"))
    return {one.source: edits}


def until_of(call: ast.Call) -> ast.expr | None:
    """The condition of a loop."""
    return next((each.value for each in call.keywords if each.arg == "until"), None)


def simple_arguments(project: Project) -> Iterator[tuple[Declared, ast.arg]]:
    """The arguments of a simple type that a model fills in."""
    for tool in project.declared("Tool"):
        method = tool.method("execute")
        if method is None or tool.option("schema") is not None or method.decorator_list:
            continue
        for arg in all_args(method):
            if isinstance(arg.annotation, ast.Name) and arg.annotation.id in ("str", "int", "float"):
                yield tool, arg

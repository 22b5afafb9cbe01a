"""What a file does with a name beside declaring it: is it changed in place, handed to a call, bound from elsewhere?

A list that something may have changed is no longer what it was written as. So a list counts as known only while nothing
but declarations mention it; of a class only what sets its attributes counts. Function bodies are looked at for this
alone, as nobody knows when they run. Left out on purpose: what another file does to a name that it imports from here.
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from typing import Final

import libcst

from thena_lint.summary.expressions import Expression, read

_REMEMBERED: Final = 1024
_LAYOUT: Final = (
    *("whitespace", "leading", "lpar", "rpar", "lbracket", "rbracket", "lbrace", "rbrace", "comma", "equal", "dot"),
    *("semicolon", "header", "footer", "trailing", "colon", "indent", "operator", "attr", "keyword"),
)
"""Fields of tree nodes that hold no name that is read: layout, and names of something else."""

SETTERS: Final = frozenset({"setattr", "delattr"})
_NAMESPACES: Final = frozenset({"globals", "locals", "vars"})
_EXECUTE: Final = "exec"


@dataclass(frozen=True, slots=True)
class Body:
    """What a function may do when it runs: names that it mentions, binds outside itself, or sets attributes of."""

    mentioned: frozenset[str]
    rebound: frozenset[str]
    patched: frozenset[tuple[str, str]]
    """The name, and the attribute; empty for any."""


@dataclass(slots=True)
class Uses:
    """What was seen so far in one scope. It lives as long as one walk, which alone changes it.

    Names may be dotted: `steps.FIRST`. `mentioned` are those of function bodies, `passed` are handed to a call, with
    what is called. `assigned` are bound by `:=`, `rebound` by a function that says `global`. Where the scope
    `is_opaque`, any of its names may be anything.
    """

    changed: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)
    passed: dict[str, set[Expression]] = field(default_factory=dict)
    aliases: set[tuple[str, str]] = field(default_factory=set)
    patched: set[tuple[str, str]] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    assigned: set[str] = field(default_factory=set)
    is_opaque: bool = False

    def alias(self, name: str, node: libcst.CSTNode) -> None:
        """Take note of a second name for what a name stands for."""
        other = dotted(node)
        if other is not None:
            self.aliases.add((name, other))

    def add(self, inner: "Uses", own: Container[str]) -> None:
        """Take over what a class body does with names that aren't its own."""
        self.changed |= {name for name in inner.changed if root(name) not in own}
        self.mentioned |= inner.mentioned
        self.patched |= {patch for patch in inner.patched if patch[0] not in own}
        self.rebound |= inner.rebound
        for name, callees in inner.passed.items():
            if root(name) not in own:
                self.passed.setdefault(name, set()).update(callees)

    def settle(self) -> None:
        """What happens to an alias happens to what it stands for."""
        waiting = True
        while waiting:
            waiting = False
            for alias, name in self.aliases:
                if alias in self.changed and name not in self.changed:
                    self.changed.add(name)
                    waiting = True
                new = self.passed.get(alias, set()) - self.passed.get(name, set())
                if new:
                    self.passed.setdefault(name, set()).update(new)
                    waiting = True

    def look(self, node: libcst.CSTNode) -> None:
        """Take note of an expression that is evaluated at import."""
        match node:
            case libcst.Name():
                pass
            case libcst.Attribute(value=value):
                self._change(value)
                self.is_opaque = self.is_opaque or is_namespace(value)
                self.look(value)
            case libcst.Call():
                self._call(node)
            case libcst.NamedExpr(target=target, value=value):
                self.assigned.update(names_in(target))
                self.escape(value)
            case libcst.List() | libcst.Tuple() | libcst.Set():
                for element in node.elements:
                    # What is spread is copied.
                    (self.look if isinstance(element, libcst.StarredElement) else self.escape)(element.value)
            case libcst.BinaryOperation(left=left, right=right):
                self.look(left)
                self.look(right)
            case libcst.Subscript(value=value, slice=slices):
                self.look(value)
                for one in slices:
                    self.lose(one)
            case _:
                self.lose(node)

    def escape(self, node: libcst.CSTNode) -> None:
        """Take note of a value that something else holds from now on."""
        self._change(node)
        self.look(node)

    def postpone(self, node: libcst.FunctionDef) -> None:
        """Take note of a function, which may run at any time. A parameter hides what has its name outside."""
        body = body_of(node.body)
        own = {one.name.value for one in descend(node.params) if isinstance(one, libcst.Param)}
        self.mentioned |= body.mentioned - own
        self.patched |= body.patched
        self.rebound |= body.rebound

    def lose(self, node: libcst.CSTNode) -> None:
        """Take note of code that may do anything with the names in it."""
        body = body_of(node)
        self.changed |= body.mentioned
        self.patched |= body.patched
        for inner in descend(node):
            if isinstance(inner, libcst.NamedExpr):
                self.assigned.update(names_in(inner.target))

    def _change(self, node: libcst.CSTNode) -> None:
        name = dotted(node)
        if name is not None:
            self.changed.add(name)

    def _call(self, node: libcst.Call) -> None:
        function = node.func
        if isinstance(function, libcst.Name):
            self.is_opaque = self.is_opaque or function.value == _EXECUTE
            if function.value in SETTERS:
                self.patched |= _patched_by_call(node)
        self.look(function)
        for argument in node.args:
            name = dotted(argument.value)
            if name is not None and argument.star != "*":
                self.passed.setdefault(name, set()).add(read(function))
            self.look(argument.value)


@lru_cache(maxsize=_REMEMBERED)
def body_of(node: libcst.CSTNode) -> Body:
    """What a function does when it runs, or any other code of which it isn't known when it does."""
    mentioned: set[str] = set()
    rebound: set[str] = set()
    patched: set[tuple[str, str]] = set()
    for inner in descend(node):
        match inner:
            case libcst.Name(value=name):
                mentioned.add(name)
            case libcst.Global(names=names):
                rebound.update(one.name.value for one in names)
            case libcst.AssignTarget(target=target) | libcst.AnnAssign(target=target) | libcst.AugAssign(target=target):
                patched |= _patched_by_target(target)
            case libcst.Del(target=target):
                patched |= _patched_by_target(target)
            case libcst.Call(func=libcst.Name(value=function)) if function in SETTERS:
                patched |= _patched_by_call(inner)
    return Body(frozenset(mentioned), frozenset(rebound), frozenset(patched))


def _patched_by_target(target: libcst.CSTNode) -> set[tuple[str, str]]:
    match target:
        case libcst.Attribute(value=libcst.Name(value=name), attr=libcst.Name(value=attribute)):
            return {(name, attribute)}
        case libcst.Tuple() | libcst.List():
            return {patch for element in target.elements for patch in _patched_by_target(element.value)}
    return set()


def _patched_by_call(call: libcst.Call) -> set[tuple[str, str]]:
    match [argument.value for argument in call.args]:
        case [libcst.Name(value=name), libcst.SimpleString() as attribute, *_]:
            return {(name, attribute.raw_value)}
        case [libcst.Name(value=name), *_]:
            return {(name, "")}
    return set()


def descend(node: libcst.CSTNode) -> Iterator[libcst.CSTNode]:
    """A node and all below it that may hold a name. libcst's own visitors take twenty times as long."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        if type(one) is not libcst.Name:
            for name in _fields(type(one)):
                value = getattr(one, name)
                if isinstance(value, libcst.CSTNode):
                    waiting.append(value)
                elif isinstance(value, list | tuple):
                    waiting.extend(value)


@cache
def _fields(kind: type[libcst.CSTNode]) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind) if not one.name.startswith(_LAYOUT))


def names_in(node: libcst.CSTNode) -> Iterator[str]:
    """Every name in an expression or target."""
    return (one.value for one in descend(node) if isinstance(one, libcst.Name))


def is_namespace(node: libcst.CSTNode) -> bool:
    """Say whether this is `globals()` or the like, through which any name can be bound."""
    return isinstance(node, libcst.Call) and not node.args and dotted(node.func) in _NAMESPACES


def root(name: str) -> str:
    """The first part of a dotted name."""
    return name.partition(".")[0]


def dotted(node: libcst.CSTNode) -> str | None:
    """A name or dotted name as it is written; `None` for any other code."""
    match node:
        case libcst.Name(value=name):
            return name
        case libcst.Attribute(value=inner, attr=libcst.Name(value=name)):
            owner = dotted(inner)
            return None if owner is None else f"{owner}.{name}"
    return None

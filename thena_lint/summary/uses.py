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

from thena_contract.frozen import frozen
from thena_lint.summary.expressions import Expression, read, text_of

_REMEMBERED: Final = 1024
_LAYOUT: Final = (
    *("whitespace", "leading", "lpar", "rpar", "lbracket", "rbracket", "lbrace", "rbrace", "comma", "equal", "dot"),
    *("semicolon", "header", "footer", "trailing", "colon", "indent", "operator", "attr", "keyword"),
)
"""Fields of tree nodes that hold no name that is read: layout, and names of something else."""

_TELLING: Final = frozenset(
    {
        *(libcst.Name, libcst.Attribute, libcst.SimpleString, libcst.ConcatenatedString, libcst.FormattedStringText),
        *(libcst.Arg, libcst.Global, libcst.AssignTarget, libcst.AnnAssign, libcst.AugAssign, libcst.Del, libcst.Call),
        libcst.Yield,
    }
)
"""The kinds of nodes that say something of what a body does."""

SETTERS: Final = frozenset({"setattr", "delattr"})
_SETTING_METHODS: Final = frozenset({"__setattr__", "__delattr__"})
_DECLARED: Final = "__thena__"
_NAMESPACES: Final = frozenset({"globals", "locals", "vars"})
_GLOBALS: Final = "globals"
_EXECUTE: Final = "exec"
_LONGEST_WORD: Final = 64
"""How long a text may be that names something, with its quotes."""


@frozen(kw_only=True)
class Body:
    """What a function may do when it runs: names that it mentions, binds outside itself, or sets attributes of.

    `attributes` are all that it reads or sets, of whatever object. `words` are texts in it, and names of keywords.
    `has_yield` says that it or a function in it yields.
    """

    mentioned: frozenset[str]
    attributes: frozenset[str]
    words: frozenset[str]
    rebound: frozenset[str]
    patched: frozenset[tuple[str, str]]
    """The name, and the attribute; empty for any."""

    binds_any: bool
    """It uses `globals()`, through which any name of the file can be bound."""
    has_yield: bool

    @property
    def spoken_of(self) -> frozenset[str]:
        """Every word in it that may name something."""
        return self.mentioned | self.attributes | self.words


@dataclass(slots=True)
class Uses:
    """What was seen so far in one scope. It lives as long as one walk, which alone changes it.

    Names may be dotted: `steps.FIRST`. `mentioned` and `attributes` are those of function bodies, `passed` are handed
    to a call, with what is called. Code in functions may mean anything by what is `spoken_of`. `assigned` are bound by
    `:=`, `rebound` by a function that says `global`; something else was put into `forgotten` ones. Where the
    scope `is_opaque`, any of its names may be anything.
    """

    changed: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    spoken_of: set[str] = field(default_factory=set)
    forgotten: set[str] = field(default_factory=set)
    passed: dict[str, set[Expression]] = field(default_factory=dict)
    aliases: set[tuple[str, str]] = field(default_factory=set)
    patched: set[tuple[str, str]] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    assigned: set[str] = field(default_factory=set)
    is_opaque: bool = False
    binds_any: bool = False
    """A function or class in it uses `globals()`."""

    def alias(self, name: str, node: libcst.CSTNode) -> None:
        """Take note of a second name for what a name stands for."""
        other = dotted(node)
        if other is not None:
            self.aliases.add((name, other))

    def add(self, inner: "Uses", own: Container[str]) -> None:
        """Take over what a class body does with names that aren't its own."""
        self.changed |= {name for name in inner.changed if root(name) not in own}
        self.forgotten |= {name for name in inner.forgotten if name not in own}
        self.mentioned |= inner.mentioned
        self.attributes |= inner.attributes
        self.patched |= {patch for patch in inner.patched if patch[0] not in own}
        self.rebound |= inner.rebound
        self.binds_any = self.binds_any or inner.binds_any
        for name, callees in inner.passed.items():
            if root(name) not in own:
                self.passed.setdefault(name, set()).update(callees)

    def join(self, other: "Uses") -> None:
        """Take over what another statement of the same scope does with names."""
        self.changed |= other.changed
        self.mentioned |= other.mentioned
        self.attributes |= other.attributes
        self.spoken_of |= other.spoken_of
        self.forgotten |= other.forgotten
        self.aliases |= other.aliases
        self.patched |= other.patched
        self.rebound |= other.rebound
        self.assigned |= other.assigned
        self.is_opaque = self.is_opaque or other.is_opaque
        self.binds_any = self.binds_any or other.binds_any
        for name, callees in other.passed.items():
            self.passed.setdefault(name, set()).update(callees)

    def settle(self) -> None:
        """What happens to an alias happens to what it stands for."""
        before = -1
        while before != (before := self._size()):
            for alias, name in self.aliases:
                if alias in self.changed:
                    self.changed.add(name)
                if alias in self.forgotten:
                    self.forgotten.add(name)
                self.patched |= {(name, attribute) for patched, attribute in self.patched if patched == alias}
                if alias in self.passed:
                    self.passed.setdefault(name, set()).update(self.passed[alias])

    def _size(self) -> int:
        passed = sum(map(len, self.passed.values()))
        return len(self.changed) + len(self.forgotten) + len(self.patched) + passed

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
        self.mentioned |= body.mentioned - names_of_parameters(node.params)
        self.attributes |= body.attributes
        self.spoken_of |= body.spoken_of - {node.name.value}
        self.patched |= body.patched
        self.rebound |= body.rebound
        self.binds_any = self.binds_any or body.binds_any

    def lose(self, node: libcst.CSTNode) -> None:
        """Take note of code that may do anything with the names in it."""
        body = body_of(node)
        self.changed |= body.mentioned
        self.attributes |= body.attributes
        self.spoken_of |= body.spoken_of
        self.patched |= body.patched
        self.binds_any = self.binds_any or body.binds_any
        for inner in descend(node):
            if isinstance(inner, libcst.NamedExpr):
                self.assigned.update(names_in(inner.target))

    def _change(self, node: libcst.CSTNode) -> None:
        name = dotted(node)
        if name is not None:
            self.changed.add(name)

    def _call(self, node: libcst.Call) -> None:
        function = node.func
        self.is_opaque = self.is_opaque or dotted(function) == _EXECUTE
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
    attributes: set[str] = set()
    words: set[str] = set()
    rebound: set[str] = set()
    patched: set[tuple[str, str]] = set()
    binds_any = False
    has_yield = False
    for inner in descend(node):
        # Each `case` that doesn't fit asks an abstract class, which takes longer than all else here.
        if type(inner) not in _TELLING:
            continue
        match inner:
            case libcst.Name(value=name):
                mentioned.add(name)
            case libcst.Attribute(attr=libcst.Name(value=attribute)):
                attributes.add(attribute)
            case libcst.SimpleString() if len(inner.value) > _LONGEST_WORD:
                pass
            case libcst.SimpleString() | libcst.ConcatenatedString():
                if (text := text_of(inner)) is not None:
                    words.add(text)
            case libcst.FormattedStringText(value=text):
                words.add(text)
            case libcst.Arg(keyword=libcst.Name(value=name)):
                words.add(name)
            case libcst.Global(names=names):
                rebound.update(one.name.value for one in names)
            case libcst.AssignTarget(target=target) | libcst.AnnAssign(target=target) | libcst.AugAssign(target=target):
                patched |= _patched_by_target(target)
            case libcst.Del(target=target):
                patched |= _patched_by_target(target)
            case libcst.Call():
                patched |= _patched_by_call(inner)
                binds_any = binds_any or dotted(inner.func) == _GLOBALS
            case libcst.Yield():
                has_yield = True
    return Body(
        mentioned=frozenset(mentioned),
        attributes=frozenset(attributes),
        words=frozenset(words),
        rebound=frozenset(rebound),
        patched=frozenset(patched),
        binds_any=binds_any,
        has_yield=has_yield,
    )


def patches_its_parameters(node: libcst.FunctionDef) -> bool:
    """Say whether a function may change what it is called with: it sets attributes of it, or declares it."""
    own = names_of_parameters(node.params)
    return any(name in own for name, _ in body_of(node.body).patched)


def yields(node: libcst.FunctionDef) -> bool:
    """Say whether a function is a generator: it yields itself, and not only a function inside it."""
    return body_of(node.body).has_yield and any(isinstance(one, libcst.Yield) for one in _own_code(node.body))


def _own_code(node: libcst.CSTNode) -> Iterator[libcst.CSTNode]:
    waiting = [node]
    while waiting:
        one = waiting.pop()
        yield one
        if not isinstance(one, libcst.FunctionDef | libcst.Lambda | libcst.ClassDef):
            waiting.extend(one.children)


def names_of_parameters(params: libcst.Parameters) -> set[str]:
    """The names of a function's parameters."""
    return {one.name.value for one in descend(params) if isinstance(one, libcst.Param)}


def _patched_by_target(target: libcst.CSTNode) -> set[tuple[str, str]]:
    match target:
        case libcst.Attribute(value=libcst.Name(value=name), attr=libcst.Name(value=attribute)):
            return {(name, attribute)}
        case libcst.Tuple() | libcst.List():
            return {patch for element in target.elements for patch in _patched_by_target(element.value)}
    return set()


def _patched_by_call(call: libcst.Call) -> set[tuple[str, str]]:
    """What `setattr(A, "name", ...)` sets, or `Agent(...)(A)`."""
    match call.func:
        case libcst.Call():
            return {(one.value.value, _DECLARED) for one in call.args if isinstance(one.value, libcst.Name)}
        case libcst.Name(value=function) if function not in SETTERS:
            return set()
        case libcst.Attribute(attr=libcst.Name(value=method)) if method not in _SETTING_METHODS:
            return set()
    match [argument.value for argument in call.args]:
        case [libcst.Name(value=name), libcst.SimpleString() as attribute, *_]:
            return {(name, attribute.raw_value)}
        case [libcst.Name(value=name), *_]:
            return {(name, "")}
    return set()


def descend(node: libcst.CSTNode, without: tuple[type[libcst.CSTNode], ...] = ()) -> Iterator[libcst.CSTNode]:
    """A node and all below it that may hold a name. libcst's own visitors take twenty times as long.

    What is `without` is left out, with all below it.
    """
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, without):
            continue
        yield one
        if type(one) is not libcst.Name:
            for name in fields_of(type(one)):
                value = getattr(one, name)
                if is_node(value.__class__):
                    waiting.append(value)
                elif isinstance(value, list | tuple):
                    waiting.extend(value)


@cache
def fields_of(kind: type[libcst.CSTNode]) -> tuple[str, ...]:
    """The fields of a kind of node that may hold a name."""
    return tuple(one.name for one in fields(kind) if not one.name.startswith(_LAYOUT))


@cache
def is_node(kind: type) -> bool:
    """Say whether objects of a class are nodes. `isinstance` asks an abstract class, again for each object."""
    return issubclass(kind, libcst.CSTNode)


def names_in(node: libcst.CSTNode) -> Iterator[str]:
    """Every name in an expression or target."""
    return (one.value for one in descend(node) if isinstance(one, libcst.Name))


def names_bound_by(pattern: libcst.MatchPattern) -> Iterator[str]:
    """The names that a pattern captures."""
    for one in descend(pattern):
        match one:
            case libcst.MatchAs(name=libcst.Name(value=name)) | libcst.MatchStar(name=libcst.Name(value=name)):
                yield name
            case libcst.MatchMapping(rest=libcst.Name(value=name)):
                yield name


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

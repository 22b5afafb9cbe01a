"""Tree -> facts: one walk over the statements that run at import. Function bodies are skipped.

A name bound once, or last without condition, stands for that; a name bound differently in branches is `UNKNOWN`.
The walk keeps the tree node beside each fact, and `spans` finds places with the same walk, so the two never differ.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

import libcst

from thena_contract.declarations import UNKNOWN, Unknown
from thena_lint.summary.expressions import Constant, Expression, parts, read, read_parameters
from thena_lint.summary.expressions import Sequence as SequenceExpression
from thena_lint.summary.facts import (
    Binding,
    ClassFacts,
    Field,
    FileFacts,
    FunctionFacts,
    Import,
    StarImport,
    Value,
)

_MUTATORS: Final = frozenset({"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update"})

_REMEMBERED: Final = 1024


@dataclass(frozen=True, slots=True)
class Bound:
    """The tree node that binds a name, and the number of the top-level statement that it stands in."""

    node: libcst.CSTNode
    statement: int


@dataclass
class _Trail:
    """Where a walk is, and which node bound what. Shared by the scopes of one walk, which alone changes it."""

    nodes: dict[str, Bound] = field(default_factory=dict)
    statement: int = 0


@dataclass
class _Scope:
    """The names bound so far in a module or class body. It lives as long as one walk, which alone changes it."""

    prefix: str
    trail: _Trail
    names: dict[str, Binding] = field(default_factory=dict)
    only_for_types: dict[str, tuple[Binding, Bound]] = field(default_factory=dict)
    stars: list[StarImport] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)

    def bind(self, name: str, binding: Binding, node: libcst.CSTNode, *, certain: bool) -> None:
        if not certain and name in self.names and self.names[name] != binding:
            binding = UNKNOWN
        self.names[name] = binding
        self.trail.nodes[self.prefix + name] = Bound(node, self.trail.statement)

    def forget(self, name: str) -> None:
        if name in self.names:
            self.names[name] = UNKNOWN


def collect(tree: libcst.Module) -> FileFacts:
    """The facts of a file."""
    scope = _walk_module(tree)
    return FileFacts(names=scope.names, stars=tuple(scope.stars), exports=_exports(scope.names))


def nodes_by_name(tree: libcst.Module) -> dict[str, Bound]:
    """What binds each qualified name of a file."""
    return _walk_module(tree).trail.nodes


def _walk_module(tree: libcst.Module) -> _Scope:
    scope = _Scope("", _Trail())
    for number, statement in enumerate(tree.body):
        scope.trail.statement = number
        _walk((statement,), scope, certain=True)
    _add_names_for_types(scope)
    return scope


def _add_names_for_types(scope: _Scope) -> None:
    """Names imported under `TYPE_CHECKING` count where nothing else binds them."""
    for name, (binding, bound) in scope.only_for_types.items():
        if name not in scope.names:
            scope.names[name] = binding
            scope.trail.nodes[scope.prefix + name] = bound


def _walk(body: Sequence[libcst.CSTNode], scope: _Scope, *, certain: bool) -> None:
    for statement in body:
        match statement:
            case libcst.SimpleStatementLine():
                for small in statement.body:
                    _bind_simple(small, scope, certain=certain)
            case libcst.ClassDef():
                scope.bind(statement.name.value, _class(statement, scope), statement, certain=certain)
            case libcst.FunctionDef():
                scope.bind(statement.name.value, _function(statement, scope.prefix), statement, certain=certain)
            case libcst.If():
                _walk_if(statement, scope, certain=certain)
            case libcst.Try() | libcst.TryStar():
                _walk(statement.body.body, scope, certain=certain and not statement.handlers)
                for handler in statement.handlers:
                    _walk(handler.body.body, scope, certain=False)
                if statement.orelse is not None:
                    _walk(statement.orelse.body.body, scope, certain=False)
                if statement.finalbody is not None:
                    _walk(statement.finalbody.body.body, scope, certain=certain)
            case libcst.With():
                for item in statement.items:
                    if item.asname is not None:
                        _bind_target(item.asname.name, None, statement, scope, certain=certain)
                _walk(statement.body.body, scope, certain=certain)
            case libcst.For() | libcst.While():
                if isinstance(statement, libcst.For):
                    _bind_target(statement.target, None, statement, scope, certain=certain)
                _walk(statement.body.body, scope, certain=False)
                if statement.orelse is not None:
                    _walk(statement.orelse.body.body, scope, certain=False)
            case libcst.Match():
                for case in statement.cases:
                    _walk(case.body.body, scope, certain=False)


def _walk_if(statement: libcst.If, scope: _Scope, *, certain: bool) -> None:
    if _is_type_checking(statement.test):
        # The checker's branch never runs: what it binds is kept apart, and the other branch is what happens.
        aside = _Scope(scope.prefix, _Trail(statement=scope.trail.statement))
        _walk(statement.body.body, aside, certain=True)
        for name, binding in aside.names.items():
            scope.only_for_types.setdefault(name, (binding, aside.trail.nodes[scope.prefix + name]))
        if isinstance(statement.orelse, libcst.Else):
            _walk(statement.orelse.body.body, scope, certain=certain)
        return
    _walk(statement.body.body, scope, certain=False)
    match statement.orelse:
        case libcst.If() as other:
            _walk_if(other, scope, certain=False)
        case libcst.Else(body=body):
            _walk(body.body, scope, certain=False)


def _is_type_checking(test: libcst.BaseExpression) -> bool:
    match test:
        case libcst.Name(value="TYPE_CHECKING") | libcst.Attribute(attr=libcst.Name(value="TYPE_CHECKING")):
            return True
    return False


def _bind_simple(node: libcst.CSTNode, scope: _Scope, *, certain: bool) -> None:
    match node:
        case libcst.Import():
            for alias in node.names:
                _bind_import(alias, scope, certain=certain)
        case libcst.ImportFrom():
            _bind_import_from(node, scope, certain=certain)
        case libcst.Assign():
            for target in node.targets:
                _bind_target(target.target, node.value, node, scope, certain=certain)
        case libcst.AnnAssign(target=libcst.Name(value=name)):
            default = None if node.value is None else read(node.value)
            scope.fields.append(Field(name=name, annotation=read(node.annotation.annotation), default=default))
            if default is not None:
                scope.bind(name, Value(expression=default), node, certain=certain)
            else:
                scope.trail.nodes.setdefault(scope.prefix + name, Bound(node, scope.trail.statement))
        case libcst.TypeAlias(name=libcst.Name(value=name)):
            value = Value(expression=read(node.value), type_params=_type_params(node.type_parameters))
            scope.bind(name, value, node, certain=certain)
        case libcst.AugAssign():
            _forget_root(node.target, scope)
        case libcst.Del():
            _forget_root(node.target, scope)
        case libcst.Expr(value=libcst.Call(func=libcst.Attribute(value=changed, attr=libcst.Name(value=method)))):
            if method in _MUTATORS:
                _forget_root(changed, scope)


def _bind_target(
    target: libcst.CSTNode, value: libcst.BaseExpression | None, node: libcst.CSTNode, scope: _Scope, *, certain: bool
) -> None:
    """Bind the names of an assignment's target; without a value they are unknown."""
    match target:
        case libcst.Name(value=name):
            binding: Binding = UNKNOWN if value is None else Value(expression=read(value))
            scope.bind(name, binding, node, certain=certain)
        case libcst.Tuple() | libcst.List():
            for part in parts(target):
                _bind_target(part, None, node, scope, certain=certain)
        case libcst.StarredElement(value=inner):
            _bind_target(inner, None, node, scope, certain=certain)
        case libcst.Attribute() | libcst.Subscript():
            _forget_root(target, scope)


def _forget_root(node: libcst.CSTNode, scope: _Scope) -> None:
    """What is changed in place is no longer what it was bound to."""
    match node:
        case libcst.Name(value=name):
            scope.forget(name)
        case libcst.Attribute(value=inner) | libcst.Subscript(value=inner):
            _forget_root(inner, scope)
        case libcst.Tuple() | libcst.List():
            for part in parts(node):
                _forget_root(part, scope)


def _bind_import(alias: libcst.ImportAlias, scope: _Scope, *, certain: bool) -> None:
    module = _dotted(alias.name)
    if alias.asname is not None and isinstance(alias.asname.name, libcst.Name):
        scope.bind(alias.asname.name.value, Import(module=module), alias, certain=certain)
    else:
        first = module.partition(".")[0]
        scope.bind(first, Import(module=first), alias, certain=certain)


def _bind_import_from(node: libcst.ImportFrom, scope: _Scope, *, certain: bool) -> None:
    module = "" if node.module is None else _dotted(node.module)
    level = len(node.relative)
    if isinstance(node.names, libcst.ImportStar):
        scope.stars.append(StarImport(module=module, level=level, after=frozenset(scope.names)))
        return
    for alias in node.names:
        name = _dotted(alias.name)
        local = name
        if alias.asname is not None and isinstance(alias.asname.name, libcst.Name):
            local = alias.asname.name.value
        scope.bind(local, Import(module=module, name=name, level=level), alias, certain=certain)


def _class(node: libcst.ClassDef, outer: _Scope) -> ClassFacts:
    facts, nodes = _read_class(node, outer.prefix)
    statement = outer.trail.statement
    outer.trail.nodes.update({name: Bound(inner, statement) for name, inner in nodes.items()})
    return facts


@lru_cache(maxsize=_REMEMBERED)
def _read_class(node: libcst.ClassDef, prefix: str) -> tuple[ClassFacts, Mapping[str, libcst.CSTNode]]:
    """A class's facts, and what binds the names in it. No tree changes, so an edit elsewhere reads no class anew."""
    scope = _Scope(f"{prefix}{node.name.value}.", _Trail())
    _walk(node.body.body, scope, certain=True)
    _add_names_for_types(scope)
    facts = ClassFacts(
        qualname=prefix + node.name.value,
        decorators=_decorators(node),
        bases=tuple(OPAQUE_BASE if base.star else read(base.value) for base in node.bases),
        has_keywords=bool(node.keywords),
        names=scope.names,
        fields=tuple(scope.fields),
        type_params=_type_params(node.type_parameters),
    )
    return facts, {name: bound.node for name, bound in scope.trail.nodes.items()}


OPAQUE_BASE: Final[Expression] = Constant("bases")
"""Stands for `*bases` in a class's head, which names no class."""


@lru_cache(maxsize=_REMEMBERED)
def _function(node: libcst.FunctionDef, prefix: str) -> FunctionFacts:
    return FunctionFacts(
        qualname=prefix + node.name.value,
        parameters=tuple(read_parameters(node.params)),
        decorators=_decorators(node),
        is_async=node.asynchronous is not None,
        type_params=_type_params(node.type_parameters),
    )


def _decorators(node: libcst.ClassDef | libcst.FunctionDef) -> tuple[Expression, ...]:
    return tuple(read(decorator.decorator) for decorator in node.decorators)


def _type_params(node: libcst.TypeParameters | None) -> frozenset[str]:
    return frozenset() if node is None else frozenset(one.param.name.value for one in node.params)


def _exports(names: dict[str, Binding]) -> tuple[str, ...] | Unknown | None:
    match names.get("__all__"):
        case None:
            return None
        case Value(expression=SequenceExpression(items=items)):
            found = tuple(_strings(items))
            return found if len(found) == len(items) else UNKNOWN
    return UNKNOWN


def _strings(items: Sequence[Expression]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Constant) and isinstance(item.value, str):
            yield item.value


def _dotted(node: libcst.CSTNode) -> str:
    match node:
        case libcst.Name(value=name):
            return name
        case libcst.Attribute(value=inner, attr=libcst.Name(value=name)):
            return f"{_dotted(inner)}.{name}"
    return ""

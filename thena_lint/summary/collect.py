"""Tree -> facts: one walk over the statements that run at import. Function bodies are looked at in `uses` and `bodies`.

A name stands for what it is bound to last, if that happens without condition. A name bound differently in branches is
`UNKNOWN`, and so is one of a class body that is bound on a condition only, as a base may have it. The walk keeps the
tree node beside each fact, and `spans` finds places with the same walk, so the two never differ.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property, lru_cache
from typing import Final
from weakref import WeakValueDictionary

import libcst

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, Unknown
from thena_contract.frozen import frozen
from thena_contract.spelling import resembles_hook
from thena_lint.summary.additions import addition_of, is_unseen_between
from thena_lint.summary.apps import app_calls, is_program
from thena_lint.summary.bodies import bodies_of
from thena_lint.summary.body import Bodies
from thena_lint.summary.decorating import returns_its_argument, wraps_with
from thena_lint.summary.expressions import (
    Attribute,
    Binary,
    Call,
    Constant,
    Dictionary,
    Expression,
    Name,
    parts,
    read,
    read_parameters,
)
from thena_lint.summary.expressions import Sequence as SequenceExpression
from thena_lint.summary.facts import (
    Addition,
    Binding,
    ClassFacts,
    Either,
    Field,
    FileFacts,
    FunctionFacts,
    Import,
    StarImport,
    UsesOfNames,
    Value,
)
from thena_lint.summary.uses import (
    SETTERS,
    Uses,
    descend,
    dotted,
    is_namespace,
    names_bound_by,
    names_in,
    patches_its_parameters,
    root,
    yields,
)

_REMEMBERED: Final = 1024
_TREES_REMEMBERED: Final = 16
_TOGETHER: Final = 16
"""How many statements are read together, and taken over together where none of them has changed."""

_EXPORTS: Final = "__all__"
_CLASS: Final = "__class__"
_TYPE_CHECKING: Final = "TYPE_CHECKING"
_OVERLOAD: Final = ("overload", "typing.overload", "typing_extensions.overload")

OLDEST_PYTHON: Final = (3, 11)
"""The oldest Python that programs with this framework run on."""


@frozen
class Bound:
    """The tree node that binds a name, and the number of the top-level statement that it stands in."""

    node: libcst.CSTNode
    statement: int


Nodes = Mapping[str, libcst.CSTNode]
"""What binds each qualified name."""


_Inside = tuple[int, libcst.ClassDef, Nodes]
"""The number of the top-level statement that a class stands in, the class, and what binds the names in it."""


@dataclass
class _Trail:
    """Where a walk is, and which node bound what. Shared by the scopes of one walk, which alone changes it.

    What is bound `inside` a class is kept as it was read of that: by the class, once for every time that it is bound.
    """

    nodes: dict[str, Bound] = field(default_factory=dict)
    inside: dict[str, tuple[_Inside, ...]] = field(default_factory=dict)
    stretches: "list[_Stretch]" = field(default_factory=list)
    statement: int = 0

    def find(self, name: str) -> Bound | None:
        """What binds a qualified name."""
        own, dot, _ = name.partition(".")
        if not dot:
            return self.nodes.get(name)
        for statement, _, nodes in reversed(self.inside.get(own, ())):
            if name in nodes:
                return Bound(nodes[name], statement)
        return None

    @property
    def every(self) -> Nodes:
        """All that is bound."""
        inside = (nodes for each in self.inside.values() for _, _, nodes in each)
        own = {name: bound.node for name, bound in self.nodes.items()}
        return {**own, **{name: node for nodes in inside for name, node in nodes.items()}}


class _When(Enum):
    """When a statement is carried out: whenever its scope is, only when the file is the program, or perhaps never."""

    ALWAYS = "always"
    AS_PROGRAM = "as program"
    PERHAPS = "perhaps"


@dataclass
class _Scope:
    """The names bound so far in a module or class body. It lives as long as one walk, which alone changes it."""

    prefix: str
    trail: _Trail
    is_class: bool = False
    names: dict[str, Binding] = field(default_factory=dict)
    only_for_types: dict[str, tuple[Binding, Bound]] = field(default_factory=dict)
    for_types: set[str] = field(default_factory=set)
    rebound: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    stars: list[StarImport] = field(default_factory=list)
    fields: list[Field] = field(default_factory=list)
    with_lists: set[str] = field(default_factory=set)
    """Names to which a class was bound that has lists."""

    has_unsure_fields: bool = False
    apps: list[Call] = field(default_factory=list)
    uses: Uses = field(default_factory=Uses)

    def bind(self, name: str, binding: Binding, node: libcst.CSTNode, when: _When) -> None:
        is_certain = when is _When.ALWAYS
        before = self.names.get(name)
        is_other = name in self.names and before != binding
        if is_other and not is_certain and isinstance(before, Import | Either) and isinstance(binding, Import):
            # `try: from a import X` and `except ImportError: from b import X` may well mean the same.
            binding, is_other = Either(options=(*_options(before), binding)), False
        if is_other:
            self.rebound.add(name)
        if is_certain:
            self.unsure.discard(name)
        elif name not in self.names:
            self.unsure.add(name)
        if not is_certain and (is_other or (self.is_class and name not in self.names)):
            binding = UNKNOWN
        self.put(name, binding)
        self.trail.nodes[self.prefix + name] = Bound(node, self.trail.statement)

    def put(self, name: str, binding: Binding) -> None:
        self.names[name] = binding
        if isinstance(binding, ClassFacts) and any(map(_is_list_of, binding.names.values())):
            self.with_lists.add(name)

    def take(self, stretch: "_Stretch") -> bool:
        """Bind all that a stretch binds; nothing where one of its names is bound already."""
        other = stretch.scope
        if not self.names.keys().isdisjoint(other.names):
            return False
        self.names.update(other.names)
        self.rebound |= other.rebound
        self.with_lists |= other.with_lists
        self.uses.join(other.uses)
        self.trail.nodes.update(other.trail.nodes)
        self.trail.inside.update(other.trail.inside)
        self.trail.stretches.append(stretch)
        return True

    def forget(self, name: str) -> None:
        self.uses.forgotten.add(name)
        if name in self.names:
            self.names[name] = UNKNOWN


def _options(binding: Import | Either) -> tuple[Import, ...]:
    return binding.options if isinstance(binding, Either) else (binding,)


def collect(tree: libcst.Module) -> FileFacts:
    """The facts of a file."""
    return _facts(_walk_module(tree))


def collect_all(tree: libcst.Module) -> tuple[FileFacts, Bodies]:
    """The facts of a file, and what its functions do."""
    scope = _walk_module(tree)
    return _facts(scope), _bodies(scope.trail)


def _bodies(trail: _Trail) -> Bodies:
    whole = [one for one in trail.stretches if one.is_bound_in(trail)]
    known = {name for one in whole for name in one.scope.trail.nodes}
    found = _bodies_bound(trail, trail.nodes.keys() - known, trail.inside.keys() - known)
    functions, attributes = dict(found.functions), dict(found.attributes)
    for one in whole:
        functions.update(one.bodies.functions)
        attributes.update(one.bodies.attributes)
    return Bodies(functions=functions, attributes=attributes)


def _bodies_bound(trail: _Trail, names: Iterable[str], classes: Iterable[str]) -> Bodies:
    """The bodies of what some names of a trail are bound to, and of what stands inside some of its classes."""
    found = bodies_of({name: trail.nodes[name].node for name in names})
    functions, attributes = dict(found.functions), dict(found.attributes)
    for name in classes:
        each = trail.inside[name]
        if len(each) == 1:
            inside = _bodies_in(each[0][1])
        else:
            inside = bodies_of({name: node for _, _, nodes in each for name, node in nodes.items()})
        functions.update(inside.functions)
        attributes.update(inside.attributes)
    return Bodies(functions=functions, attributes=attributes)


@lru_cache(maxsize=_REMEMBERED)
def _bodies_in(node: libcst.ClassDef) -> Bodies:
    """What the methods of a class of the top level do. No tree changes, so an edit elsewhere reads none anew."""
    return bodies_of(_read_class(node, "")[1])


def _facts(scope: _Scope) -> FileFacts:
    return FileFacts(
        names=scope.names,
        stars=tuple(scope.stars),
        exports=_exports(scope.names, scope.uses),
        uses=_uses(scope),
        unsure=frozenset(scope.unsure),
        for_types=frozenset(name for name in scope.for_types if scope.names[name] is not UNKNOWN),
        apps=tuple(scope.apps),
    )


def binder_of(tree: libcst.Module) -> Callable[[str], Bound | None]:
    """What tells what binds a qualified name of a file."""
    return _walk_module(tree).trail.find


@lru_cache(maxsize=_TREES_REMEMBERED)
def _walk_module(tree: libcst.Module) -> _Scope:
    """Walk over a file, once for its facts and for what finds places in it."""
    scope = _Scope("", _Trail())
    for first, some in _in_stretches(tree):
        stretch = _stretch(some, first)
        if stretch is not None and scope.take(stretch):
            continue
        for number, statement in enumerate(some, start=first):
            scope.trail.statement = number
            if not _is_added(tree.body, number, scope):
                _walk((statement,), scope, _When.ALWAYS)
    _look_for_apps(tree, scope)
    _add_names_for_types(scope)
    _settle(scope)
    return scope


@dataclass(frozen=True, eq=False)
class _Stretch:
    """Classes and functions that stand one below the other, read by themselves. Nothing changes its scope any more."""

    first: int
    statements: tuple[libcst.CSTNode, ...]
    scope: _Scope
    _apps: dict[frozenset[str], tuple[tuple[int, libcst.Call], ...]] = field(default_factory=dict)

    @cached_property
    def bodies(self) -> Bodies:
        """What its functions do."""
        trail = self.scope.trail
        return _bodies_bound(trail, trail.nodes, trail.inside)

    def apps(self, names: frozenset[str]) -> Sequence[tuple[int, libcst.Call]]:
        """The calls in it that make an app, each with the place of its statement in the stretch."""
        if names not in self._apps:
            self._apps[names] = tuple(_apps_in(self.statements, names))
        return self._apps[names]

    def is_bound_in(self, trail: _Trail) -> bool:
        """Say whether everything in it still is what its name is bound to."""
        own = self.scope.trail
        return all(trail.nodes[name] is bound for name, bound in own.nodes.items()) and all(
            trail.inside[name] is each for name, each in own.inside.items()
        )


_STRETCHES: Final[WeakValueDictionary[tuple[int, tuple[libcst.CSTNode, ...]], _Stretch]] = WeakValueDictionary()
"""Those that a remembered tree is made of, by their first number and their statements."""


def _stretch(statements: tuple[libcst.CSTNode, ...], first: int) -> _Stretch | None:
    """Read statements, the first of which has this number, if they bind names and ask for none.

    So an edit in a large file reads those around it anew, and takes over the others as they are.
    """
    if not all(isinstance(one, libcst.ClassDef | libcst.FunctionDef) for one in statements):
        return None
    key = (first, statements)
    known = _STRETCHES.get(key)
    if known is None:
        scope = _Scope("", _Trail())
        for number, statement in enumerate(statements, start=first):
            scope.trail.statement = number
            _walk((statement,), scope, _When.ALWAYS)
        known = _STRETCHES[key] = _Stretch(first, statements, scope)
    return known


def _is_added(body: Sequence[libcst.CSTNode], number: int, scope: _Scope) -> bool:
    """Take note of what a statement adds to a list above it, if that is certain."""
    found = addition_of(body[number])
    if found is None:
        return False
    name, addition, node = found
    binding, bound = scope.names.get(name), scope.trail.nodes.get(name)
    if not isinstance(binding, Value) or not is_list(binding.expression) or bound is None:
        return False
    if name in scope.unsure or name in names_in(node):
        return False
    if not is_unseen_between(name, body[bound.statement + 1 : number]):
        return False
    scope.uses.escape(node)
    scope.trail.nodes[f"{name}+{len(binding.added)}"] = Bound(node, number)
    scope.names[name] = replace(binding, added=(*binding.added, addition))
    return True


def app_name(number: int) -> str:
    """What stands for the n-th app of a file where it is asked what binds a name."""
    return f"<app {number}>"


def _look_for_apps(tree: libcst.Module, scope: _Scope) -> None:
    """Keep the calls that make an app, and where they stand."""
    imported = {name for name, one in scope.names.items() if isinstance(one, Import) and one.name == vocabulary.APP}
    names = frozenset({vocabulary.APP, *imported})
    taken = {stretch.first: stretch for stretch in scope.trail.stretches}
    for first, some in _in_stretches(tree):
        for number, node in taken[first].apps(names) if first in taken else _apps_in(some, names):
            call = read(node)
            if isinstance(call, Call):
                scope.trail.nodes[app_name(len(scope.apps))] = Bound(node, first + number)
                scope.apps.append(call)


def _apps_in(statements: Iterable[libcst.CSTNode], names: frozenset[str]) -> Iterator[tuple[int, libcst.Call]]:
    return ((number, node) for number, one in enumerate(statements) for node in app_calls(one, names))


def _in_stretches(tree: libcst.Module) -> Iterator[tuple[int, tuple[libcst.CSTNode, ...]]]:
    """The top-level statements, a few at a time, and the number of the first of these."""
    for first in range(0, len(tree.body), _TOGETHER):
        yield first, tuple(tree.body[first : first + _TOGETHER])


def _add_names_for_types(scope: _Scope) -> None:
    """Names imported under `TYPE_CHECKING` count where nothing else binds them."""
    switch = scope.names.get(_TYPE_CHECKING)
    is_plain = not isinstance(switch, Value) or switch.expression == Constant("bool", False)
    for name, (binding, bound) in scope.only_for_types.items():
        if name not in scope.names:
            if is_plain:
                scope.for_types.add(name)
            scope.put(name, replace(binding, is_conditional=True) if isinstance(binding, ClassFacts) else binding)
            scope.trail.nodes[scope.prefix + name] = bound


def _settle(scope: _Scope) -> None:
    """Let names go that may stand for something else than what they are bound to."""
    uses = scope.uses
    uses.settle()
    lists = {name for name, binding in scope.names.items() if _is_list_of(binding)}
    changed = lists & (uses.changed | uses.mentioned)
    aliased = uses.forgotten & {name for _, name in uses.aliases}
    is_opaque = uses.is_opaque or (uses.binds_any and not scope.is_class)
    for name in tuple(scope.names) if is_opaque else (*changed, *aliased, *uses.rebound, *uses.assigned):
        scope.forget(name)
    reached = uses.attributes | {name.rpartition(".")[2] for name in uses.changed if "." in name}
    for name in scope.with_lists:
        binding = scope.names[name]
        if isinstance(binding, ClassFacts):
            scope.names[name] = _without_lists(binding, reached)
    for name, attribute in uses.patched:
        match scope.names.get(name):
            case ClassFacts(names=names) as facts if attribute:
                scope.names[name] = replace(facts, names={**names, attribute: UNKNOWN})
            case ClassFacts():
                scope.names[name] = UNKNOWN
            case FunctionFacts() if not attribute or attribute.startswith("__"):
                scope.names[name] = UNKNOWN
            case None if scope.is_class and (attribute == _CLASS or _is_function(scope.names.get(attribute))):
                # A method of the class puts something else in the place of this one, most likely on `self`.
                scope.names[attribute] = UNKNOWN


def _is_function(binding: Binding | None) -> bool:
    return isinstance(binding, FunctionFacts)


def _is_list_of(binding: Binding) -> bool:
    return isinstance(binding, Value) and is_list(binding.expression)


def _without_lists(facts: ClassFacts, reached: set[str]) -> ClassFacts:
    """A class without the lists in it that some object may have given away."""
    lost = {name: UNKNOWN for name, binding in facts.names.items() if name in reached and _is_list_of(binding)}
    return replace(facts, names={**facts.names, **lost}) if lost else facts


def _uses(scope: _Scope) -> UsesOfNames:
    """What matters of the uses; what function bodies do isn't among it, so that most edits change no fact."""
    names = scope.names
    telling = {
        name
        for name, binding in names.items()
        if _may_be_list(binding) or isinstance(binding, ClassFacts | FunctionFacts)
    }
    uses = scope.uses
    handed = telling | {name for name, binding in names.items() if _is_function(binding)}
    return UsesOfNames(
        rebound=frozenset(scope.rebound),
        changed=frozenset(name for name in uses.changed if root(name) in telling),
        passed={name: frozenset(callees) for name, callees in uses.passed.items() if root(name) in handed},
    )


def _may_be_list(binding: Binding) -> bool:
    match binding:
        case Import() | Either():
            return True
        case FunctionFacts(returns=returns):
            return returns is not None
        case Value(expression=Name() | Attribute()):
            return True
        case Value(expression=expression):
            return is_list(expression)
    return False


def is_list(expression: Expression) -> bool:
    """Say whether an expression makes a list, or a dict, which can be changed in place."""
    match expression:
        case SequenceExpression(type="list") | Dictionary() | Binary(operator="+") | Call(function=Name("list")):
            return True
    return False


def _walk(body: Sequence[libcst.CSTNode], scope: _Scope, when: _When) -> None:
    for statement in body:
        match statement:
            case libcst.SimpleStatementLine():
                for small in statement.body:
                    _bind_simple(small, scope, when)
            case libcst.BaseSmallStatement():
                # The body of a statement that stands on one line.
                _bind_simple(statement, scope, when)
            case libcst.ClassDef():
                scope.bind(statement.name.value, _class(statement, scope, when), statement, when)
            case libcst.FunctionDef():
                scope.uses.join(_uses_of_function(statement))
                if any(dotted(one.decorator) in _OVERLOAD for one in statement.decorators):
                    continue  # for type checkers: the function itself is still to come
                scope.bind(statement.name.value, _function(statement, scope.prefix), statement, when)
            case libcst.If():
                _walk_if(statement, scope, when)
            case libcst.Try() | libcst.TryStar():
                _walk_try(statement, scope, when)
            case libcst.With():
                for item in statement.items:
                    scope.uses.escape(item.item)
                    if item.asname is not None:
                        _bind_target(item.asname.name, None, statement, scope, when)
                _walk(statement.body.body, scope, when)
            case libcst.For() | libcst.While():
                if isinstance(statement, libcst.For):
                    scope.uses.look(statement.iter)
                    _alias_each(statement, scope)
                    _bind_target(statement.target, None, statement, scope, when)
                else:
                    scope.uses.look(statement.test)
                _walk(statement.body.body, scope, _When.PERHAPS)
                if statement.orelse is not None:
                    _walk(statement.orelse.body.body, scope, _When.PERHAPS)
            case libcst.Match():
                scope.uses.escape(statement.subject)
                for case in statement.cases:
                    for name in names_bound_by(case.pattern):
                        scope.bind(name, UNKNOWN, statement, _When.PERHAPS)
                    _walk(case.body.body, scope, _When.PERHAPS)


def _walk_if(statement: libcst.If, scope: _Scope, when: _When) -> None:
    if _is_type_checking(statement.test):
        # The checker's branch never runs: what it binds is kept apart, and the other branch is what happens.
        aside = _Scope(scope.prefix, _Trail(statement=scope.trail.statement))
        _walk(statement.body.body, aside, _When.ALWAYS)
        if scope.is_class:
            scope.for_types.update(aside.names, (one.name for one in aside.fields))
        else:
            for name, binding in aside.names.items():
                scope.only_for_types.setdefault(name, (binding, aside.trail.nodes[scope.prefix + name]))
        if isinstance(statement.orelse, libcst.Else):
            _walk(statement.orelse.body.body, scope, when)
        return
    is_met = _is_met(statement.test)
    if is_met is not None:
        # Nothing else runs on any Python that the framework runs on.
        if is_met:
            _walk(statement.body.body, scope, when)
        elif isinstance(statement.orelse, libcst.If):
            _walk_if(statement.orelse, scope, when)
        elif statement.orelse is not None:
            _walk(statement.orelse.body.body, scope, when)
        return
    scope.uses.look(statement.test)
    as_program = is_program(statement.test) and when is not _When.PERHAPS
    _walk(statement.body.body, scope, _When.AS_PROGRAM if as_program else _When.PERHAPS)
    match statement.orelse:
        case libcst.If() as other:
            _walk_if(other, scope, _When.PERHAPS)
        case libcst.Else(body=body):
            _walk(body.body, scope, _When.PERHAPS)


def _walk_try(statement: libcst.Try | libcst.TryStar, scope: _Scope, when: _When) -> None:
    _walk(statement.body.body, scope, _When.PERHAPS if statement.handlers else when)
    for handler in statement.handlers:
        if handler.name is not None:
            _bind_target(handler.name.name, None, statement, scope, _When.PERHAPS)
        _walk(handler.body.body, scope, _When.PERHAPS)
    if statement.orelse is not None:
        _walk(statement.orelse.body.body, scope, _When.PERHAPS)
    if statement.finalbody is not None:
        _walk(statement.finalbody.body.body, scope, when)


def _alias_each(loop: libcst.For, scope: _Scope) -> None:
    """The target of a `for` stands for one entry after the other."""
    binding = scope.names.get(dotted(loop.iter) or "")
    whole = [binding.expression, *_added(binding)] if isinstance(binding, Value) else [read(loop.iter)]
    entries = [entry for one in whole if isinstance(one, SequenceExpression) for entry in one.items]
    names = [entry.id for entry in entries if isinstance(entry, Name)]
    scope.uses.aliases |= {(target, name) for target in names_in(loop.target) for name in names}


def _added(value: Value) -> Iterator[Expression]:
    """What is added to a list, as lists."""
    for one in value.added:
        yield one.expression if one.is_many else SequenceExpression("list", (one.expression,))


def _is_met(test: libcst.BaseExpression) -> bool | None:
    """What `sys.version_info >= (3, 8)` says on every Python from the oldest that is supported; `None` if it varies."""
    match test:
        case libcst.Comparison(
            left=libcst.Attribute(value=libcst.Name(value="sys"), attr=libcst.Name(value="version_info")),
            comparisons=[libcst.ComparisonTarget(operator=operator, comparator=libcst.Tuple() as version)],
        ):
            numbers = [part.value for part in parts(version) if isinstance(part, libcst.Integer)]
            if len(numbers) != len(version.elements) or not all(number.isdecimal() for number in numbers):
                return None
            if tuple(map(int, numbers)) <= OLDEST_PYTHON:
                match operator:
                    case libcst.GreaterThanEqual():
                        return True
                    case libcst.LessThan():
                        return False
    return None


def _is_type_checking(test: libcst.BaseExpression) -> bool:
    match test:
        case libcst.Name(value=name) | libcst.Attribute(attr=libcst.Name(value=name)):
            return name == _TYPE_CHECKING
    return False


def _bind_simple(node: libcst.CSTNode, scope: _Scope, when: _When) -> None:
    match node:
        case libcst.Import():
            for alias in node.names:
                _bind_import(alias, scope, when)
        case libcst.ImportFrom():
            _bind_import_from(node, scope, when)
        case libcst.Assign(value=value):
            scope.uses.look(value)
            for target in node.targets:
                _bind_target(target.target, value, node, scope, when)
        case libcst.AnnAssign(target=libcst.Name(value=name)):
            _bind_annotated(name, node, scope, when)
        case libcst.TypeAlias(name=libcst.Name(value=name)):
            meaning = Value(expression=read(node.value), type_params=_type_params(node.type_parameters))
            scope.bind(name, meaning, node, when)
        case libcst.AugAssign():
            scope.uses.look(node.value)
            _forget_root(node.target, scope)
        case libcst.Del():
            _forget_root(node.target, scope)
        case libcst.Global():
            scope.uses.rebound.update(one.name.value for one in node.names)
        case libcst.Expr(value=libcst.Call(func=libcst.Name(value=function), args=[first, *_])) if function in SETTERS:
            scope.uses.is_opaque = scope.uses.is_opaque or dotted(first.value) is None
            _forget_root(first.value, scope)
        case libcst.Expr(value=value):
            scope.uses.look(value)
        case _:
            scope.uses.lose(node)


def _bind_annotated(name: str, node: libcst.AnnAssign, scope: _Scope, when: _When) -> None:
    default = None if node.value is None else read(node.value)
    scope.uses.look(node.annotation.annotation)
    scope.fields.append(Field(name=name, annotation=read(node.annotation.annotation), default=default))
    scope.has_unsure_fields = scope.has_unsure_fields or when is not _When.ALWAYS
    if node.value is not None and default is not None:
        scope.uses.look(node.value)
        _bind_target(node.target, node.value, node, scope, when)
    else:
        scope.trail.nodes.setdefault(scope.prefix + name, Bound(node, scope.trail.statement))


def _bind_target(
    target: libcst.CSTNode, value: libcst.BaseExpression | None, node: libcst.CSTNode, scope: _Scope, when: _When
) -> None:
    """Bind the names of an assignment's target; without a value they are unknown."""
    match target:
        case libcst.Name(value=name):
            if value is not None:
                scope.uses.alias(name, value)
            if value is not None and scope.is_class:
                # Any object of the class gives it away.
                scope.uses.escape(value)
            scope.bind(name, UNKNOWN if value is None else Value(expression=read(value)), node, when)
        case libcst.Tuple() | libcst.List():
            for part in parts(target):
                _bind_target(part, None, node, scope, when)
        case libcst.StarredElement(value=inner):
            _bind_target(inner, None, node, scope, when)
        case libcst.Attribute() | libcst.Subscript():
            if value is not None:
                scope.uses.escape(value)
            _forget_root(target, scope)


def _forget_root(node: libcst.CSTNode, scope: _Scope) -> None:
    """What is changed in place is no longer what it was bound to."""
    scope.uses.lose(node)
    match node:
        case libcst.Name(value=name):
            scope.forget(name)
        case libcst.Attribute(value=inner) | libcst.Subscript(value=inner):
            _forget_root(inner, scope)
        case libcst.Call() if is_namespace(node):
            scope.uses.is_opaque = True
        case libcst.Tuple() | libcst.List():
            for part in parts(node):
                _forget_root(part, scope)


def _bind_import(alias: libcst.ImportAlias, scope: _Scope, when: _When) -> None:
    module = dotted(alias.name) or ""
    if alias.asname is not None and isinstance(alias.asname.name, libcst.Name):
        scope.bind(alias.asname.name.value, Import(module=module), alias, when)
    else:
        first = module.partition(".")[0]
        scope.bind(first, Import(module=first), alias, when)


def _bind_import_from(node: libcst.ImportFrom, scope: _Scope, when: _When) -> None:
    module = "" if node.module is None else dotted(node.module) or ""
    level = len(node.relative)
    if isinstance(node.names, libcst.ImportStar):
        star = StarImport(module=module, level=level, after=frozenset(scope.names), is_certain=when is _When.ALWAYS)
        scope.stars.append(star)
        return
    for alias in node.names:
        name = dotted(alias.name) or ""
        local = name
        if alias.asname is not None and isinstance(alias.asname.name, libcst.Name):
            local = alias.asname.name.value
        scope.bind(local, Import(module=module, name=name, level=level), alias, when)


def _class(node: libcst.ClassDef, outer: _Scope, when: _When) -> ClassFacts:
    facts, nodes, uses = _read_class(node, outer.prefix)
    inside = outer.trail.inside
    inside[facts.qualname] = (*inside.get(facts.qualname, ()), (outer.trail.statement, node, nodes))
    outer.uses.join(uses)
    return replace(facts, is_conditional=True) if when is _When.PERHAPS else facts


@lru_cache(maxsize=_REMEMBERED)
def _read_class(node: libcst.ClassDef, prefix: str) -> tuple[ClassFacts, Nodes, Uses]:
    """A class's facts, what binds the names in it, and what it does with the names around it.

    No tree changes, so an edit elsewhere reads no class anew.
    """
    scope = _Scope(f"{prefix}{node.name.value}.", _Trail(), is_class=True)
    _walk(node.body.body, scope, _When.ALWAYS)
    _settle(scope)
    only = None if scope.uses.is_opaque else _only_keyword(node)
    facts = ClassFacts(
        qualname=prefix + node.name.value,
        decorators=_decorators(node),
        bases=tuple(OPAQUE_BASE if base.star else read(base.value) for base in node.bases),
        # What a body puts into its own namespace is seen no better than what a metaclass does.
        has_keywords=bool(node.keywords) or scope.uses.is_opaque,
        names=scope.names,
        fields=UNKNOWN if scope.has_unsure_fields else tuple(scope.fields),
        type_params=_type_params(node.type_parameters),
        uses=_uses(scope),
        for_types=frozenset(scope.for_types),
        mentions=frozenset(filter(resembles_hook, scope.uses.spoken_of)),
        freezes=only == ("frozen", Constant("bool", True)),
        says_total=only is not None and only[0] == "total",
    )
    around = Uses()
    for decorator in node.decorators:
        around.look(decorator.decorator)
    for argument in (*node.bases, *node.keywords):
        around.escape(argument.value)
    around.add(scope.uses, own=facts.names)
    return facts, scope.trail.every, around


def _only_keyword(node: libcst.ClassDef) -> tuple[str, Expression] | None:
    """What a class's head says beside the bases, if it is one thing."""
    match node.keywords:
        case [libcst.Arg(keyword=libcst.Name(value=name), value=value)]:
            return name, read(value)
    return None


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
        patches=patches_its_parameters(node),
        has_docstring=_has_docstring(node),
        returns=None if (returned := list_returned_by(node)) is None else read(returned),
        is_generator=yields(node),
        returns_its_argument=returns_its_argument(node),
        wraps_with=wraps_with(node),
    )


def _has_docstring(node: libcst.FunctionDef) -> bool:
    """Say whether a function says anything about itself. A text that can't be seen is taken to say something."""
    first = next(iter(node.body.body), None)
    if isinstance(first, libcst.SimpleStatementLine):
        first = next(iter(first.body), None)
    match first:
        case libcst.Expr(value=libcst.SimpleString() | libcst.ConcatenatedString() as written):
            text = read(written)
            is_blank = isinstance(text, Constant) and isinstance(text.value, str) and not text.value.strip()
            return text != Constant("bytes") and not is_blank
    return False


def list_returned_by(node: libcst.FunctionDef) -> libcst.List | None:
    """The list that a function returns, if nothing else but a docstring is in its body."""
    match [small for line in node.body.body for small in _small_statements(line)]:
        case [libcst.Return(value=libcst.List() as returned)]:
            return returned
        case [libcst.Expr(value=libcst.SimpleString()), libcst.Return(value=libcst.List() as returned)]:
            return returned
    return None


def _small_statements(line: libcst.CSTNode) -> Sequence[libcst.CSTNode]:
    """The statements on a line; a statement with a body of its own stands for itself."""
    return line.body if isinstance(line, libcst.SimpleStatementLine) else (line,)


def _decorators(node: libcst.ClassDef | libcst.FunctionDef) -> tuple[Expression, ...]:
    return tuple(read(decorator.decorator) for decorator in node.decorators)


def _type_params(node: libcst.TypeParameters | None) -> frozenset[str]:
    return frozenset() if node is None else frozenset(one.param.name.value for one in node.params)


@lru_cache(maxsize=_REMEMBERED)
def _uses_of_function(node: libcst.FunctionDef) -> Uses:
    uses = Uses()
    for decorator in node.decorators:
        uses.look(decorator.decorator)
    for param in descend(node.params):
        if isinstance(param, libcst.Param) and param.default is not None:
            uses.escape(param.default)
        if isinstance(param, libcst.Annotation):
            uses.look(param.annotation)
    uses.postpone(node)
    return uses


def _exports(names: dict[str, Binding], uses: Uses) -> tuple[str, ...] | Unknown | None:
    if _EXPORTS in uses.changed or uses.passed.get(_EXPORTS):
        return UNKNOWN
    match names.get(_EXPORTS):
        case None:
            return None
        case Value(expression=SequenceExpression(items=items), added=added):
            every = [*items, *(entry for one in added for entry in _entries(one))]
            found = tuple(_strings(every))
            return found if len(found) == len(every) else UNKNOWN
    return UNKNOWN


def _entries(added: Addition) -> Sequence[Expression]:
    """What an addition puts into a list; where that can't be seen, what certainly is no text."""
    match added:
        case Addition(expression=SequenceExpression(items=items), is_many=True):
            return items
        case Addition(is_many=True):
            return (SequenceExpression("list", ()),)
    return (added.expression,)


def _strings(items: Sequence[Expression]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Constant) and isinstance(item.value, str):
            yield item.value

"""Tree -> bodies: one walk over each function and lambda. A place is found again with the same walk.

Only what a rule asks for is kept. What runs elsewhere or never (functions and lambdas inside) is told apart.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Final

import libcst

from thena_lint.summary.body import Bodies, Body, BodyKey, Chain, Event, Handler, How, Use
from thena_lint.summary.expressions import Call, Expression, parts, read
from thena_lint.summary.facts import Import
from thena_lint.summary.told import told_by
from thena_lint.summary.uses import descend, dotted, fields_of, is_node, names_bound_by, names_of_parameters

_REMEMBERED: Final = 4096
_WALKS_REMEMBERED: Final = 256
_INNER: Final = (libcst.FunctionDef, libcst.Lambda, libcst.ClassDef)
_TELLING: Final = (
    *(libcst.Name, libcst.Attribute, libcst.Call, libcst.BaseSmallStatement, libcst.BaseCompoundStatement),
    *(libcst.Await, libcst.NamedExpr, libcst.CompFor, libcst.GeneratorExp, libcst.Lambda, libcst.Yield),
    *(libcst.ExceptStarHandler, libcst.MatchPattern),
)
_MISSING: Final = "AttributeError"
_EXPECTING: Final = frozenset({"raises", "assertRaises", "assertRaisesRegex"})
"""What a test calls in the head of a `with` whose block is to fail."""

_SUPPRESS: Final = "suppress"


def bodies_of(nodes: Mapping[str, libcst.CSTNode]) -> Bodies:
    """The bodies of a file, from what binds each qualified name."""
    functions: dict[BodyKey, Body] = {}
    attributes: dict[str, Expression] = {}
    for name, node in nodes.items():
        match node:
            case libcst.FunctionDef():
                functions[(name, (), ())] = body_of_function(node)
            case libcst.ClassDef():
                for position, decorator in enumerate(node.decorators):
                    functions.update(_lambdas(decorator.decorator, name, ("decorator", position)))
            case libcst.Assign(value=value) | libcst.AnnAssign(value=libcst.BaseExpression() as value):
                functions.update(_lambdas(value, name, ("value",)))
                if "." in name and _is_plain(node):
                    attributes[name] = _read(value)
    return Bodies(functions=functions, attributes=attributes)


def _is_plain(node: libcst.Assign | libcst.AnnAssign) -> bool:
    """Say whether one name is bound to the whole value."""
    return isinstance(node, libcst.AnnAssign) or all(isinstance(one.target, libcst.Name) for one in node.targets)


@lru_cache(maxsize=_REMEMBERED)
def _read(node: libcst.BaseExpression) -> Expression:
    return read(node)


def _lambdas(node: libcst.CSTNode, owner: str, part: tuple[str | int, ...]) -> Iterator[tuple[BodyKey, Body]]:
    return (((owner, part, down), body_of_function(one)) for down, one in _lambdas_in(node))


@lru_cache(maxsize=_REMEMBERED)
def _lambdas_in(node: libcst.CSTNode) -> tuple[tuple[tuple[int, ...], libcst.Lambda], ...]:
    found = []
    waiting: list[tuple[tuple[int, ...], libcst.CSTNode]] = [((), node)]
    while waiting:
        down, one = waiting.pop()
        if isinstance(one, libcst.Lambda):
            found.append((down, one))
        waiting += [((*down, position), inner) for position, inner in enumerate(parts(one))]
    return tuple(found)


@lru_cache(maxsize=_REMEMBERED)
def body_of_function(node: libcst.FunctionDef | libcst.Lambda) -> Body:
    """The body of a function or lambda."""
    walk = _walked(node)
    statements = _statements(node)
    return Body(
        events=tuple(event for event, _ in walk.events),
        bound=dict(walk.bound),
        imports={name: one for name, one in walk.imports.items() if walk.bound[name] == 1},
        assigned=tuple(walk.assigned),
        entered=tuple(walk.entered),
        result=_result(node, statements),
        returns=isinstance(node, libcst.Lambda) or walk.returns or walk.is_generator,
        raises=_raises(node.body),
        does_something=any(_does_something(one) for one in statements),
    )


def event_node(node: libcst.FunctionDef | libcst.Lambda, number: int) -> libcst.CSTNode | None:
    """The tree node of an event of a body: the name with its attributes, the whole call, or the `except`."""
    events = _walked(node).events
    return events[number][1] if number < len(events) else None


def attribute_node(node: libcst.CSTNode, position: int) -> libcst.CSTNode:
    """The name of an attribute (by its position in the chain) of what `event_node` gives."""
    chain = node.func if isinstance(node, libcst.Call) else node
    names = []
    while isinstance(chain, libcst.Attribute):
        names.append(chain.attr)
        chain = chain.value
    return names[-1 - position] if position < len(names) else node


def _statements(node: libcst.FunctionDef | libcst.Lambda) -> Sequence[libcst.CSTNode]:
    """The statements of a body, without its docstring."""
    if isinstance(node, libcst.Lambda):
        return ()
    found: list[libcst.CSTNode] = []
    for one in node.body.body:
        found += one.body if isinstance(one, libcst.SimpleStatementLine) else [one]
    is_documented = bool(found) and isinstance(found[0], libcst.Expr) and _is_string(found[0].value)
    return found[1:] if is_documented else found


def _is_string(node: libcst.CSTNode) -> bool:
    return isinstance(node, libcst.SimpleString | libcst.ConcatenatedString)


def _result(node: libcst.FunctionDef | libcst.Lambda, statements: Sequence[libcst.CSTNode]) -> str | None:
    match node, statements:
        case libcst.Lambda(body=body), _:
            return libcst.Module([]).code_for_node(body)
        case _, [libcst.Return(value=libcst.BaseExpression() as value)]:
            return libcst.Module([]).code_for_node(value)
    return None


def _does_something(statement: libcst.CSTNode) -> bool:
    match statement:
        case libcst.Pass() | libcst.Raise():
            return False
        case libcst.Expr(value=value):
            return not _is_string(value) and not isinstance(value, libcst.Ellipsis)
    return True


@lru_cache(maxsize=_WALKS_REMEMBERED)
def _walked(node: libcst.FunctionDef | libcst.Lambda) -> "_Walk":
    walk = _Walk()
    walk.look(node.body)
    return walk


@cache
def _is_telling(kind: type[libcst.CSTNode]) -> bool:
    """Say whether nodes of a kind say anything by themselves. To ask that of each node would take far longer."""
    return issubclass(kind, _TELLING)


@dataclass
class _Walk:
    """One walk over a body, which alone changes it."""

    events: list[tuple[Event, libcst.CSTNode]] = field(default_factory=list)
    bound: Counter[str] = field(default_factory=Counter)
    imports: dict[str, Import] = field(default_factory=dict)
    assigned: list[tuple[Chain, Expression]] = field(default_factory=list)
    entered: list[tuple[str, Expression]] = field(default_factory=list)
    returns: bool = False
    is_generator: bool = False
    depth: int = 0
    failing: int = 0

    def look(self, node: libcst.CSTNode) -> None:
        """Look at a node and everything below it."""
        if not _is_telling(type(node)):
            self._look_below(node)
            return
        match node:
            case libcst.Name() | libcst.Attribute():
                self.chain(node)
            case libcst.Call():
                self.call(node)
            case libcst.BaseSmallStatement():
                self._statement(node)
            case libcst.BaseCompoundStatement():
                self._compound(node)
            case libcst.Await():
                self._wait(node)
            case libcst.NamedExpr():
                self.look(node.value)
                self.bind(node.target)
            case libcst.CompFor():
                self._each(node)
            case libcst.GeneratorExp():
                # It runs where somebody else reads it.
                self.depth += 1
                self._look_below(node)
                self.depth -= 1
            case libcst.Lambda():
                self._inner(node.params, node.body)
            case libcst.Yield():
                self.is_generator = True
                self._look_below(node)
            case libcst.ExceptStarHandler(name=libcst.AsName(name=name)):
                self.bind(name)
                self._look_below(node)
            case libcst.MatchPattern():
                self._capture(node)
            case _:
                self._look_below(node)

    def _statement(self, node: libcst.BaseSmallStatement) -> None:
        match node:
            case libcst.Expr(value=libcst.Call() as call):
                self.call(call, is_dropped=True)
            case libcst.Assign():
                self.look(node.value)
                for one in node.targets:
                    self.bind(one.target, node.value)
            case libcst.AnnAssign():
                if node.value is not None:
                    self.look(node.value)
                self.bind(node.target, node.value)
            case libcst.AugAssign():
                self.look(node.value)
                self._change(node.target, "augmented")
            case libcst.Del():
                for target in _targets(node.target):
                    self._change(target, "deleted")
            case libcst.Import():
                self._import_modules(node)
            case libcst.ImportFrom():
                self._import_names(node)
            case libcst.Global() | libcst.Nonlocal():
                self.bound.update(one.name.value for one in node.names)
            case libcst.Return(value=libcst.BaseExpression() as value):
                self.returns = self.returns or not (isinstance(value, libcst.Name) and value.value == "None")
                self.look(value)
            case _:
                self._look_below(node)

    def _compound(self, node: libcst.BaseCompoundStatement) -> None:
        match node:
            case libcst.FunctionDef():
                self.bound[node.name.value] += 1
                for decorator in node.decorators:
                    self.look(decorator.decorator)
                self._inner(node.params, node.body)
            case libcst.ClassDef():
                self._inner_class(node)
            case libcst.For():
                self._each(node)
                self.look(node.body)
                if node.orelse is not None:
                    self.look(node.orelse)
            case libcst.With():
                self._enter(node)
            case libcst.Try():
                self._attempt(node)
            case _:
                self._look_below(node)

    def _look_below(self, node: libcst.CSTNode) -> None:
        for name in fields_of(type(node)):
            value = getattr(node, name)
            if is_node(value.__class__):
                self.look(value)
            elif isinstance(value, list | tuple):
                for one in value:
                    self.look(one)

    # -- names, attributes, calls

    def chain(self, node: libcst.CSTNode, how: How = "read") -> None:
        """A name or attributes of one; of any other expression only what is in it counts."""
        chain = self._chain_of(node)
        if chain is not None:
            self._add(Use(chain=chain, how=how, is_nested=self.depth > 0), node)

    def call(
        self, node: libcst.Call, *, is_awaited: bool = False, is_dropped: bool = False, guards: bool = False
    ) -> None:
        """A call, and what it is given."""
        chain = self._chain_of(node.func)
        if chain is not None:
            called = read(node)
            use = Use(
                chain=chain,
                how="called",
                arguments=called.arguments if isinstance(called, Call) else (),
                told=told_by(node),
                is_awaited=is_awaited,
                is_dropped=is_dropped,
                is_nested=self.depth > 0,
                guards=guards,
            )
            self._add(use, node)
        for argument in node.args:
            self.look(argument.value)

    def _chain_of(self, node: libcst.CSTNode) -> Chain | None:
        names: list[str] = []
        while isinstance(node, libcst.Attribute):
            names.append(node.attr.value)
            node = node.value
        attributes = tuple(reversed(names))
        match node:
            case libcst.Name(value=root):
                return Chain(root, attributes)
            case libcst.Call(func=function) if attributes:
                self.look(node)
                callee = dotted(function)
                return None if callee is None else Chain(f"{callee}()", attributes)
        self.look(node)
        return None

    def _wait(self, node: libcst.Await) -> None:
        if isinstance(node.expression, libcst.Call):
            self.call(node.expression, is_awaited=True)
        else:
            self.look(node.expression)

    def _add(self, event: Event, node: libcst.CSTNode) -> None:
        if self.failing and isinstance(event, Use):
            event = replace(event, may_fail=True)
        self.events.append((event, node))

    def _try(self, body: libcst.CSTNode, *, may_fail: bool) -> None:
        self.failing += may_fail
        self.look(body)
        self.failing -= may_fail

    # -- what is bound

    def bind(self, target: libcst.CSTNode, value: libcst.BaseExpression | None = None) -> None:
        """The target of an assignment, a `for`, a `with`."""
        match target:
            case libcst.Name(value=name):
                self.bound[name] += 1
                if value is not None:
                    self._assign(Chain(name), value)
            case libcst.Attribute():
                chain = self._chain_of(target)
                if chain is not None:
                    self._add(Use(chain=chain, how="set", is_nested=self.depth > 0), target)
                    if value is not None:
                        self._assign(chain, value)
            case libcst.Subscript(value=owner):
                self.chain(owner, "item")
                for one in target.slice:
                    self.look(one)
            case libcst.Tuple() | libcst.List():
                for element in target.elements:
                    self.bind(element.value)
            case libcst.StarredElement(value=inner):
                self.bind(inner)
            case _:
                self.look(target)

    def _assign(self, target: Chain, value: libcst.BaseExpression) -> None:
        # What a function inside assigns isn't there where the others read.
        if self.depth == 0:
            self.assigned.append((target, read(value)))

    def _change(self, target: libcst.CSTNode, how: How) -> None:
        if isinstance(target, libcst.Attribute):
            self.chain(target, how)
        else:
            self.bind(target)

    def _import_modules(self, node: libcst.Import) -> None:
        for alias in node.names:
            module = dotted(alias.name) or ""
            if alias.asname is not None and isinstance(alias.asname.name, libcst.Name):
                self._import(alias.asname.name.value, Import(module=module))
            else:
                first = module.partition(".")[0]
                self._import(first, Import(module=first))

    def _import_names(self, node: libcst.ImportFrom) -> None:
        module = "" if node.module is None else dotted(node.module) or ""
        for alias in () if isinstance(node.names, libcst.ImportStar) else node.names:
            name = dotted(alias.name) or ""
            as_name = None if alias.asname is None else alias.asname.name
            local = as_name.value if isinstance(as_name, libcst.Name) else name
            self._import(local, Import(module=module, name=name, level=len(node.relative)))

    def _import(self, name: str, binding: Import) -> None:
        self.bound[name] += 1
        if self.depth == 0:
            self.imports[name] = binding

    def _each(self, node: libcst.For | libcst.CompFor) -> None:
        self.look(node.iter)
        self.bind(node.target)
        if isinstance(node, libcst.CompFor):
            for condition in node.ifs:
                self.look(condition.test)
            if node.inner_for_in is not None:
                self.look(node.inner_for_in)

    def _capture(self, pattern: libcst.MatchPattern) -> None:
        self.bound.update(names_bound_by(pattern))
        for one in descend(pattern):
            if isinstance(one, libcst.MatchValue):
                self.look(one.value)

    # -- what is inside

    def _inner(self, params: libcst.Parameters, body: libcst.CSTNode) -> None:
        for one in descend(params):
            if isinstance(one, libcst.Param) and one.default is not None:
                self.look(one.default)
        self.bound.update(names_of_parameters(params))
        returns, is_generator = self.returns, self.is_generator
        self.depth += 1
        self.look(body)
        self.depth -= 1
        self.returns, self.is_generator = returns, is_generator

    def _inner_class(self, node: libcst.ClassDef) -> None:
        self.bound[node.name.value] += 1
        for outside in (*node.decorators, *node.bases, *node.keywords):
            self._look_below(outside)
        self.depth += 1
        self.look(node.body)
        self.depth -= 1

    def _enter(self, node: libcst.With) -> None:
        for item in node.items:
            if isinstance(item.item, libcst.Call):
                self.call(item.item, guards=node.asynchronous is None and _awaits(node.body))
            else:
                self.look(item.item)
            if item.asname is not None:
                if isinstance(item.asname.name, libcst.Name) and self.depth == 0:
                    self.entered.append((item.asname.name.value, read(item.item)))
                self.bind(item.asname.name)
        self._try(node.body, may_fail=any(_expects_failure(item.item) for item in node.items))

    def _attempt(self, node: libcst.Try) -> None:
        self._try(node.body, may_fail=any(_catches_missing(one.type) for one in node.handlers))
        awaits = _awaits(node.body)
        before: tuple[Expression, ...] = ()
        for handler in node.handlers:
            kinds = None if handler.type is None else _kinds(handler.type)
            event = Handler(
                kinds=kinds,
                before=before,
                awaits=awaits,
                raises=_raises(handler.body),
                is_kept=handler.name is not None,
                called=tuple(chain for _, chain in _calls(handler.body)),
                handed=tuple(chain for call, chain in _calls(handler.body) if _is_given(call, handler.name)),
                is_nested=self.depth > 0,
            )
            self._add(event, handler)
            before += kinds or ()
            if handler.type is not None:
                self.look(handler.type)
            if handler.name is not None:
                self.bind(handler.name.name)
            self.look(handler.body)
        for rest in (node.orelse, node.finalbody):
            if rest is not None:
                self.look(rest)


def _targets(node: libcst.CSTNode) -> list[libcst.CSTNode]:
    return [one.value for one in node.elements] if isinstance(node, libcst.Tuple | libcst.List) else [node]


def _kinds(node: libcst.BaseExpression) -> tuple[Expression, ...]:
    return tuple(read(one) for one in parts(node)) if isinstance(node, libcst.Tuple) else (read(node),)


def _expects_failure(head: libcst.BaseExpression) -> bool:
    """Say whether what a `with` enters takes a failure of its block."""
    if not isinstance(head, libcst.Call):
        return False
    name = _last_name(head.func)
    return name in _EXPECTING or (name == _SUPPRESS and any(_catches_missing(one.value) for one in head.args))


def _catches_missing(kinds: libcst.BaseExpression | None) -> bool:
    if isinstance(kinds, libcst.Tuple):
        return any(_catches_missing(one.value) for one in kinds.elements)
    return kinds is not None and _last_name(kinds) == _MISSING


def _last_name(node: libcst.BaseExpression) -> str:
    return (dotted(node) or "").rpartition(".")[2]


def _awaits(node: libcst.CSTNode) -> bool:
    return any(isinstance(one, libcst.Await | libcst.Asynchronous) for one in _here(node))


def _raises(node: libcst.CSTNode) -> bool:
    return any(isinstance(one, libcst.Raise) for one in _here(node))


def _calls(node: libcst.CSTNode) -> Iterator[tuple[libcst.Call, Chain]]:
    """The calls of names and of attributes of names."""
    for one in _here(node):
        names = (dotted(one.func) or "").split(".") if isinstance(one, libcst.Call) else [""]
        if isinstance(one, libcst.Call) and names != [""]:
            yield one, Chain(names[0], tuple(names[1:]))


def _is_given(call: libcst.Call, name: libcst.AsName | None) -> bool:
    return name is not None and any(dotted(one.value) == dotted(name.name) for one in call.args)


def _here(node: libcst.CSTNode) -> Iterator[libcst.CSTNode]:
    """A node and what is below it, without the functions and classes inside."""
    return descend(node, without=_INNER)

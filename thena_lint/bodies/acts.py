"""The bodies of a declared class, each with what its names stand for and when the runtime calls it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Literal

from thena_contract import vocabulary
from thena_contract.declarations import POSITIONAL, UNKNOWN
from thena_contract.frozen import frozen
from thena_lint.bodies.meanings import (
    APP,
    NOTHING,
    Known,
    Meaning,
    Meanings,
    meaning_of_parameter,
    names_of,
    resolve_chain,
    steps_along,
    with_local_names,
)
from thena_lint.bodies.memory import BodyIndex
from thena_lint.index.resolve import ClassAt, External, FunctionAt, Resolved, Scope, ValueAt, is_framework, resolve
from thena_lint.link.classes import ATTRS, dataclass_of, decorations, is_plain, mro, scope_inside
from thena_lint.summary.body import Body, Chain, Use
from thena_lint.summary.expressions import Call, Expression, Name, Parameter
from thena_lint.summary.facts import FunctionFacts, Value
from thena_lint.summary.spans import Site

Role = Literal["hook", "run", "execute", "until", "callback", "other"]
"""When the runtime calls a body; `other` ones it doesn't call itself."""

_CALLED: Final = "()"
_STATIC: Final = External("builtins.staticmethod")
_CLASS: Final = External("builtins.classmethod")
_HARMLESS: Final = (
    External("abc.abstractmethod"),
    *(External(f"{module}.{name}") for module in ("typing", "typing_extensions") for name in ("final", "override")),
)


@frozen(kw_only=True)
class Act:
    """A body, and what its names stand for. `scope` is where other names are read.

    `clouded` are names that meant something until they were bound again.
    """

    subject: str
    role: Role
    site: Site
    body: Body
    scope: Scope
    params: frozenset[str]
    roots: Meanings
    fields: Meanings
    clouded: frozenset[str] = frozenset()
    is_async: bool = False

    def meanings(self, chain: Chain) -> Iterator[tuple[int, Meaning]]:
        """What a chain stands for after its name, after its first attribute, and so on."""
        return steps_along(chain, self.roots, self.fields)

    def uses(self) -> Iterator[tuple[int, Use, int, Meaning]]:
        """The uses of all that means something: their number, what it means, and how many attributes lead to it."""
        for number, use in self.body.uses():
            if use.chain.root in self.roots:
                for count, meaning in self.meanings(use.chain):
                    yield number, use, count, meaning

    def uses_of(self, meaning: Known) -> Iterator[tuple[int, Use, int]]:
        """The uses of something that is known: their number, and how many attributes lead to it."""
        return ((number, use, count) for number, use, count, one in self.uses() if one is meaning)

    def is_app(self, index: BodyIndex, chain: Chain) -> bool:
        """Say whether a chain stands for a `Thena` app: one made there, a local name, or one of a file's top level."""
        if chain.root.endswith(_CALLED) and not chain.attributes:
            root, *attributes = chain.root.removesuffix(_CALLED).split(".")
            return is_framework(self.resolve(index, Chain(root, tuple(attributes))), APP)
        if dict(self.meanings(chain)).get(len(chain.attributes)) is Known.APP:
            return True
        match self.resolve(index, chain):
            case ValueAt(scope=scope, value=Value(expression=Call(function=function))):
                return is_framework(resolve(index, scope, function), APP)
        return False

    def resolve(self, index: BodyIndex, chain: Chain) -> Resolved:
        """What a name that isn't the body's own stands for."""
        return resolve_chain(index, self.scope, self.body, self.params, chain)


@frozen(kw_only=True)
class Conduct:
    """What a declared class does: its bodies, inherited ones included. It `is_whole` where no base is unseen."""

    at: ClassAt
    decorator: str
    order: tuple[ClassAt, ...]
    is_whole: bool
    acts: tuple[Act, ...]


def conduct_of(index: BodyIndex, at: ClassAt, decorator: str) -> Conduct:
    """What a declared class does, read once for all who ask."""
    return index.recall(("conduct", at.key, decorator), at, lambda inner: _read_conduct(inner, at, decorator))


def _read_conduct(index: BodyIndex, at: ClassAt, decorator: str) -> Conduct:
    order, is_whole = seen_of(index, at)
    fields = _fields(index, order) if is_whole else NOTHING
    acts = list(_acts(index, decorator, order, fields))
    return Conduct(
        at=at,
        decorator=decorator,
        order=order,
        is_whole=is_whole and None not in acts,
        acts=tuple(act for act in acts if act is not None),
    )


def act_of_function(index: BodyIndex, at: FunctionAt, role: Role) -> Act | None:
    """What a plain function does, as far as its annotations say what it is given."""
    body = index.body(at.file, (at.facts.qualname, (), ()))
    if body is None:
        return None
    scope = Scope(at.file, None, at.facts.type_params)
    given = _given(index, scope, at.facts.parameters)
    return Act(
        subject=at.facts.qualname,
        role=role if not at.facts.decorators else "other",
        site=Site(at.file, at.facts.qualname),
        body=body,
        scope=Scope(at.file),
        params=names_of(at.facts.parameters),
        roots=with_local_names(index, Scope(at.file), body, given, names_of(at.facts.parameters), NOTHING),
        fields=NOTHING,
        clouded=frozenset(given) & body.bound.keys(),
        is_async=at.facts.is_async,
    )


def seen_of(index: BodyIndex, at: ClassAt) -> tuple[tuple[ClassAt, ...], bool]:
    """A class and its bases up to the first that can't be seen, and whether that is all of them."""
    found: list[ClassAt] = []
    for one in mro(index, at):
        if not isinstance(one, ClassAt) or not is_plain(index, one):
            return tuple(found) or (at,), False
        found.append(one)
    return tuple(found), True


def _acts(index: BodyIndex, decorator: str, order: tuple[ClassAt, ...], fields: Meanings) -> Iterator[Act | None]:
    """Every body of the class and its bases; `None` for one that can't be seen."""
    taken: set[str] = set()
    for one in order:
        for name, binding in one.facts.names.items():
            if isinstance(binding, FunctionFacts):
                act = _act(index, one, binding, decorator, fields)
                # What a class below has of its own isn't called unless that calls it.
                yield replace(act, role="other") if act is not None and name in taken else act
        taken.update(one.facts.names)


def _act(index: BodyIndex, owner: ClassAt, facts: FunctionFacts, decorator: str, fields: Meanings) -> Act | None:
    body = index.body(owner.file, (facts.qualname, (), ()))
    if body is None:
        return None
    first, rest = _bound_first(index, owner, facts)
    name = facts.qualname.rpartition(".")[2]
    role = _role(index, owner, facts, decorator, name)
    scope = scope_inside(owner)
    given = _given(index, Scope(scope.file, scope.inside, scope.hidden | facts.type_params), rest)
    if role in ("hook", "run"):
        given |= {one.name: Known.CONTEXT for one in rest[1:2] if one.kind in POSITIONAL}
    if first is not None:
        given[first] = Known.ITSELF
    # A method doesn't see the names of its class.
    around = Scope(owner.file)
    return Act(
        subject=f"{owner.facts.name}.{name}",
        role=role,
        site=Site(owner.file, facts.qualname),
        body=body,
        scope=around,
        params=names_of(facts.parameters),
        roots=with_local_names(index, around, body, given, names_of(facts.parameters), fields),
        fields=fields,
        clouded=frozenset(given) & body.bound.keys(),
        is_async=facts.is_async,
    )


def _given(index: BodyIndex, scope: Scope, parameters: tuple[Parameter, ...]) -> dict[str, Meaning]:
    found = {one.name: meaning_of_parameter(index, scope, one.annotation) for one in parameters}
    return {name: meaning for name, meaning in found.items() if meaning is not None}


def _bound_first(index: BodyIndex, owner: ClassAt, facts: FunctionFacts) -> tuple[str | None, tuple[Parameter, ...]]:
    """The name of the object itself, if it has one, and the other parameters."""
    what = [_decorator(index, owner, one) for one in facts.decorators]
    if _STATIC in what:
        return None, facts.parameters
    if _CLASS in what or not facts.parameters or facts.parameters[0].kind not in POSITIONAL:
        return None, facts.parameters[1:]
    return facts.parameters[0].name, facts.parameters[1:]


def _decorator(index: BodyIndex, owner: ClassAt, expression: Expression) -> Resolved:
    return resolve(index, scope_inside(owner), expression.function if isinstance(expression, Call) else expression)


def _role(index: BodyIndex, owner: ClassAt, facts: FunctionFacts, decorator: str, name: str) -> Role:
    if any(_decorator(index, owner, one) not in _HARMLESS for one in facts.decorators):
        return "other"
    match decorator, name:
        case vocabulary.AGENT, vocabulary.RUN:
            return "run"
        case vocabulary.AGENT, _ if name in vocabulary.HOOKS:
            return "hook"
        case vocabulary.TOOL, vocabulary.EXECUTE:
            return "execute"
    return "other"


def _fields(index: BodyIndex, order: tuple[ClassAt, ...]) -> Meanings:
    """What `self.s` means: a constructor's parameter that is kept there and nowhere replaced, or a generated field."""
    stored: dict[str, list[Meaning | None]] = {}
    methods: set[str] = set()
    for owner in order:
        for name, binding in owner.facts.names.items():
            if not isinstance(binding, FunctionFacts):
                continue
            methods.add(name)
            for field, meaning in _stored(index, owner, binding):
                stored.setdefault(field, []).append(meaning if name == vocabulary.CONSTRUCTOR else None)
    found: dict[str, Meaning] = {}
    for owner in order:
        for name, meaning in _generated(index, owner):
            if name not in stored:
                found[name] = meaning
    for name, meanings in stored.items():
        if len(meanings) == 1 and meanings[0] is not None:
            found[name] = meanings[0]
    return {name: meaning for name, meaning in found.items() if name not in methods}


def _stored(index: BodyIndex, owner: ClassAt, facts: FunctionFacts) -> Iterator[tuple[str, Meaning | None]]:
    """The fields of the object that a method sets, with what each then means."""
    body = index.body(owner.file, (facts.qualname, (), ()))
    first, rest = _bound_first(index, owner, facts)
    if body is None or first is None:
        return
    given = _given(index, scope_inside(owner), rest)
    values = {
        target.attributes[0]: value for target, value in body.assigned if target.root == first and target.attributes
    }
    for _, use in body.uses():
        if use.chain.root == first and len(use.chain.attributes) == 1 and use.how in ("set", "augmented", "deleted"):
            name = use.chain.attributes[0]
            value = values.get(name) if use.how == "set" else None
            is_plain_name = isinstance(value, Name) and value.id not in body.bound
            yield name, given.get(value.id) if isinstance(value, Name) and is_plain_name else None


def _generated(index: BodyIndex, owner: ClassAt) -> Iterator[tuple[str, Meaning]]:
    """The fields of a class whose constructor is made from them."""
    is_generated = dataclass_of(index, owner) is not None or any(
        isinstance(one.what, External) and one.what.dotted in ATTRS for one in decorations(index, owner)
    )
    for field in () if owner.facts.fields is UNKNOWN or not is_generated else owner.facts.fields:
        meaning = meaning_of_parameter(index, scope_inside(owner), field.annotation)
        if meaning is not None:
            yield field.name, meaning

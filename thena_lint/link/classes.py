"""What a class of the project is: its decorators, its bases in Python's order, and what can't be seen of it."""

from collections.abc import Callable
from typing import Final, TypeVar

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, Unknown
from thena_contract.frozen import frozen
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import (
    ClassAt,
    External,
    Framework,
    FunctionAt,
    Resolved,
    Scope,
    ValueAt,
    is_broken,
    resolve,
)
from thena_lint.summary.expressions import Argument, Call, Dictionary, Expression, Subscript
from thena_lint.summary.facts import Value

Found = TypeVar("Found")

DATACLASS: Final = "dataclasses.dataclass"

_ABC: Final = External("abc.ABC")
_PLAIN_BASES: Final = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "typing_extensions.Generic"})
ENUMS: Final = frozenset(External(f"enum.{name}") for name in ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag"))
MODEL: Final = External("pydantic.BaseModel")
_COMPARING_BY_BASES: Final = frozenset({*map(External, _PLAIN_BASES - {_ABC.dotted}), *ENUMS, MODEL})
"""Bases whose metaclass, where they have one, asks nothing but the bases."""

STORE_BASE: Final = "VectorStore"
_BASES_TO_HAVE: Final = frozenset({"AgentHooks", STORE_BASE})
"""Classes of the framework to derive from, which take nothing and change nothing below them."""

_SUBCLASS_HOOK: Final = "__init_subclass__"
_UNMAKING: Final = frozenset({"__new__", "__class__"})
"""What makes something else of an object of a class than that."""

ATTRS: Final = frozenset(f"{module}.{name}" for module in ("attr", "attrs") for name in ("define", "frozen", "mutable"))
"""Decorators of attrs whose fields are the annotations of the class."""

_COPIER: Final = External("functools.update_wrapper")
"""What gives a function the name and docstring of another one."""

_PLAIN_DECORATORS: Final = frozenset(
    {
        DATACLASS,
        *ATTRS,
        "typing.final",
        "typing_extensions.final",
        "typing.runtime_checkable",
        "functools.total_ordering",
    }
)
_GENERATORS: Final = frozenset(
    {
        "attr.s",
        "pydantic.dataclasses.dataclass",
    }
)
"""Decorators that keep what a class was declared to be, and give it a constructor that isn't read here."""


@frozen
class Decoration:
    """One decorator of a class: what it is, its position, and the call that it was given with, if any."""

    what: Resolved
    position: int
    call: Call | None


def scope_around(at: ClassAt) -> Scope:
    """Where a class's head is read."""
    return Scope(at.file)


def scope_inside(at: ClassAt) -> Scope:
    """Where a class's body is read."""
    return Scope(at.file, at.facts, at.facts.type_params)


def _remembered(index: ProjectIndex, at: ClassAt, find: Callable[[ProjectIndex, ClassAt], Found]) -> Found:
    """What is found out about a class of this index, once."""
    return index.once((find, at.file, at.facts.qualname), at.facts, find, index, at)


def decorations(index: ProjectIndex, at: ClassAt) -> tuple[Decoration, ...]:
    """A class's decorators, the first written first."""
    return _remembered(index, at, _decorations)


def _decorations(index: ProjectIndex, at: ClassAt) -> tuple[Decoration, ...]:
    return tuple(_decoration(index, at, position, one) for position, one in enumerate(at.facts.decorators))


def _decoration(index: ProjectIndex, at: ClassAt, position: int, expression: Expression) -> Decoration:
    call = spelt_out(index, scope_around(at), expression) if isinstance(expression, Call) else None
    what = resolve(index, scope_around(at), expression if call is None else call.function)
    return Decoration(what, position, call)


def spelt_out(index: ProjectIndex, scope: Scope, call: Call) -> Call:
    """A call in which `**OPTIONS` is written out, where that is a dict of the same file with plain keys."""
    if not call.spreads_keywords:
        return call
    arguments: list[Argument] = []
    for position, one in enumerate(call.arguments, start=1):
        options = _options(index, scope, one.value) if one.star == "**" else None
        if options is None:
            arguments.append(one)
        else:
            pairs = zip(options.keys, options.values, strict=True)
            arguments += [Argument(value, key, position=position) for key, value in pairs]
    return Call(call.function, tuple(arguments))


def _options(index: ProjectIndex, scope: Scope, expression: Expression) -> Dictionary | None:
    if isinstance(expression, Dictionary):
        return expression
    match resolve(index, scope, expression):
        case ValueAt(scope=there, value=Value(expression=Dictionary() as options)) if there == scope:
            return options
    return None


def declared_as(index: ProjectIndex, at: ClassAt) -> Decoration | None:
    """The decorator that makes a class an agent, tool or workflow; of several the one that is applied last."""
    if vocabulary.REMEMBERED in at.facts.names:
        return None
    for one in decorations(index, at):
        if isinstance(one.what, Framework) and one.what.name in vocabulary.DECORATORS and one.call is not None:
            return one
    return None


def declarations_on(index: ProjectIndex, at: ClassAt) -> tuple[str, ...] | Unknown:
    """The decorators of ours that a class is declared with, the one that counts first."""
    every = decorations(index, at)
    if not all(is_plain_decoration(one) for one in every) or vocabulary.REMEMBERED in at.facts.names:
        return UNKNOWN
    return tuple(one.what.name for one in every if isinstance(one.what, Framework))


def dataclass_of(index: ProjectIndex, at: ClassAt) -> Decoration | None:
    """The `@dataclass` of a class, if it has one."""
    for one in decorations(index, at):
        if one.what == External(DATACLASS):
            return one
    return None


def is_plain(index: ProjectIndex, at: ClassAt) -> bool:
    """Say whether nothing unseen can have changed or replaced the class: no unknown decorator, no metaclass."""
    return not at.facts.has_keywords and all(is_plain_decoration(one) for one in decorations(index, at))


def is_plain_decoration(one: Decoration) -> bool:
    """Say whether a decorator gives back the class that it is given, and changes nothing of it."""
    match one.what:
        case Framework(name=name):
            return name in vocabulary.DECORATORS and one.call is not None
        case External(dotted=dotted):
            return dotted in _PLAIN_DECORATORS
        case FunctionAt(facts=facts, owner=None):
            return one.call is None and facts.returns_its_argument and not facts.patches and not facts.decorators
    return False


def keeps_its_name(index: ProjectIndex, at: ClassAt) -> bool:
    """Say whether the class's name still stands for it: no decorator that may return something else."""
    return all(
        is_plain_decoration(one) or (isinstance(one.what, External) and one.what.dotted in _GENERATORS)
        for one in decorations(index, at)
    )


def is_undeclared_for_sure(index: ProjectIndex, at: ClassAt) -> bool:
    """Say whether a class without a decorator of ours can't have been declared in an unseen way."""
    is_seen = all(isinstance(one, ClassAt) and is_plain(index, one) for one in mro(index, at))
    return is_seen and vocabulary.REMEMBERED not in at.facts.names


def is_compared_by_bases(index: ProjectIndex, at: ClassAt) -> bool:
    """Say whether a class's name stands for it, and nothing but its bases decides what counts as derived from it."""
    order = mro(index, at)
    known = [one for one in order if one is not UNKNOWN]
    # What is above an enum or a model isn't seen. Among several bases it could hide others.
    is_seen = known == order or (at in known and all(len(one.facts.bases) == 1 for one in known))
    return (
        is_seen
        and keeps_its_name(index, at)
        and all(
            not one.facts.has_keywords
            and all(
                _compares_by_bases(resolve(index, scope_around(one), _unsubscripted(base))) for base in one.facts.bases
            )
            for one in known
        )
    )


def _compares_by_bases(base: Resolved) -> bool:
    match base:
        case External():
            return base in _COMPARING_BY_BASES
        case Framework(name=name):
            return name in _BASES_TO_HAVE
    return isinstance(base, ClassAt)


def _unsubscripted(base: Expression) -> Expression:
    return base.value if isinstance(base, Subscript) else base


def is_abstract(index: ProjectIndex, at: ClassAt) -> bool:
    """Say whether a class derives from `ABC`, so that it is written for others to derive from."""
    return any(resolve(index, scope_around(at), base) == _ABC for base in at.facts.bases)


def has_heirs(index: ProjectIndex, at: ClassAt) -> bool:
    """Say whether a class of the files that mention the framework names this one as a base."""
    return any(
        isinstance(what := resolve(index, Scope(file.path), _unsubscripted(base)), ClassAt) and what.key == at.key
        for file in index.speaking
        if file.facts is not None
        for one in file.facts.classes()
        for base in one.bases
    )


def makes_instances(index: ProjectIndex, at: ClassAt) -> bool:
    """Say whether calling a class certainly makes an object of it."""
    return keeps_its_name(index, at) and all(
        isinstance(one, ClassAt) and not one.facts.has_keywords and _UNMAKING.isdisjoint(one.facts.names)
        for one in mro(index, at)
    )


def is_left_alone(index: ProjectIndex, at: ClassAt | FunctionAt) -> bool:
    """Say whether nothing that is called with the class or function where it is defined may change it."""
    file = index.file(at.file)
    handed_to = frozenset[Expression]()
    if file is not None and file.facts is not None:
        handed_to = file.facts.uses.passed.get(at.facts.qualname, handed_to)
    return all(_leaves_alone(index, Scope(at.file), callee) for callee in handed_to)


def _leaves_alone(index: ProjectIndex, scope: Scope, callee: Expression) -> bool:
    if isinstance(callee, Call):
        # `Agent(...)(Writer)` declares the class and does nothing else.
        made_by = resolve(index, scope, callee.function)
        return isinstance(made_by, Framework) and made_by.name in vocabulary.DECORATORS
    match resolve(index, scope, callee):
        case FunctionAt(facts=facts):
            return not facts.patches and not facts.decorators
        case ClassAt() | External() | Framework() as what:
            return what != _COPIER
    return False


def mro(index: ProjectIndex, at: ClassAt) -> list[ClassAt | Unknown]:
    """A class and its bases in the order in which attributes are looked up. `UNKNOWN` stands for what isn't seen.

    A base with an `__init_subclass__` may have put anything into the class, and so may a function that is given it, or
    a base of which no more is known than that it doesn't parse.
    """
    return _remembered(index, at, _mro)


def _mro(index: ProjectIndex, at: ClassAt) -> list[ClassAt | Unknown]:
    found = _linear(index, at, frozenset())
    known = [one for one in found if one is not UNKNOWN]
    is_made_up = any(_SUBCLASS_HOOK in one.facts.names or one.facts.is_open for one in known[1:]) or (
        len(known) < len(found) and any(_has_broken_base(index, one) for one in known)
    )
    return found if not is_made_up and all(is_left_alone(index, one) for one in known) else [UNKNOWN]


def _has_broken_base(index: ProjectIndex, at: ClassAt) -> bool:
    return any(is_broken(index, scope_around(at), _unsubscripted(base)) for base in at.facts.bases)


def _linear(index: ProjectIndex, at: ClassAt, below: frozenset[tuple[object, str]]) -> list[ClassAt | Unknown]:
    if at.key in below:
        return [UNKNOWN]
    orders: list[list[ClassAt | Unknown]] = []
    for expression in at.facts.bases:
        match resolve(index, scope_around(at), _unsubscripted(expression)):
            case ClassAt() as known:
                orders.append(_linear(index, known, below | {at.key}))
            case External(dotted=dotted) if dotted in _PLAIN_BASES:
                pass
            case Framework(name=name) if name in _BASES_TO_HAVE:
                pass
            case _:
                orders.append([UNKNOWN])
    if len(orders) == 1:
        return [at, *orders[0]]
    known_orders = [[one for one in order if one is not UNKNOWN] for order in orders]
    if known_orders != orders:
        # Among several bases one that isn't seen could come anywhere.
        return [at, UNKNOWN]
    merged = _merge([*known_orders, [order[0] for order in known_orders]])
    return [at, UNKNOWN] if merged is None else [at, *merged]


def _merge(orders: list[list[ClassAt]]) -> list[ClassAt] | None:
    """The C3 order that respects all orders, or `None` where there is none."""
    merged: list[ClassAt] = []
    rest = [order for order in orders if order]
    while rest:
        behind = {one.key for order in rest for one in order[1:]}
        first = next((order[0] for order in rest if order[0].key not in behind), None)
        if first is None:
            return None
        merged.append(first)
        rest = [[one for one in order if one.key != first.key] for order in rest]
        rest = [order for order in rest if order]
    return merged

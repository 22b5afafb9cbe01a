"""What a class is to those who make objects of it: what it derives from, and whether an object can be made.

The runtime's twin is `thena_runtime.build.describe_state`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from thena_contract import vocabulary
from thena_contract.anchor import Ref
from thena_contract.declarations import UNKNOWN, ParamKind, Shape, Signature, StateDecl, Unknown
from thena_contract.frozen import frozen
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, External, Framework, Resolved, Scope, resolve
from thena_lint.link.classes import (
    DATACLASS,
    ENUMS,
    MODEL,
    STORE_BASE,
    Decoration,
    decorations,
    is_left_alone,
    keeps_its_name,
    mro,
    scope_around,
    scope_inside,
)
from thena_lint.link.signatures import class_ref, read_method, signature_of
from thena_lint.summary.expressions import Call, Constant, Expression, Subscript
from thena_lint.summary.facts import FunctionFacts, Value

_NEW: Final = "__new__"
_ABSTRACT: Final = External("abc.abstractmethod")
_ABC: Final = External("abc.ABC")
_PROTOCOLS: Final = frozenset({External("typing.Protocol"), External("typing_extensions.Protocol")})
_GENERICS: Final = frozenset({External("typing.Generic"), External("typing_extensions.Generic")})
_TYPED_DICTS: Final = frozenset({External("typing.TypedDict"), External("typing_extensions.TypedDict")})
_NAMED_TUPLES: Final = frozenset({External("typing.NamedTuple"), External("typing_extensions.NamedTuple")})
_CONFIG: Final = External("pydantic.ConfigDict")
_FROZEN: Final = frozenset({External("attr.frozen"), External("attrs.frozen")})
_FREEZABLE: Final = frozenset(
    External(dotted)
    for dotted in (DATACLASS, "attr.s", "attr.define", "attrs.define", "pydantic.dataclasses.dataclass")
)
_PLAIN: Final = frozenset({_ABC, External("builtins.object"), *_GENERICS})
_STATIC: Final = External("builtins.staticmethod")
_GENERIC: Final = Ref("typing", "Generic")
_MAKERS: Final = frozenset({"__bases__", "__class__", "__init_subclass__", "__mro_entries__"})
"""Names in a class body through which this class, or one below it, may become something else."""

_STORE: Final = External(f"{vocabulary.PACKAGE}.{STORE_BASE}")
_REFS: Final[Mapping[External, tuple[Ref, ...]]] = {
    _ABC: (Ref("abc", "ABC"),),
    MODEL: (Ref("pydantic.main", "BaseModel"),),
    External("enum.Enum"): (Ref("enum", "Enum"),),
    External("enum.Flag"): (Ref("enum", "Flag"), Ref("enum", "Enum")),
    **dict.fromkeys(_GENERICS, (_GENERIC,)),
    **dict.fromkeys(_NAMED_TUPLES, (Ref("builtins", "tuple"),)),
    External("builtins.object"): (),
    _STORE: (Ref("thena_runtime.memory.store", STORE_BASE), Ref("typing", "Protocol"), _GENERIC),
}
"""The classes outside the project of which it is known what is above them."""


def read_state(index: ProjectIndex, at: ClassAt) -> StateDecl:
    """Read the class of a state."""
    constructor = read_method(index, at, vocabulary.CONSTRUCTOR)
    return StateDecl(
        ref=class_ref(index, at),
        bases=bases_of(index, at),
        shape=shape_of(index, at),
        constructor=UNKNOWN if constructor is None else constructor,
        is_frozen=_is_frozen(index, at),
    )


def bases_of(index: ProjectIndex, at: ClassAt) -> tuple[Ref, ...] | Unknown:
    """All classes above this one but `object`, in an order that says nothing."""
    family = _family(index, at)
    if not family.is_as_written or not family.others <= _REFS.keys():
        return UNKNOWN
    found = {class_ref(index, one) for one in family.classes}
    found.update(ref for one in family.others for ref in _REFS[one])
    if any(one.facts.type_params for one in family.classes):
        found.add(_GENERIC)
    return tuple(sorted(found - {class_ref(index, at)}))


def shape_of(index: ProjectIndex, at: ClassAt) -> Shape | Unknown:
    """Say whether objects can be made of a class, and what its own `__new__` takes."""
    family = _family(index, at)
    if not family.is_as_written:
        return UNKNOWN
    if family.others & ENUMS:
        return Shape(kind="enum", new=UNKNOWN)
    if any(base in _PROTOCOLS for base in _bases(index, at) if isinstance(base, External)):
        return Shape(kind="protocol", new=UNKNOWN)
    if family.others & _TYPED_DICTS:
        return Shape(kind="typed_dict", new=UNKNOWN)
    order = mro(index, at)
    known = [one for one in order if one is not UNKNOWN]
    if known != order or not family.others <= _PLAIN:
        return UNKNOWN
    missing = _missing(index, known) if _ABC in family.others else None
    if missing is UNKNOWN:
        return UNKNOWN
    if missing is not None:
        return Shape(kind="abstract", missing=missing, new=UNKNOWN)
    return Shape(new=_new(index, at, known))


@frozen
class _Family:
    """A class and all above it: those of the project, and what else is named as a base.

    It `is_as_written` where nothing may have made something else of one of them.
    """

    classes: tuple[ClassAt, ...]
    others: frozenset[External]
    is_as_written: bool


def _family(index: ProjectIndex, at: ClassAt) -> _Family:
    classes = {at.key: at}
    others: set[External] = set()
    is_as_written = True
    waiting = [at]
    while waiting:
        one = waiting.pop()
        is_as_written = is_as_written and _is_as_written(index, one)
        for base in _bases(index, one):
            match base:
                case ClassAt():
                    if base.key not in classes:
                        waiting.append(base)
                    classes[base.key] = base
                case External():
                    others.add(base)
                case Framework(name=name) if name == STORE_BASE:
                    others.add(_STORE)
                case _:
                    is_as_written = False
    is_typed_dict = not others.isdisjoint(_TYPED_DICTS)
    is_as_written = is_as_written and all(
        not one.facts.has_keywords or (is_typed_dict and one.facts.says_total) for one in classes.values()
    )
    return _Family(tuple(classes.values()), frozenset(others), is_as_written)


def _bases(index: ProjectIndex, at: ClassAt) -> list[Resolved]:
    return [
        resolve(index, scope_around(at), base.value if isinstance(base, Subscript) else base) for base in at.facts.bases
    ]


def _is_as_written(index: ProjectIndex, at: ClassAt) -> bool:
    """Say whether a class is what the bases in its head say, and leaves those below it alone."""
    return keeps_its_name(index, at) and is_left_alone(index, at) and _MAKERS.isdisjoint(at.facts.names)


def _missing(index: ProjectIndex, order: list[ClassAt]) -> str | Unknown | None:
    """The first method that is abstract and that nobody overrides."""
    names = sorted({name for one in order for name in one.facts.names})
    said = {name: _is_abstract(index, order, name) for name in names}
    if UNKNOWN in said.values():
        return UNKNOWN
    return next((name for name in names if said[name] is True), None)


def _is_abstract(index: ProjectIndex, order: list[ClassAt], name: str) -> bool | Unknown:
    owner = next(one for one in order if name in one.facts.names)
    binding = owner.facts.names[name]
    if not isinstance(binding, FunctionFacts):
        return UNKNOWN if binding is UNKNOWN else False
    marked = [resolve(index, scope_inside(owner), _called(one)) for one in binding.decorators]
    if _ABSTRACT not in marked:
        return UNKNOWN if UNKNOWN in marked else False
    # Python counts it only in a class that has `ABC` above it.
    return True if _ABC in _family(index, owner).others else UNKNOWN


def _called(decorator: Expression) -> Expression:
    return decorator.function if isinstance(decorator, Call) else decorator


def _new(index: ProjectIndex, at: ClassAt, order: list[ClassAt]) -> Signature | Unknown | None:
    """What `__new__` takes beside the class; `None` where that is Python's."""
    owner = next((one for one in order if _NEW in one.facts.names), None)
    if owner is None:
        return None
    binding = owner.facts.names[_NEW]
    if not isinstance(binding, FunctionFacts) or not binding.parameters:
        return UNKNOWN
    if any(resolve(index, scope_inside(owner), one) != _STATIC for one in binding.decorators):
        return UNKNOWN
    subject = f"{at.facts.name}.{_NEW}"
    first, *rest = binding.parameters
    taken = binding.parameters if first.kind is ParamKind.VAR_POSITIONAL else tuple(rest)
    return signature_of(index, subject, owner, binding, taken)


def _is_frozen(index: ProjectIndex, at: ClassAt) -> bool | Unknown:
    """Say whether the fields of an object can't be set, as its author said."""
    if at.facts.freezes and _is_model_but_for_its_keywords(index, at):
        return True
    family = _family(index, at)
    if not family.is_as_written:
        return UNKNOWN
    if family.others & _NAMED_TUPLES:
        return True
    said = [_freezes(one) for one in decorations(index, at)]
    if True in said:
        return True
    if MODEL in family.others:
        return _is_frozen_model(index, at)
    return False if UNKNOWN not in said and family.others <= _REFS.keys() else UNKNOWN


def _freezes(decoration: Decoration) -> bool | Unknown:
    if decoration.what in _FROZEN:
        return True
    if decoration.what not in _FREEZABLE or decoration.call is None:
        return False
    given = decoration.call.keyword("frozen")
    if given is None:
        return UNKNOWN if decoration.call.spreads_keywords else False
    match given[1]:
        case Constant(type="bool", value=bool(value)):
            return value
    return UNKNOWN


def _is_model_but_for_its_keywords(index: ProjectIndex, at: ClassAt) -> bool:
    family = _family(index, ClassAt(at.file, replace(at.facts, has_keywords=False)))
    return family.is_as_written and MODEL in family.others and family.others <= _REFS.keys()


def _is_frozen_model(index: ProjectIndex, at: ClassAt) -> bool | Unknown:
    """What `model_config = ConfigDict(frozen=True)` says in the class itself; anything else is not looked at."""
    match at.facts.names.get("model_config"):
        case Value(expression=Call(function=function) as call) if resolve(index, Scope(at.file), function) == _CONFIG:
            given = call.keyword("frozen")
            if given is not None and given[1] == Constant("bool", True):
                return True
    return UNKNOWN

"""What stands in the bodies of a class and of its bases: its methods, and its annotated fields.

The runtime's twin is `thena_runtime.build.members`. Where a base or a decorator isn't seen, nothing is.
"""

from collections.abc import Collection
from typing import Final

from thena_contract.anchor import Anchor
from thena_contract.declarations import UNKNOWN, FieldDecl, MethodDecl, Signature, Thing, Unknown, literal_of
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, External, Scope, resolve
from thena_lint.link.classes import is_left_alone, is_plain, mro, scope_inside
from thena_lint.link.fields import is_class_variable
from thena_lint.link.models import models_in
from thena_lint.link.requests import requests_of
from thena_lint.link.signatures import class_ref, read_bound
from thena_lint.summary.expressions import NONE, Attribute, Constant, Expression
from thena_lint.summary.facts import Binding, Field, FunctionFacts, Value

_PROPERTIES: Final = frozenset({External("builtins.property"), External("functools.cached_property")})
_SUBCLASS_HOOKS: Final = frozenset({"__init_subclass__", "__pydantic_init_subclass__"})
_ANNOTATIONS: Final = "__annotations__"


def methods_of(index: ProjectIndex, at: ClassAt, by_name: Collection[str]) -> tuple[MethodDecl, ...] | Unknown:
    """The methods of a class; of those in `by_name` whatever stands there."""
    model = models_in(index, at)
    owners = _owners(index, at) if model is None else _owners_of_model(index, model)
    if owners is UNKNOWN:
        return UNKNOWN
    bound: dict[str, tuple[ClassAt, Binding]] = {}
    for owner in owners:
        # Pydantic takes its fields out of the class.
        taken = set() if model is None else _fields_taken(index, owner)
        for name, binding in owner.facts.names.items():
            if name not in taken and (name in by_name or not _is_hidden(name)):
                bound.setdefault(name, (owner, binding))
        if owner.facts.is_open:
            # What is above it may be overridden.
            break
    spoken_of = frozenset[str]().union(*(owner.facts.mentions for owner in owners))
    return tuple(
        MethodDecl(
            name=name,
            called=called,
            anchor=Anchor(class_ref(index, owner)).at("method", name),
            # Whether what is said of a name is a call of this very method isn't looked into.
            is_mentioned=UNKNOWN if name in spoken_of else False,
        )
        for name, (owner, binding) in bound.items()
        if (called := _called(index, at, owner, name, binding, is_wanted=name in by_name)) is not None
    )


def called_by(methods: tuple[MethodDecl, ...], name: str) -> Signature | Thing | Unknown | None:
    """What is called by the name of a method; `None` where there is none."""
    return next((method.called for method in methods if method.name == name), None)


def fields_of(
    index: ProjectIndex, at: ClassAt, constructor: Signature | Unknown | None
) -> tuple[FieldDecl, ...] | Unknown:
    """The annotations in class bodies that the constructor doesn't take."""
    owners = _owners(index, at)
    if owners is UNKNOWN or not isinstance(constructor, Signature):
        return UNKNOWN
    taken = {param.name for param in constructor.params}
    found: dict[str, FieldDecl] = {}
    for owner in owners:
        own = _own_fields(owner)
        if own is UNKNOWN:
            return UNKNOWN
        for field in own:
            if field.name not in found and field.name not in taken:
                requests = requests_of(index, scope_inside(owner), field.annotation)
                anchor = Anchor(class_ref(index, owner)).at("field", field.name)
                found[field.name] = FieldDecl(name=field.name, requests=requests, anchor=anchor)
    return tuple(found.values())


def _owners(index: ProjectIndex, at: ClassAt) -> tuple[ClassAt, ...] | Unknown:
    owners = mro(index, at)
    known = tuple(one for one in owners if one is not UNKNOWN and is_plain(index, one))
    return known if len(known) == len(owners) else UNKNOWN


def _owners_of_model(index: ProjectIndex, model: list[ClassAt] | Unknown) -> tuple[ClassAt, ...] | Unknown:
    """A pydantic model and those above it that may hold a user's methods."""
    if model is UNKNOWN or not all(is_plain(index, one) and is_left_alone(index, one) for one in model):
        return UNKNOWN
    is_made_up = any(not _SUBCLASS_HOOKS.isdisjoint(one.facts.names) for one in model[1:])
    is_seen = all(_own_fields(one) is not UNKNOWN for one in model)
    return tuple(model) if is_seen and not is_made_up else UNKNOWN


def _fields_taken(index: ProjectIndex, owner: ClassAt) -> set[str]:
    own = _own_fields(owner)
    fields = () if own is UNKNOWN else own
    return {field.name for field in fields if not is_class_variable(index, scope_inside(owner), field)}


def _own_fields(owner: ClassAt) -> tuple[Field, ...] | Unknown:
    """The annotations of one class body; of two for one name the last counts, in the place of the first."""
    if owner.facts.fields is UNKNOWN or _ANNOTATIONS in owner.facts.names:
        return UNKNOWN
    return tuple({field.name: field for field in owner.facts.fields}.values())


def _called(
    index: ProjectIndex, at: ClassAt, owner: ClassAt, name: str, binding: Binding, *, is_wanted: bool
) -> Signature | Thing | Unknown | None:
    """What is called by a name; `None` where nothing is, or where it is no method and isn't wanted by its name."""
    match binding:
        case FunctionFacts(decorators=decorators):
            if any(_makes_property(index, scope_inside(owner), one) for one in decorators):
                return UNKNOWN if is_wanted else None
            return read_bound(index, f"{at.facts.name}.{name}", owner, binding)
        case Value(expression=expression) if expression == NONE:
            return None
        case Value(expression=Constant(type="str" | "int" | "bool" as kind, value=value)) if is_wanted:
            return UNKNOWN if value is None else Thing(kind="value", name=kind, literal=literal_of(value))
    return UNKNOWN if is_wanted else None


def _makes_property(index: ProjectIndex, scope: Scope, decorator: Expression) -> bool:
    match decorator:
        case Attribute(name="setter" | "getter" | "deleter"):
            return True
    return resolve(index, scope, decorator) in _PROPERTIES


def _is_hidden(name: str) -> bool:
    """Say whether a name is Python's, or a private one that only its own class sees."""
    return name.startswith("__")

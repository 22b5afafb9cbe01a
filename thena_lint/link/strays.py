"""Markers that are written where they ask for nothing: as a default, as the whole annotation, inside another type.

The runtime's twin is `thena_runtime.build.strays`.
"""

import sys
from typing import Final

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, StrayMarker, Unknown
from thena_contract.vocabulary import RequestKind
from thena_lint.index.modules import ModuleAt
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import (
    ClassAt,
    External,
    Framework,
    FunctionAt,
    Resolved,
    Scope,
    ValueAt,
    is_only_for_types,
    resolve,
)
from thena_lint.link.annotations import ANNOTATED, LITERAL, is_text_from_elsewhere, new_type
from thena_lint.link.classes import makes_instances
from thena_lint.link.requests import Requests, is_type_variable, marker_kind
from thena_lint.source.parse import parse_expression
from thena_lint.summary.expressions import (
    Attribute,
    Binary,
    Call,
    Constant,
    Expression,
    Lambda,
    Name,
    Parameter,
    Sequence,
    Subscript,
    read,
)

_DEEPEST: Final = 40

_Found = RequestKind | Unknown | None


def stray_default(index: ProjectIndex, scope: Scope, parameter: Parameter) -> StrayMarker | Unknown | None:
    """The marker that is a parameter's default value, called or not."""
    if not parameter.has_default:
        return None
    found = UNKNOWN if parameter.default is None else _value(index, scope, parameter.default, 0)
    return StrayMarker(kind=found, where="default") if isinstance(found, RequestKind) else found


def stray_in(
    index: ProjectIndex, scope: Scope, annotation: Expression, requests: Requests
) -> StrayMarker | Unknown | None:
    """The stray marker of an annotation; one inside a type counts where that asks for nothing."""
    whole = _whole(index, scope, annotation)
    if isinstance(whole, RequestKind):
        return StrayMarker(kind=whole, where="annotation")
    if requests is not UNKNOWN and requests != ():
        return None
    inside = _inside(index, scope, annotation)
    if inside is None or inside is UNKNOWN:
        return inside
    return UNKNOWN if requests is UNKNOWN else StrayMarker(kind=inside, where="inside")


def _value(index: ProjectIndex, scope: Scope, expression: Expression, depth: int) -> _Found:
    match expression:
        case Constant() | Sequence() | Lambda():
            return None
        case Name() | Attribute():
            resolved = resolve(index, scope, expression)
            if isinstance(resolved, ValueAt):
                is_deep = depth > _DEEPEST
                return UNKNOWN if is_deep else _value(index, resolved.scope, resolved.value.expression, depth + 1)
            return _named(resolved)
        case Call(function=function):
            made_by = resolve(index, scope, function)
            if isinstance(made_by, ClassAt):
                return None if makes_instances(index, made_by) else UNKNOWN
            return UNKNOWN if isinstance(made_by, FunctionAt | ValueAt) else _named(made_by)
    return UNKNOWN


def _named(resolved: Resolved) -> _Found:
    match resolved:
        case Framework(name=name):
            return vocabulary.MARKERS.get(name)
        case ClassAt() | FunctionAt() | ModuleAt():
            return None
        case External(dotted=dotted) if dotted.startswith("builtins."):
            return None
    return UNKNOWN


def _whole(index: ProjectIndex, scope: Scope, annotation: Expression) -> RequestKind | None:
    """The marker that stands alone as an annotation, where that is certain."""
    match annotation:
        case Constant(type="str", value=str(text)):
            node = parse_expression(text)
            return None if node is None else _whole(index, scope, read(node))
        case Name() | Attribute() | Call():
            found = _value(index, scope, annotation, 0)
            return found if isinstance(found, RequestKind) else None
    return None


def _inside(index: ProjectIndex, scope: Scope, expression: Expression, depth: int = 0) -> _Found:
    """The first marker in an annotation or any type in it."""
    if depth > _DEEPEST or is_only_for_types(index, scope, expression):
        return UNKNOWN
    match expression:
        case Constant(type="str", value=str(text)):
            node = parse_expression(text)
            return UNKNOWN if node is None else _inside(index, scope, read(node), depth + 1)
        case Constant(type="str"):
            return UNKNOWN
        case Constant():
            return None
        case Name(id=name) if name in scope.hidden:
            return None
        case Name() | Attribute():
            return _inside_name(index, scope, resolve(index, scope, expression), depth)
        case Binary(operator="|", left=left, right=right):
            return _inside_any(index, scope, (left, right), depth)
        case Sequence(items=items):
            return _inside_any(index, scope, items, depth)
        case Subscript(value=value, items=items) if not is_only_for_types(index, scope, value):
            return _inside_subscript(index, scope, resolve(index, scope, value), items, depth)
    return UNKNOWN


def _inside_name(index: ProjectIndex, scope: Scope, resolved: Resolved, depth: int) -> _Found:
    match resolved:
        case Framework(name=name):
            return vocabulary.ALIASES.get(name)
        case ValueAt(scope=there, value=value):
            if is_type_variable(index, resolved) or new_type(index, resolved) is not None:
                return None
            # An alias of a `type` statement isn't looked into at start-up, and one of an assignment is.
            is_seen = not is_text_from_elsewhere(resolved, scope) and not value.type_params
            return None if is_seen and _inside(index, there, value.expression, depth + 1) is None else UNKNOWN
        case External(dotted=dotted) if _is_pythons(dotted):
            return None
        case ClassAt() | FunctionAt() | ModuleAt():
            return None
    return UNKNOWN


def _inside_subscript(
    index: ProjectIndex, scope: Scope, resolved: Resolved, items: tuple[Expression, ...], depth: int
) -> _Found:
    match resolved:
        case Framework(name=name) if name in vocabulary.ALIASES:
            return vocabulary.ALIASES[name]
        case External(dotted=dotted) if dotted in ANNOTATED and items:
            inner, *metadata = items
            marks = [marker_kind(index, scope, mark) for mark in metadata]
            return _first([*marks, _inside(index, scope, inner, depth + 1)])
        case External(dotted=dotted) if dotted in LITERAL:
            return None
        case External(dotted=dotted) if _is_pythons(dotted):
            return _inside_any(index, scope, items, depth)
    return UNKNOWN


def _inside_any(index: ProjectIndex, scope: Scope, items: tuple[Expression, ...], depth: int) -> _Found:
    return _first([_inside(index, scope, item, depth + 1) for item in items])


def _first(found: list[_Found]) -> _Found:
    """The first marker of several; unknown where one before it is."""
    return next((one for one in found if one is not None), None)


def _is_pythons(dotted: str) -> bool:
    return dotted.partition(".")[0] in sys.stdlib_module_names or dotted.startswith("builtins.")

"""What a parameter asks for, out of its annotation as written: markers, aliases, strings, `Annotated`, `X | None`.

The runtime's twin is `thena_runtime.build.annotations`; the two must say the same or `UNKNOWN`.
"""

import sys
from typing import Final

from thena_contract import vocabulary
from thena_contract.anchor import Ref
from thena_contract.declarations import UNKNOWN, Request, Unknown
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
    resolve,
)
from thena_lint.source.parse import parse_expression
from thena_lint.summary.expressions import (
    NONE,
    Attribute,
    Binary,
    Call,
    Constant,
    Expression,
    Name,
    Subscript,
    read,
)

Requests = tuple[Request, ...] | Unknown

_NOTHING: Final[tuple[Request, ...]] = ()
_ANNOTATED: Final = frozenset({"typing.Annotated", "typing_extensions.Annotated"})
_OPTIONAL: Final = frozenset({"typing.Optional", "typing_extensions.Optional"})
_UNION: Final = frozenset({"typing.Union", "typing_extensions.Union"})
_TYPE_VARIABLE: Final = frozenset({"typing.TypeVar", "typing_extensions.TypeVar"})
_DEEPEST: Final = 40


def requests_of(index: ProjectIndex, scope: Scope, annotation: Expression | None) -> Requests:
    """Read an annotation. No annotation asks for nothing."""
    return _NOTHING if annotation is None else _read(index, scope, annotation, 0)


def ref_of(index: ProjectIndex, resolved: Resolved) -> Ref | Unknown:
    """The identity of a class, as the runtime would name it."""
    match resolved:
        case ClassAt() as at:
            return index.ref(*at.key)
        case External(dotted=dotted) if dotted.startswith("builtins."):
            return Ref("builtins", dotted.removeprefix("builtins."))
    return UNKNOWN


def _read(index: ProjectIndex, scope: Scope, annotation: Expression, depth: int) -> Requests:
    if depth > _DEEPEST:
        return UNKNOWN
    match annotation:
        case Constant(type="str", value=str(text)):
            node = parse_expression(text)
            return UNKNOWN if node is None else _read(index, scope, read(node), depth + 1)
        case Constant(type="NoneType"):
            return _NOTHING
        case Name(id=name) if depth == 0 and name in scope.hidden:
            return _NOTHING
        case Name() | Attribute():
            resolved = resolve(index, scope, annotation)
            # Within an alias a type variable may be given a marker; as an annotation it is any type.
            if depth == 0 and _is_type_variable(index, resolved):
                return _NOTHING
            if isinstance(resolved, ValueAt) and _is_text_from_elsewhere(resolved, scope):
                return UNKNOWN
            return _named(index, resolved, depth)
        case Subscript(value=value, items=items):
            return _subscripted(index, scope, resolve(index, scope, value), items, depth)
        case Binary(operator="|", left=left, right=right):
            return _union(index, scope, (left, right), depth)
    return UNKNOWN


def _named(index: ProjectIndex, resolved: Resolved, depth: int) -> Requests:
    match resolved:
        case Framework(name=name) if name in vocabulary.SELF_MARKING:
            return (Request(vocabulary.SELF_MARKING[name]),)
        case Framework(name=name) if name in vocabulary.ALIASES:
            kind = vocabulary.ALIASES[name]
            return (Request(kind, UNKNOWN if kind is RequestKind.STATE else None),)
        case ValueAt(scope=scope, value=value):
            inside = Scope(scope.file, scope.inside, scope.hidden | value.type_params)
            return _read(index, inside, value.expression, depth + 1)
        case Framework() | ClassAt() | FunctionAt() | ModuleAt():
            return _NOTHING
        case External(dotted=dotted) if dotted.partition(".")[0] in sys.stdlib_module_names:
            return _NOTHING
    # Another package may have an alias of a marker.
    return UNKNOWN


def _is_type_variable(index: ProjectIndex, resolved: Resolved) -> bool:
    if not isinstance(resolved, ValueAt) or not isinstance(resolved.value.expression, Call):
        return False
    made_by = resolve(index, resolved.scope, resolved.value.expression.function)
    return isinstance(made_by, External) and made_by.dotted in _TYPE_VARIABLE


def _is_text_from_elsewhere(resolved: ValueAt, scope: Scope) -> bool:
    """Say whether an alias is a string of another file, which Python evaluates with the names of this one."""
    expression = resolved.value.expression
    return isinstance(expression, Constant) and expression.type == "str" and resolved.scope.file != scope.file


def _subscripted(
    index: ProjectIndex, scope: Scope, resolved: Resolved, items: tuple[Expression, ...], depth: int
) -> Requests:
    match resolved:
        case External(dotted=dotted) if dotted in _ANNOTATED:
            return _annotated(index, scope, items, depth)
        case External(dotted=dotted) if dotted in _OPTIONAL and len(items) == 1:
            return _read(index, scope, items[0], depth + 1)
        case External(dotted=dotted) if dotted in _UNION:
            return _union(index, scope, items, depth)
        case Framework(name=name) if name in vocabulary.ALIASES and items:
            return _marked(index, scope, vocabulary.ALIASES[name], items[0], depth)
    return _named(index, resolved, depth)


def _union(index: ProjectIndex, scope: Scope, arms: tuple[Expression, ...], depth: int) -> Requests:
    """`X | None` asks for what `X` asks for; a wider union asks for nothing that could be given."""
    flat = tuple(arm for arm in _flattened(arms) if arm != NONE and arm != Constant("str", "None"))
    if len(flat) == 1:
        return _read(index, scope, flat[0], depth + 1)
    asked = {_read(index, scope, arm, depth + 1) for arm in flat}
    # An arm that is itself an alias of a union, or of `None`, would change how many arms there are.
    return _NOTHING if asked == {_NOTHING} else UNKNOWN


def _flattened(arms: tuple[Expression, ...]) -> tuple[Expression, ...]:
    found: list[Expression] = []
    for arm in arms:
        found += _flattened((arm.left, arm.right)) if isinstance(arm, Binary) and arm.operator == "|" else (arm,)
    return tuple(found)


def _annotated(index: ProjectIndex, scope: Scope, items: tuple[Expression, ...], depth: int) -> Requests:
    if not items:
        return UNKNOWN
    inner, *metadata = items
    found: list[Request] = []
    for mark in metadata:
        kind = _marker_kind(index, scope, mark)
        if kind is UNKNOWN:
            return UNKNOWN
        if kind is not None:
            found.append(Request(kind, _of(index, scope, kind, inner, mark)))
    marked = {request.kind for request in found}
    asked = _read(index, scope, inner, depth + 1)
    if asked is UNKNOWN:
        # The type inside a marker may be unseen: what the marker asks for is still certain.
        return tuple(dict.fromkeys(found)) if found else UNKNOWN
    return tuple(dict.fromkeys((*found, *(request for request in asked if request.kind not in marked))))


def _marked(index: ProjectIndex, scope: Scope, kind: RequestKind, inner: Expression, depth: int) -> Requests:
    request = Request(kind, _of(index, scope, kind, inner, None))
    asked = _read(index, scope, inner, depth + 1)
    return (request, *(other for other in asked if other.kind is not kind)) if asked is not UNKNOWN else (request,)


def _marker_kind(index: ProjectIndex, scope: Scope, mark: Expression) -> RequestKind | Unknown | None:
    """Which marker this is, called or not; `None` for other metadata."""
    match mark:
        case Name() | Attribute():
            resolved = resolve(index, scope, mark)
        case Call(function=function):
            resolved = resolve(index, scope, function)
        case Constant():
            return None
        case _:
            return UNKNOWN
    match resolved:
        case Framework(name=name):
            return vocabulary.MARKERS.get(name)
        case ValueAt(scope=there, value=value) if isinstance(value.expression, Call):
            return _marker_kind(index, there, value.expression)
        case ValueAt(value=value) if isinstance(value.expression, Constant):
            return None
        case ClassAt() | External() | ModuleAt():
            return None
    return UNKNOWN


def _of(
    index: ProjectIndex, scope: Scope, kind: RequestKind, inner: Expression, mark: Expression | None
) -> Ref | Unknown | None:
    """The class that a marker names: the state's, or a memory's store."""
    match kind, mark:
        case RequestKind.STATE, _:
            return _class_named(index, scope, inner)
        case RequestKind.MEMORY, Call(arguments=arguments) if arguments:
            return _class_named(index, scope, arguments[0].value)
    return None


def _class_named(index: ProjectIndex, scope: Scope, expression: Expression) -> Ref | Unknown:
    match expression:
        case Constant(type="str", value=str(text)):
            node = parse_expression(text)
            return UNKNOWN if node is None else _class_named(index, scope, read(node))
        case Subscript(value=value):
            return _class_named(index, scope, value)
    return ref_of(index, resolve(index, scope, expression))

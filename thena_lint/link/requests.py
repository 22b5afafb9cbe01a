"""What a parameter asks for, out of its annotation as written: markers, aliases, strings, `Annotated`, `X | None`.

The runtime's twin is `thena_runtime.build.annotations`; the two must say the same or `UNKNOWN`.
"""

import builtins
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
    is_framework,
    is_only_for_types,
    outermost,
    remembered,
    resolve,
)
from thena_lint.link.annotations import (
    ANNOTATED,
    OPTIONAL,
    UNION,
    class_in,
    flattened,
    is_text_from_elsewhere,
    new_type,
)
from thena_lint.source.parse import parse_expression
from thena_lint.summary.expressions import (
    NONE,
    Argument,
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
_TYPE_VARIABLE: Final = frozenset({"typing.TypeVar", "typing_extensions.TypeVar"})
_DEEPEST: Final = 40


def requests_of(index: ProjectIndex, scope: Scope, annotation: Expression | None) -> Requests:
    """Read an annotation. No annotation asks for nothing."""
    return _NOTHING if annotation is None else remembered(index, outermost(scope, annotation), annotation, _read)


def _read(index: ProjectIndex, scope: Scope, annotation: Expression, depth: int = 0) -> Requests:
    if depth > _DEEPEST:
        return UNKNOWN
    if is_only_for_types(index, scope, annotation):
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
            if depth == 0 and is_type_variable(index, resolved):
                return _NOTHING
            if isinstance(resolved, ValueAt) and is_text_from_elsewhere(resolved, scope):
                return UNKNOWN
            return _named(index, resolved, depth)
        case Subscript(value=value, items=items) if not is_only_for_types(index, scope, value):
            return _subscripted(index, scope, resolve(index, scope, value), items, depth)
        case Binary(operator="|", left=left, right=right):
            return _union(index, scope, (left, right), depth)
    return UNKNOWN


def _named(index: ProjectIndex, resolved: Resolved, depth: int) -> Requests:
    match resolved:
        case Framework(name=name) if name in vocabulary.SELF_MARKING:
            return (Request(vocabulary.SELF_MARKING[name], is_marked=False),)
        case Framework(name=name) if name in vocabulary.ALIASES:
            return (Request(vocabulary.ALIASES[name], UNKNOWN),)
        case ValueAt() if new_type(index, resolved) is not None:
            return _NOTHING
        case ValueAt(scope=scope, value=value):
            inside = Scope(scope.file, scope.inside, scope.hidden | value.type_params)
            return _read(index, inside, value.expression, depth + 1)
        case Framework() | ClassAt() | FunctionAt() | ModuleAt():
            return _NOTHING
        case External(dotted=dotted) if dotted.partition(".")[0] in sys.stdlib_module_names:
            return _NOTHING
    # Another package may have an alias of a marker.
    return UNKNOWN


def is_type_variable(index: ProjectIndex, resolved: Resolved) -> bool:
    if not isinstance(resolved, ValueAt) or not isinstance(resolved.value.expression, Call):
        return False
    made_by = resolve(index, resolved.scope, resolved.value.expression.function)
    return isinstance(made_by, External) and made_by.dotted in _TYPE_VARIABLE


def _subscripted(
    index: ProjectIndex, scope: Scope, resolved: Resolved, items: tuple[Expression, ...], depth: int
) -> Requests:
    match resolved:
        case External(dotted=dotted) if dotted in ANNOTATED:
            return _annotated(index, scope, items, depth)
        case External(dotted=dotted) if dotted in OPTIONAL and len(items) == 1:
            return _read(index, scope, items[0], depth + 1)
        case External(dotted=dotted) if dotted in UNION:
            return _union(index, scope, items, depth)
        case Framework(name=name) if name in vocabulary.ALIASES and items:
            return _marked(index, scope, vocabulary.ALIASES[name], items[0], depth)
        case Framework(name=vocabulary.CONTEXT) if items:
            return (Request(RequestKind.CONTEXT, class_in(index, scope, items[0]), is_marked=False),)
    return _named(index, resolved, depth)


def _union(index: ProjectIndex, scope: Scope, arms: tuple[Expression, ...], depth: int) -> Requests:
    """`X | None` asks for what `X` asks for; a wider union asks for nothing that could be given."""
    flat = tuple(arm for arm in flattened(arms) if arm != NONE and arm != Constant("str", "None"))
    if len(flat) == 1:
        return _read(index, scope, flat[0], depth + 1)
    asked = {_read(index, scope, arm, depth + 1) for arm in flat}
    # An arm that is itself an alias of a union, or of `None`, would change how many arms there are.
    is_wide = any(_is_marked(index, scope, arm) for arm in flat) and any(_is_class(index, scope, arm) for arm in flat)
    return _NOTHING if asked == {_NOTHING} or is_wide else UNKNOWN


def _is_marked(index: ProjectIndex, scope: Scope, arm: Expression) -> bool:
    """Say whether an arm of a union is certainly one arm with a marker."""
    match arm:
        case Subscript(value=value):
            what = resolve(index, scope, value)
            is_alias = isinstance(what, Framework) and what.name in vocabulary.ALIASES
            return is_alias or (isinstance(what, External) and what.dotted in ANNOTATED)
    return False


def _is_class(index: ProjectIndex, scope: Scope, arm: Expression) -> bool:
    """Say whether an arm of a union is certainly one class, and so not what is marked."""
    what = resolve(index, scope, arm)
    return isinstance(what, ClassAt) or (isinstance(what, External) and _is_builtin_class(what.dotted))


def _is_builtin_class(dotted: str) -> bool:
    module, _, name = dotted.rpartition(".")
    return module == "builtins" and isinstance(getattr(builtins, name, None), type)


def _annotated(index: ProjectIndex, scope: Scope, items: tuple[Expression, ...], depth: int) -> Requests:
    if not items:
        return UNKNOWN
    inner, *metadata = items
    found: list[Request] = []
    for mark in metadata:
        kind = marker_kind(index, scope, mark)
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
    request = Request(kind, class_in(index, scope, inner))
    asked = _read(index, scope, inner, depth + 1)
    return (request, *(other for other in asked if other.kind is not kind)) if asked is not UNKNOWN else (request,)


def marker_kind(index: ProjectIndex, scope: Scope, mark: Expression) -> RequestKind | Unknown | None:
    """Which marker this is, called or not; `None` for other metadata."""
    named = mark.function if isinstance(mark, Call) else mark
    match named:
        case Name() | Attribute():
            if is_only_for_types(index, scope, named):
                return None
            resolved = resolve(index, scope, named)
        case Constant():
            return None
        case _:
            return UNKNOWN
    match resolved:
        case Framework(name=name):
            return vocabulary.MARKERS.get(name)
        case ValueAt(scope=there, value=value) if isinstance(value.expression, Call):
            return marker_kind(index, there, value.expression)
        case ValueAt(value=value) if isinstance(value.expression, Constant):
            return None
        case ClassAt() | External() | ModuleAt():
            return None
    return UNKNOWN


def _of(
    index: ProjectIndex, scope: Scope, kind: RequestKind, inner: Expression, mark: Expression
) -> Ref | Unknown | None:
    """The class that a marker names: that of the state, data or input, or a memory's store."""
    match kind, mark:
        case RequestKind.MEMORY, Call(arguments=arguments):
            return _store(index, scope, arguments)
        case RequestKind.MEMORY, _:
            return UNKNOWN if isinstance(resolve(index, scope, mark), ValueAt) else None
        case RequestKind.CONTEXT, _:
            return _data_of(index, scope, inner)
    return class_in(index, scope, inner)


def _store(index: ProjectIndex, scope: Scope, arguments: tuple[Argument, ...]) -> Ref | Unknown | None:
    match arguments:
        case ():
            return None
        case (Argument(value=store, star="", keyword=None | "store"),) if store == NONE:
            return None
        case (Argument(value=Name() | Attribute() as store, star="", keyword=None | "store"),):
            return class_in(index, scope, store)
    return UNKNOWN


def _data_of(index: ProjectIndex, scope: Scope, context: Expression) -> Ref | Unknown | None:
    """What a `Context[...]` says that the data is; `None` where it says nothing."""
    match context:
        case Subscript(value=value, items=(data,)) if is_framework(resolve(index, scope, value), vocabulary.CONTEXT):
            return class_in(index, scope, data)
        case Name() | Attribute() if is_framework(resolve(index, scope, context), vocabulary.CONTEXT):
            return None
    return UNKNOWN

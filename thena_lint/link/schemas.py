"""Which types a model can be told about, as far as that is certain without asking pydantic.

The runtime's twin is `thena_runtime.build.schemas`, which asks it.
"""

from typing import Final

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, Unknown
from thena_contract.vocabulary import RequestKind
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, External, Framework, Resolved, Scope, ValueAt, is_only_for_types, resolve
from thena_lint.link.annotations import ANNOTATED, LITERAL, OPTIONAL, UNION, flattened
from thena_lint.link.classes import dataclass_of, is_plain, mro, scope_inside
from thena_lint.link.requests import Requests
from thena_lint.source.parse import parse_expression
from thena_lint.summary.expressions import (
    NONE,
    Attribute,
    Binary,
    Constant,
    Expression,
    Name,
    Sequence,
    Subscript,
    read,
)

_SCALARS: Final = frozenset(f"builtins.{name}" for name in ("str", "int", "float", "bool", "bytes"))
_CONTAINERS: Final = frozenset(
    {
        *(f"builtins.{name}" for name in ("list", "tuple", "set", "frozenset", "dict")),
        *(f"typing.{name}" for name in ("List", "Tuple", "Set", "FrozenSet", "Dict", "Sequence", "Mapping")),
        *(f"collections.abc.{name}" for name in ("Sequence", "Mapping")),
    }
)
_OTHERS: Final = frozenset(
    {
        *("typing.Any", "builtins.object", "decimal.Decimal", "uuid.UUID", "pathlib.Path"),
        *(f"datetime.{name}" for name in ("datetime", "date", "time", "timedelta")),
    }
)
_CALLABLES: Final = frozenset({"typing.Callable", "collections.abc.Callable"})
_WITHOUT: Final = frozenset(
    {
        *_CALLABLES,
        *("sqlite3.Connection", "sqlite3.Cursor", "socket.socket", "logging.Logger"),
        *("asyncio.Queue", "asyncio.Event", "asyncio.Lock", "queue.Queue"),
    }
)
"""Types of the standard library that no JSON can hold."""

_NO_OBJECTS: Final = frozenset({*_SCALARS, *(f"builtins.{name}" for name in ("list", "tuple", "set", "frozenset"))})
_PYDANTICS: Final = ("__get_pydantic", "__pydantic", "__get_validators", "__modify_schema", "__class_getitem__")
"""Names in a class body by which a class says itself what its schema is."""

_DEEPEST: Final = 20
_Answer = bool | Unknown


def has_schema(index: ProjectIndex, scope: Scope, annotation: Expression, requests: Requests) -> _Answer:
    """Say whether a model can be told of a parameter's type; of what asks for the input, whether it holds arguments."""
    if requests == ():
        return _type(index, scope, annotation, 0)
    if requests is not UNKNOWN and [request.kind for request in requests] == [RequestKind.INPUT]:
        return _model(index, scope, annotation)
    return UNKNOWN


def _model(index: ProjectIndex, scope: Scope, annotation: Expression) -> _Answer:
    """The type inside `Input[...]`, which has to be an object's."""
    match annotation:
        case Constant(type="str", value=str(text)):
            node = parse_expression(text)
            return UNKNOWN if node is None else _model(index, scope, read(node))
        case Subscript(value=value, items=(inner, *_)) if _marks(resolve(index, scope, value)):
            if is_only_for_types(index, scope, inner):
                return UNKNOWN
            what = resolve(index, scope, inner)
            if isinstance(what, ClassAt):
                return _class(index, what, 0)
            is_none = isinstance(what, External) and what.dotted in {*_NO_OBJECTS, *_WITHOUT}
            return False if is_none else UNKNOWN
    return UNKNOWN


def _marks(resolved: Resolved) -> bool:
    if isinstance(resolved, Framework):
        return vocabulary.ALIASES.get(resolved.name) is RequestKind.INPUT
    return isinstance(resolved, External) and resolved.dotted in ANNOTATED


def _type(index: ProjectIndex, scope: Scope, annotation: Expression, depth: int) -> _Answer:
    if depth > _DEEPEST or is_only_for_types(index, scope, annotation):
        return UNKNOWN
    match annotation:
        case Constant(type="str", value=str(text)):
            node = parse_expression(text)
            return UNKNOWN if node is None else _type(index, scope, read(node), depth + 1)
        case Constant(type="NoneType"):
            return True
        case Name() | Attribute():
            return _named(index, scope, resolve(index, scope, annotation), depth)
        case Binary(operator="|", left=left, right=right):
            return _union(index, scope, (left, right), depth)
        case Subscript(value=value, items=items) if not is_only_for_types(index, scope, value):
            return _subscripted(index, scope, resolve(index, scope, value), items, depth)
    return UNKNOWN


def _named(index: ProjectIndex, scope: Scope, resolved: Resolved, depth: int) -> _Answer:
    match resolved:
        case ClassAt() as at:
            return _class(index, at, depth)
        case External(dotted=dotted) if dotted in _WITHOUT:
            return False
        case External(dotted=dotted) if dotted in _SCALARS or dotted in _CONTAINERS or dotted in _OTHERS:
            return True
        case ValueAt(scope=there, value=value) if there.file == scope.file and not value.type_params:
            is_type = isinstance(value.expression, Subscript | Binary)
            return _type(index, there, value.expression, depth + 1) if is_type else UNKNOWN
    return UNKNOWN


def _subscripted(
    index: ProjectIndex, scope: Scope, resolved: Resolved, items: tuple[Expression, ...], depth: int
) -> _Answer:
    match resolved:
        case External(dotted=dotted) if dotted in _CALLABLES:
            return False
        case External(dotted=dotted) if dotted in _CONTAINERS:
            return _all([_type(index, scope, item, depth + 1) for item in items if item != Constant("ellipsis")])
        case External(dotted=dotted) if dotted in OPTIONAL or dotted in UNION:
            return _union(index, scope, items, depth)
        case External(dotted=dotted) if dotted in LITERAL:
            return True
        case External(dotted=dotted) if dotted in ANNOTATED:
            inner, *metadata = items
            is_told = all(isinstance(mark, Constant) for mark in metadata)
            return _type(index, scope, inner, depth + 1) if is_told else UNKNOWN
    return UNKNOWN


def _union(index: ProjectIndex, scope: Scope, arms: tuple[Expression, ...], depth: int) -> _Answer:
    """A type beside `None` is that type; of a wider union, what can't be told may be left out."""
    others = [arm for arm in flattened(arms) if arm != NONE]
    parts = [_type(index, scope, arm, depth + 1) for arm in others]
    if len(parts) == 1:
        return parts[0]
    return True if all(part is True for part in parts) else UNKNOWN


def _class(index: ProjectIndex, at: ClassAt, depth: int) -> _Answer:
    """A class of the project: a dataclass has a schema if its fields have, and a plain class none."""
    order = mro(index, at)
    known = [one for one in order if one is not UNKNOWN and is_plain(index, one)]
    if len(known) != len(order) or any(name.startswith(_PYDANTICS) for one in known for name in one.facts.names):
        return UNKNOWN
    if not any(dataclass_of(index, one) for one in known):
        return False
    return _all([_fields(index, one, depth) for one in known if dataclass_of(index, one) is not None])


def _fields(index: ProjectIndex, at: ClassAt, depth: int) -> _Answer:
    """Whether each field of a dataclass has a schema, as far as they are plainly written."""
    fields = at.facts.fields
    if fields is UNKNOWN or not all(isinstance(one.default, Constant | Sequence | None) for one in fields):
        return UNKNOWN
    return _all([_type(index, scope_inside(at), one.annotation, depth + 1) for one in fields])


def _all(parts: list[_Answer]) -> _Answer:
    return False if False in parts else UNKNOWN if UNKNOWN in parts else True

"""Which types a model can be told about, as far as that is certain without asking pydantic.

The runtime's twin is `thena_runtime.build.schemas`, which asks it.
"""

from collections.abc import Collection
from typing import Final, Literal

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, Unknown
from thena_contract.vocabulary import RequestKind
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, External, Framework, Resolved, Scope, ValueAt, is_only_for_types, resolve
from thena_lint.link.annotations import ANNOTATED, LITERAL, OPTIONAL, UNION, flattened, new_type
from thena_lint.link.classes import dataclass_of, is_left_alone, is_plain, mro, scope_around, scope_inside
from thena_lint.link.fields import is_class_variable
from thena_lint.link.models import CONFIG_NAME, is_plain_model, models_in
from thena_lint.link.requests import Requests
from thena_lint.source.parse import parse_expression
from thena_lint.summary.expressions import (
    NONE,
    Attribute,
    Binary,
    Call,
    Constant,
    Expression,
    Name,
    Sequence,
    Subscript,
    read,
)
from thena_lint.summary.facts import FunctionFacts, Value

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

_NO_OBJECTS: Final = (_SCALARS | _CONTAINERS) - {
    "builtins.dict",
    "typing.Dict",
    "typing.Mapping",
    "collections.abc.Mapping",
}
_REQUIRED: Final = frozenset(
    f"{module}.{name}" for module in ("typing", "typing_extensions") for name in ("Required", "NotRequired", "ReadOnly")
)
_TYPED_DICTS: Final = frozenset({External("typing.TypedDict"), External("typing_extensions.TypedDict")})
_TUPLES: Final = frozenset({External("typing.NamedTuple"), External("typing_extensions.NamedTuple")})
_ENUMS: Final = frozenset(External(f"enum.{name}") for name in ("Enum", "IntEnum", "StrEnum"))
_MIXED_IN: Final = frozenset({External("builtins.str"), External("builtins.int")})
_FIELD: Final = frozenset({"pydantic.Field", "pydantic.fields.Field"})
_NO_TYPES: Final = frozenset({"description", "title", "examples", "deprecated"})
"""What `Field(...)` may say of a type without being the type."""

_ALLOWED: Final = "arbitrary_types_allowed"
_PYDANTICS: Final = ("__get_pydantic", "__pydantic", "__get_validators", "__modify_schema", "__class_getitem__")
"""Names in a class body by which a class says itself what its schema is."""

_DEEPEST: Final = 20

_Answer = Literal["told", "hidden", "refused"] | Unknown
"""Whether a type has a JSON schema (`told`), or pydantic knows the type and can't tell of it (`hidden`, as it is with
functions, which are left out of a union), or makes nothing of it (`refused`)."""


def has_schema(index: ProjectIndex, scope: Scope, annotation: Expression, requests: Requests) -> bool | Unknown:
    """Say whether a model can be told of a parameter's type; of what asks for the input, whether it holds arguments."""
    answer: _Answer = UNKNOWN
    if requests == ():
        answer = _type(index, scope, annotation, 0)
    elif requests is not UNKNOWN and [request.kind for request in requests] == [RequestKind.INPUT]:
        answer = _model(index, scope, annotation)
    return UNKNOWN if answer is UNKNOWN else answer == "told"


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
                answer = _class(index, what, 0)
                is_value = any(base in _ENUMS or base in _TUPLES for base in _bases(index, what))
                return "refused" if is_value and answer == "told" else answer
            if isinstance(inner, Subscript):
                container = resolve(index, scope, inner.value)
                is_list = isinstance(container, External) and container.dotted in _NO_OBJECTS
                return "refused" if is_list and _type(index, scope, inner, 0) is not UNKNOWN else UNKNOWN
            is_none = isinstance(what, External) and what.dotted in {*_NO_OBJECTS, *_WITHOUT}
            return "refused" if is_none else UNKNOWN
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
            return "told"
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
        case External(dotted=dotted) if dotted in _CALLABLES:
            return "hidden"
        case External(dotted=dotted) if dotted in _WITHOUT:
            return "refused"
        case External(dotted=dotted) if dotted in _SCALARS or dotted in _CONTAINERS or dotted in _OTHERS:
            return "told"
        case ValueAt(scope=there) if (inner := new_type(index, resolved)) is not None:
            return _type(index, there, inner, depth + 1)
        case ValueAt(scope=there, value=value) if there.file == scope.file and not value.type_params:
            is_type = isinstance(value.expression, Subscript | Binary)
            return _type(index, there, value.expression, depth + 1) if is_type else UNKNOWN
    return UNKNOWN


def _subscripted(
    index: ProjectIndex, scope: Scope, resolved: Resolved, items: tuple[Expression, ...], depth: int
) -> _Answer:
    match resolved:
        case External(dotted=dotted) if dotted in _CALLABLES:
            return "hidden"
        case External(dotted=dotted) if dotted in _CONTAINERS:
            return _all([_type(index, scope, item, depth + 1) for item in items if item != Constant("ellipsis")])
        case External(dotted=dotted) if dotted in OPTIONAL or dotted in UNION:
            return _union(index, scope, items, depth)
        case External(dotted=dotted) if dotted in LITERAL:
            return "told"
        case External(dotted=dotted) if dotted in ANNOTATED:
            inner, *metadata = items
            is_told = all(_says_no_type(index, scope, mark) for mark in metadata)
            return _type(index, scope, inner, depth + 1) if is_told else UNKNOWN
    return UNKNOWN


def _says_no_type(index: ProjectIndex, scope: Scope, mark: Expression) -> bool:
    """Say whether what stands beside a type in `Annotated` is only words about it."""
    if isinstance(mark, Call):
        what = resolve(index, scope, mark.function)
        is_field = isinstance(what, External) and what.dotted in _FIELD
        return is_field and all(one.keyword in _NO_TYPES for one in mark.arguments)
    return isinstance(mark, Constant)


def _union(index: ProjectIndex, scope: Scope, arms: tuple[Expression, ...], depth: int) -> _Answer:
    """A type beside `None` is that type; of a wider union, what pydantic knows and can't tell of is left out."""
    others = [arm for arm in flattened(arms) if arm != NONE]
    parts = [_type(index, scope, arm, depth + 1) for arm in others]
    if len(parts) == 1:
        return parts[0]
    return "refused" if "refused" in parts else UNKNOWN if UNKNOWN in parts or "told" not in parts else "told"


def _class(index: ProjectIndex, at: ClassAt, depth: int) -> _Answer:
    """A class of the project: of one with fields these decide, and a plain class is refused."""
    model = models_in(index, at)
    if model is not None:
        return UNKNOWN if model is UNKNOWN else _of_model(index, model, depth)
    bases = _bases(index, at)
    if any(base in _TYPED_DICTS for base in bases) or (len(bases) == 1 and bases[0] in _TUPLES):
        return _of_typed(index, at, depth) if len(bases) == 1 else UNKNOWN
    if bases and bases[-1] in _ENUMS and all(one in _MIXED_IN for one in bases[:-1]):
        return _of_enum(index, at)
    order = mro(index, at)
    known = [one for one in order if one is not UNKNOWN and is_plain(index, one)]
    if len(known) != len(order) or _says_itself(known):
        return UNKNOWN
    if not any(dataclass_of(index, one) for one in known):
        return "refused"
    if _checks_itself(index, known):
        return UNKNOWN
    return _fields(index, known, [one for one in known if dataclass_of(index, one) is not None], depth)


def _bases(index: ProjectIndex, at: ClassAt) -> list[Resolved]:
    return [resolve(index, scope_around(at), one) for one in at.facts.bases]


def _says_itself(classes: Collection[ClassAt]) -> bool:
    """Say whether a class may tell pydantic what it is."""
    return any(name.startswith(_PYDANTICS) for one in classes for name in one.facts.names)


def _checks_itself(index: ProjectIndex, classes: Collection[ClassAt]) -> bool:
    """Say whether a method may check a field otherwise than its annotation says, by a decorator of pydantic's."""
    return any(
        not _is_own(index, one, decorator)
        for one in classes
        for binding in one.facts.names.values()
        if isinstance(binding, FunctionFacts)
        for decorator in binding.decorators
    )


def _is_own(index: ProjectIndex, at: ClassAt, decorator: Expression) -> bool:
    """Say whether a decorator of a method is certainly none of pydantic's."""
    if isinstance(decorator, Attribute) and decorator.name in ("setter", "getter", "deleter"):
        return True
    what = resolve(index, scope_inside(at), decorator)
    return isinstance(what, External) and what.dotted.partition(".")[0] in ("builtins", "functools", "abc", "typing")


def _of_model(index: ProjectIndex, order: list[ClassAt], depth: int) -> _Answer:
    """A pydantic model, which pydantic has made something of already: a type that it refuses was allowed."""
    if not all(is_plain_model(index, one) for one in order) or _says_itself(order) or _checks_itself(index, order):
        return UNKNOWN
    answer = _fields(index, order, order, depth, is_model=True)
    if answer == "refused":
        return "hidden" if any(_allows_any_type(one) for one in order) else UNKNOWN
    return answer


def _allows_any_type(at: ClassAt) -> bool:
    match at.facts.names.get(CONFIG_NAME):
        case Value(expression=Call() as call):
            given = call.keyword(_ALLOWED)
            return given is not None and given[1] == Constant("bool", True)
    return False


def _of_typed(index: ProjectIndex, at: ClassAt, depth: int) -> _Answer:
    """A `TypedDict` or `NamedTuple` that derives from nothing else."""
    if at.facts.fields is UNKNOWN or at.facts.decorators or not is_left_alone(index, at) or _says_itself([at]):
        return UNKNOWN
    scope = scope_inside(at)
    return _all([_type(index, scope, _required(index, scope, one.annotation), depth + 1) for one in at.facts.fields])


def _required(index: ProjectIndex, scope: Scope, annotation: Expression) -> Expression:
    """The type inside `NotRequired[...]` and the like."""
    match annotation:
        case Subscript(value=value, items=(inner,)):
            what = resolve(index, scope, value)
            if isinstance(what, External) and what.dotted in _REQUIRED:
                return _required(index, scope, inner)
    return annotation


def _of_enum(index: ProjectIndex, at: ClassAt) -> _Answer:
    """An enum of plain values. One without members has no schema, and values that aren't plain may have none."""
    if at.facts.decorators or at.facts.has_keywords or not is_left_alone(index, at) or _says_itself([at]):
        return UNKNOWN
    own = (one for name, one in at.facts.names.items() if not name.startswith("_"))
    members = [one for one in own if not isinstance(one, FunctionFacts)]
    is_plain_value = all(isinstance(one, Value) and isinstance(one.expression, Constant) for one in members)
    return "told" if members and is_plain_value else UNKNOWN


def _fields(
    index: ProjectIndex, order: list[ClassAt], declaring: list[ClassAt], depth: int, *, is_model: bool = False
) -> _Answer:
    """Whether each field has a schema, of those that some classes of an order declare, as far as plainly written."""
    parts: list[_Answer] = []
    seen: set[str] = set()
    for one in order:
        own = one.facts.fields
        if own is UNKNOWN or (one not in declaring and own):
            return UNKNOWN
        scope = scope_inside(one)
        for field in {field.name: field for field in own}.values():
            if is_model and (field.name.startswith("_") or field.name == CONFIG_NAME):
                continue
            if field.name not in seen and not is_class_variable(index, scope, field):
                is_plain_field = field.default is None or _is_plain_default(index, scope, field.default)
                parts.append(_type(index, scope, field.annotation, depth + 1) if is_plain_field else UNKNOWN)
            seen.add(field.name)
    return _all(parts)


def _is_plain_default(index: ProjectIndex, scope: Scope, default: Expression) -> bool:
    """Say whether a default leaves a field what its annotation says."""
    match default:
        case Constant() | Sequence():
            return True
        case Call(function=function) as call:
            what = resolve(index, scope, function)
            is_field = isinstance(what, External) and what.dotted in {"dataclasses.field", *_FIELD}
            return is_field and all(one.keyword in {"default", "default_factory", *_NO_TYPES} for one in call.arguments)
    return False


def _all(parts: list[_Answer]) -> _Answer:
    if "refused" in parts:
        return "refused"
    return UNKNOWN if UNKNOWN in parts else "hidden" if "hidden" in parts else "told"

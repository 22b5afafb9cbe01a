"""The constructor that `@dataclass` generates, from the fields of a class and its bases."""

from typing import Final

from thena_contract.declarations import UNKNOWN, ParamKind, Unknown
from thena_contract.frozen import frozen
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, External, Scope, ValueAt, resolve, root_of
from thena_lint.link.classes import Decoration, dataclass_of, is_plain, mro, scope_inside
from thena_lint.source.parse import parse_expression
from thena_lint.summary.expressions import (
    VALUE,
    Attribute,
    Call,
    Constant,
    Expression,
    Name,
    Parameter,
    Subscript,
    read,
)
from thena_lint.summary.facts import Field

_FIELD: Final = External("dataclasses.field")
_CLASS_VAR: Final = frozenset({External("typing.ClassVar"), External("typing_extensions.ClassVar")})
_KW_ONLY: Final = External("dataclasses.KW_ONLY")


@frozen
class _Generated:
    scope: Scope
    parameter: Parameter


def generated_parameters(index: ProjectIndex, at: ClassAt) -> list[tuple[Scope, Parameter]] | Unknown | None:
    """The generated parameters, each with the scope of its annotation; `None` where none is generated."""
    decoration = dataclass_of(index, at)
    if decoration is None or _option(decoration, "init") is False:
        return None
    found: dict[str, _Generated | None] = {}
    for one in reversed(mro(index, at)):
        if one is UNKNOWN or not is_plain(index, one):
            return UNKNOWN
        decoration = dataclass_of(index, one)
        if decoration is None:
            continue
        if decoration.call is not None and decoration.call.spreads_keywords:
            return UNKNOWN
        own = _own(index, one, kw_only=_option(decoration, "kw_only"))
        if own is UNKNOWN:
            return UNKNOWN
        found.update(own)
    taken = [one for one in found.values() if one is not None]
    ordered = sorted(taken, key=lambda one: one.parameter.kind is ParamKind.KEYWORD_ONLY)
    return [(one.scope, one.parameter) for one in ordered]


def _own(index: ProjectIndex, at: ClassAt, *, kw_only: bool | Unknown | None) -> dict[str, _Generated | None] | Unknown:
    """The fields that a class declares itself; `None` for one that the constructor doesn't take."""
    scope = scope_inside(at)
    found: dict[str, _Generated | None] = {}
    if at.facts.fields is UNKNOWN:
        return UNKNOWN
    for field in at.facts.fields:
        meaning = _meaning(index, scope, field.annotation)
        if meaning is UNKNOWN:
            return UNKNOWN
        if meaning in _CLASS_VAR:
            continue
        if meaning == _KW_ONLY:
            kw_only = True
            continue
        options = _options(index, scope, field)
        if options is UNKNOWN or kw_only is UNKNOWN:
            return UNKNOWN
        takes, default, own_kw_only = options
        is_kw_only = bool(kw_only) if own_kw_only is None else own_kw_only
        kind = ParamKind.KEYWORD_ONLY if is_kw_only else ParamKind.POSITIONAL_OR_KEYWORD
        parameter = Parameter(field.name, kind, default is not None, field.annotation, default)
        found[field.name] = _Generated(scope, parameter) if takes else None
    return found


def _meaning(index: ProjectIndex, scope: Scope, annotation: Expression) -> External | Unknown | None:
    """What the outermost name of an annotation is, if it comes from a library.

    `UNKNOWN` where what binds it doesn't parse: it could be `ClassVar`.
    """
    match annotation:
        case Constant(type="str", value=str(text)):
            node = parse_expression(text)
            return None if node is None else _meaning(index, scope, read(node))
        case Subscript(value=value):
            return _meaning(index, scope, value)
        case Name() | Attribute():
            what, root, file = resolve(index, scope, annotation), root_of(annotation), index.file(scope.file)
            if root is not None and file is not None and file.has_lost(root.id):
                return UNKNOWN
            return what if isinstance(what, External) else None
    return None


def is_class_variable(index: ProjectIndex, scope: Scope, field: Field) -> bool:
    """Say whether a field is annotated with `ClassVar`."""
    return _meaning(index, scope, field.annotation) in _CLASS_VAR


def _options(index: ProjectIndex, scope: Scope, field: Field) -> tuple[bool, Expression | None, bool | None] | Unknown:
    """Whether the constructor takes a field, what its default is, and whether it is keyword-only (if said)."""
    match field.default:
        case None:
            return (True, None, None)
        case Call(function=function) as call:
            what = resolve(index, scope, function)
            if what == _FIELD:
                return _field_options(call)
            # A function may return a `field(...)`.
            is_value = isinstance(what, ClassAt) or (isinstance(what, External) and what.dotted.startswith("builtins."))
            return (True, call, None) if is_value else UNKNOWN
        case Name() | Attribute() as name:
            what = resolve(index, scope, name)
            if isinstance(what, ValueAt) and isinstance(what.value.expression, Call):
                return UNKNOWN
    return (True, field.default, None)


def _field_options(call: Call) -> tuple[bool, Expression | None, bool | None] | Unknown:
    if call.spreads_keywords:
        return UNKNOWN
    init, kw_only = _flag(call, "init"), _flag(call, "kw_only")
    if init is UNKNOWN or kw_only is UNKNOWN:
        return UNKNOWN
    default, factory = call.keyword("default"), call.keyword("default_factory")
    made = None if factory is None else VALUE
    return (init is not False, made if default is None else default[1], kw_only)


def _option(decoration: Decoration, name: str) -> bool | Unknown | None:
    return None if decoration.call is None else _flag(decoration.call, name)


def _flag(call: Call, name: str) -> bool | Unknown | None:
    """A keyword's literal truth; `None` where it isn't given."""
    given = call.keyword(name)
    if given is None:
        return None
    match given[1]:
        case Constant(type="bool", value=bool(value)):
            return value
    return UNKNOWN

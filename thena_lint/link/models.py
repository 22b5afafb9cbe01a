"""The constructors of pydantic models and attrs classes, as far as their fields are written plainly.

Left out on purpose: aliases, generated names, and options that change what a constructor takes; those are unknown.
"""

from collections.abc import Iterator
from typing import Final

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, ParamKind, Unknown
from thena_contract.frozen import frozen
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, External, Framework, Resolved, Scope, ValueAt, resolve
from thena_lint.link.classes import ATTRS, MODEL, decorations, is_left_alone, is_plain, mro, scope_around, scope_inside
from thena_lint.link.fields import is_class_variable
from thena_lint.summary.expressions import Attribute, Call, Constant, Expression, Name, Parameter, Subscript
from thena_lint.summary.facts import Field, Value

_MODELS: Final = frozenset({MODEL, External("pydantic.main.BaseModel")})
_CONFIG: Final = External("pydantic.ConfigDict")
_GENERIC: Final = frozenset({External("typing.Generic"), External("typing_extensions.Generic")})
_HOOKS: Final = Framework("AgentHooks")
CONFIG_NAME: Final = "model_config"
_HARMLESS: Final = frozenset(
    {
        *("arbitrary_types_allowed", "frozen", "title", "strict", "validate_assignment", "validate_default"),
        *("str_strip_whitespace", "use_enum_values", "from_attributes", "use_attribute_docstrings"),
    }
)
"""Settings of a model that leave alone what its constructor takes."""

_OWN_MAKERS: Final = frozenset({vocabulary.CONSTRUCTOR, "__new__", "__pydantic_init_subclass__", "__signature__"})
_FIELD_MAKERS: Final = {
    "pydantic": frozenset({External("pydantic.Field"), External("pydantic.fields.Field")}),
    "attrs": frozenset({External("attrs.field"), External("attr.field"), External("attr.ib")}),
}
_PRIVATE: Final = External("pydantic.PrivateAttr")
_FACTORY: Final = frozenset({External("attrs.Factory"), External("attr.Factory")})

Parameters = list[tuple[Scope, Parameter]]


@frozen
class _Taken:
    """What a field is to the constructor: not taken at all, or with or without a default."""

    is_taken: bool
    has_default: bool


def model_parameters(index: ProjectIndex, at: ClassAt) -> Parameters | Unknown | None:
    """What a pydantic model is made with, by keyword only; `None` for a class that is none."""
    order = models_in(index, at)
    if order is None or order is UNKNOWN:
        return order
    found: dict[str, tuple[Scope, Parameter]] = {}
    for one in reversed(order):
        if not is_plain_model(index, one) or one.facts.fields is UNKNOWN:
            return UNKNOWN
        scope = scope_inside(one)
        for field in one.facts.fields:
            if field.name.startswith("_") or field.name == CONFIG_NAME or is_class_variable(index, scope, field):
                continue
            taken = _taken(index, scope, field, "pydantic")
            if taken is UNKNOWN:
                return UNKNOWN
            found[field.name] = (scope, _parameter(field, field.name, ParamKind.KEYWORD_ONLY, taken))
        if any(name in found and not _is_field(one, name) for name in one.facts.names):
            # A field of a base that is given a new value without an annotation: pydantic refuses some of these.
            return UNKNOWN
    return list(found.values())


def attrs_parameters(index: ProjectIndex, at: ClassAt) -> Parameters | Unknown | None:
    """What an attrs class is made with; `None` for a class that isn't declared with `attrs.define` and the like."""
    own = [one for one in decorations(index, at) if isinstance(one.what, External) and one.what.dotted in ATTRS]
    if not own:
        return None
    if vocabulary.CONSTRUCTOR in at.facts.names:
        return None
    found: dict[str, tuple[Scope, Parameter]] = {}
    for one in reversed(mro(index, at)):
        if one is UNKNOWN or not is_plain(index, one):
            return UNKNOWN
        marks = [
            each for each in decorations(index, one) if isinstance(each.what, External) and each.what.dotted in ATTRS
        ]
        if not marks:
            continue
        fields = _attrs_fields(index, one, marks[0].call)
        if fields is UNKNOWN or any(name in found for name in fields):
            return UNKNOWN
        found.update(fields)
    return sorted(found.values(), key=lambda each: each[1].kind is ParamKind.KEYWORD_ONLY)


def models_in(index: ProjectIndex, at: ClassAt) -> list[ClassAt] | Unknown | None:
    """A pydantic model and its bases up to pydantic's own; `None` for a class that is none."""
    order: list[ClassAt] = []
    here = at
    while True:
        if here.key in [one.key for one in order]:
            return None
        order.append(here)
        bases = [
            resolve(index, scope_around(here), one.value if isinstance(one, Subscript) else one)
            for one in here.facts.bases
        ]
        named = [one for one in bases if not _is_one_of(one, _GENERIC) and one != _HOOKS]
        if any(_is_one_of(one, _MODELS) for one in named):
            return order if len(named) == 1 else UNKNOWN
        if len(named) != 1 or not isinstance(named[0], ClassAt):
            return None
        here = named[0]


def _is_one_of(what: Resolved, wanted: frozenset[External]) -> bool:
    return isinstance(what, External) and what in wanted


def is_plain_model(index: ProjectIndex, at: ClassAt) -> bool:
    if not is_plain(index, at) or not is_left_alone(index, at) or not _OWN_MAKERS.isdisjoint(at.facts.names):
        return False
    match at.facts.names.get(CONFIG_NAME):
        case None:
            return True
        case Value(expression=Call(function=function) as call):
            is_config = resolve(index, scope_inside(at), function) == _CONFIG
            return is_config and all(one.keyword in _HARMLESS for one in call.arguments)
    return False


def _is_field(at: ClassAt, name: str) -> bool:
    fields = () if at.facts.fields is UNKNOWN else at.facts.fields
    return any(field.name == name for field in fields)


def _attrs_fields(index: ProjectIndex, at: ClassAt, call: Call | None) -> dict[str, tuple[Scope, Parameter]] | Unknown:
    kw_only = False
    for argument in () if call is None else call.arguments:
        match argument.keyword, argument.value:
            case (("slots" | "frozen" | "eq" | "order" | "repr" | "hash" | "unsafe_hash" | "weakref_slot"), _):
                continue
            case "kw_only", Constant(type="bool", value=bool(value)):
                kw_only = value
            case _:
                return UNKNOWN
    scope = scope_inside(at)
    if at.facts.fields is UNKNOWN or any(_makes_field(index, scope, one) for one in _unannotated(at)):
        return UNKNOWN
    found = {}
    for field in at.facts.fields:
        if is_class_variable(index, scope, field):
            continue
        taken = _taken(index, scope, field, "attrs")
        if taken is UNKNOWN or field.name.startswith("__"):
            return UNKNOWN
        if taken.is_taken:
            kind = ParamKind.KEYWORD_ONLY if kw_only else ParamKind.POSITIONAL_OR_KEYWORD
            found[field.name] = (scope, _parameter(field, field.name.lstrip("_"), kind, taken))
    return found


def _unannotated(at: ClassAt) -> Iterator[Expression]:
    """The values in a class body that have no annotation."""
    for name, binding in at.facts.names.items():
        if isinstance(binding, Value) and not _is_field(at, name):
            yield binding.expression


def _makes_field(index: ProjectIndex, scope: Scope, expression: Expression) -> bool:
    return isinstance(expression, Call) and _is_one_of(
        resolve(index, scope, expression.function), _FIELD_MAKERS["attrs"]
    )


def _taken(index: ProjectIndex, scope: Scope, field: Field, library: str) -> _Taken | Unknown:
    match field.default:
        case None:
            return _Taken(is_taken=True, has_default=False)
        case Call(function=function) as call:
            what = resolve(index, scope, function)
            if _is_one_of(what, _FIELD_MAKERS[library]):
                return _of_maker(call, library)
            is_value = isinstance(what, ClassAt) or _is_one_of(what, _FACTORY)
            is_value = is_value or (isinstance(what, External) and what.dotted.startswith("builtins."))
            return _Taken(is_taken=True, has_default=True) if is_value and what != _PRIVATE else UNKNOWN
        case Name() | Attribute() as name:
            what = resolve(index, scope, name)
            if isinstance(what, ValueAt) and isinstance(what.value.expression, Call):
                return UNKNOWN
        case Constant(type="ellipsis"):
            return _Taken(is_taken=True, has_default=library != "pydantic")
    return _Taken(is_taken=True, has_default=True)


def _of_maker(call: Call, library: str) -> _Taken | Unknown:
    """What `Field(...)` or `field(...)` says, where it says nothing about names."""
    if call.spreads_keywords or call.spreads_positional or any(call.keyword(name) for name in _RENAMING):
        return UNKNOWN
    default = call.keyword("default")
    given = default[1] if default is not None else call.positional[0] if call.positional else None
    if given == Constant("ellipsis") and library == "pydantic":
        given = None
    has_default = given is not None or any(call.keyword(name) for name in ("default_factory", "factory"))
    init = call.keyword("init")
    match None if init is None else init[1]:
        case None | Constant(type="bool", value=True):
            return _Taken(is_taken=True, has_default=has_default)
        case Constant(type="bool", value=False) if library == "attrs":
            return _Taken(is_taken=False, has_default=has_default)
    return UNKNOWN


_RENAMING: Final = ("alias", "validation_alias", "kw_only", "init_var")


def _parameter(field: Field, name: str, kind: ParamKind, taken: _Taken) -> Parameter:
    return Parameter(name, kind, taken.has_default, field.annotation)

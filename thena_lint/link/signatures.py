"""Callables as signatures: constructors, `execute`, functions used as tools, and whatever is given as `until`.

The runtime's twin is `thena_runtime.build.signatures`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from thena_contract import vocabulary
from thena_contract.anchor import Anchor, Ref
from thena_contract.declarations import (
    PLAIN_TYPES,
    UNKNOWN,
    AnnotationDecl,
    ParamDecl,
    ParamKind,
    Signature,
    StrayMarker,
    Unknown,
)
from thena_contract.frozen import frozen
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import (
    ClassAt,
    External,
    Framework,
    FunctionAt,
    Scope,
    ValueAt,
    outermost,
    remembered,
    resolve,
)
from thena_lint.link.annotations import read_annotation
from thena_lint.link.classes import is_left_alone, is_plain, makes_instances, mro, scope_inside
from thena_lint.link.fields import generated_parameters
from thena_lint.link.models import attrs_parameters, model_parameters
from thena_lint.link.requests import Requests, requests_of
from thena_lint.link.schemas import has_schema
from thena_lint.link.strays import stray_default, stray_in
from thena_lint.summary.expressions import (
    Attribute,
    Call,
    Constant,
    Dictionary,
    Expression,
    Lambda,
    Name,
    Parameter,
    Sequence,
)
from thena_lint.summary.facts import FunctionFacts

_UNTIL: Final = "until"
_CALL: Final = "__call__"
_LOOKUP: Final = "__getattribute__"
_STATIC: Final = "builtins.staticmethod"
_CLASS: Final = "builtins.classmethod"
_PARTIAL: Final = "functools.partial"
_WRAPS: Final = "functools.wraps"
_DECIDERS: Final = frozenset({"__new__", "__signature__"})
"""What a class may have beside `__init__` that says how its objects are made."""

_TRANSPARENT: Final = frozenset(
    {
        "abc.abstractmethod",
        "functools.cache",
        "functools.lru_cache",
        "typing.final",
        "typing.override",
        "typing_extensions.override",
    }
)
"""Decorators of a function that keep its signature."""

_LEAVING: Final = frozenset(
    External(dotted)
    for dotted in (
        *(_STATIC, _CLASS, "abc.abstractmethod"),
        *("typing.final", "typing.override", "typing_extensions.override"),
    )
)
"""Decorators of a function that give it back as it is, or call it as it is."""

_Parameters = tuple[Parameter, ...]
_Scoped = tuple[tuple[Scope, Parameter], ...]
"""Parameters, each with the scope of its annotation."""


def class_ref(index: ProjectIndex, at: ClassAt) -> Ref:
    """The identity of a class of the project."""
    return index.ref(*at.key)


def function_ref(index: ProjectIndex, at: FunctionAt) -> Ref:
    """The identity of a function of the project."""
    return index.ref(*at.key)


def read_method(index: ProjectIndex, at: ClassAt, name: str) -> Signature | Unknown | None:
    """A method of a class, wherever in the MRO it is defined; `None` where there is none."""
    subject = f"{at.facts.name}.{name}"
    if name == vocabulary.CONSTRUCTOR:
        model = model_parameters(index, at)
        if model is not None:
            return UNKNOWN if model is UNKNOWN else _generated(index, subject, model)
    for one in mro(index, at):
        if one is UNKNOWN or not is_plain(index, one):
            return UNKNOWN
        binding = one.facts.names.get(name)
        if binding is not None:
            # What is called with a method in the class body may have set its annotations or defaults.
            if not isinstance(binding, FunctionFacts) or name in one.facts.uses.passed:
                return UNKNOWN
            return read_bound(index, subject, one, binding)
        if one.facts.is_open:
            return UNKNOWN
        if name == vocabulary.CONSTRUCTOR:
            generated = _made_of_fields(index, one)
            if generated is not None:
                return UNKNOWN if generated is UNKNOWN else _generated(index, subject, generated)
    return Signature(subject=subject, is_generator=False) if name == vocabulary.CONSTRUCTOR else None


def read_bound(index: ProjectIndex, subject: str, owner: ClassAt, facts: FunctionFacts) -> Signature | Unknown:
    """A method of an object, of which it is known where it is defined."""
    bound = _bound_parameters(index, scope_inside(owner), facts)
    return UNKNOWN if bound is UNKNOWN else signature_of(index, subject, owner, facts, bound)


def read_function(index: ProjectIndex, at: FunctionAt) -> Signature | Unknown:
    """A plain function that is used as a tool."""
    if _keeps_signature(index, at) is not True:
        return UNKNOWN
    ref = function_ref(index, at)
    scope = Scope(at.file, None, at.facts.type_params)
    anchor = Anchor(ref).at("method", vocabulary.EXECUTE)
    params = _declared(index, _in_scope(scope, at.facts.parameters), anchor)
    return Signature(subject=ref.name, params=params, is_generator=is_generator(index, at))


def read_until(index: ProjectIndex, scope: Scope, expression: Expression, anchor: Anchor) -> Signature | Unknown:
    """Anything that is called by position; all its parameters stand at one anchor, and none is filled."""
    if isinstance(expression, Name | Attribute) and resolve(index, scope, expression) == Framework(
        vocabulary.UNTIL_ANSWERED
    ):
        kind = ParamKind.POSITIONAL_OR_KEYWORD
        ctx = ParamDecl(name="ctx", index=0, kind=kind, has_default=False, requests=(), anchor=anchor)
        return Signature(subject=_UNTIL, params=(ctx,))
    called = _called(index, scope, expression)
    if called is UNKNOWN:
        return UNKNOWN
    declared = [_declare(index, there, one, position, anchor) for position, (there, one) in enumerate(called)]
    return Signature(subject=_UNTIL, params=tuple(replace(one, requests=()) for one in declared))


def _called(index: ProjectIndex, scope: Scope, expression: Expression) -> _Scoped | Unknown:
    """The parameters that a caller of this expression sees, each with the scope of its annotation."""
    match expression:
        case Lambda(parameters=parameters):
            return _in_scope(scope, parameters)
        case Name():
            return _called_name(index, scope, expression)
        case Attribute(value=value, name=name):
            owner = _instance_of(index, scope, value)
            return _called_name(index, scope, expression) if owner is None else _bound_method(index, owner, name)
        case Call(function=function):
            what = resolve(index, scope, function)
            if isinstance(what, ClassAt):
                return _bound_method(index, what, _CALL) if makes_instances(index, what) else UNKNOWN
            if what == External(_PARTIAL):
                return _partial(index, scope, expression)
    return UNKNOWN


def _called_name(index: ProjectIndex, scope: Scope, expression: Expression) -> _Scoped | Unknown:
    match resolve(index, scope, expression):
        case FunctionAt(file=file, facts=facts, owner=owner) as function:
            kept = _keeps_signature(index, function)
            if kept is UNKNOWN or (owner is None and kept is not True):
                return UNKNOWN
            # Of a method that is taken from its class nothing is bound but a class method's first parameter.
            free = facts.parameters[1:] if kept == _CLASS else facts.parameters
            hidden = facts.type_params if owner is None else owner.type_params | facts.type_params
            return _in_scope(Scope(file, owner, hidden), free)
        case ClassAt() as at:
            return _made_with(index, at)
        case ValueAt(scope=there, value=value):
            return _called(index, there, value.expression)
    return UNKNOWN


def _made_with(index: ProjectIndex, at: ClassAt) -> _Scoped | Unknown:
    """The parameters with which an object of a class is made, where nothing but `__init__` decides that."""
    order = mro(index, at)
    if any(one is UNKNOWN or not is_plain(index, one) or not _DECIDERS.isdisjoint(one.facts.names) for one in order):
        return UNKNOWN
    for one in order:
        if one is not UNKNOWN and vocabulary.CONSTRUCTOR in one.facts.names:
            return _bound_method(index, one, vocabulary.CONSTRUCTOR)
        if one is not UNKNOWN:
            generated = _made_of_fields(index, one)
            if generated is not None:
                return UNKNOWN if generated is UNKNOWN else tuple(generated)
    return ()


def _instance_of(index: ProjectIndex, scope: Scope, expression: Expression) -> ClassAt | None:
    """The class of an object that is made by calling it, directly or behind a name."""
    match expression:
        case Call(function=function):
            what = resolve(index, scope, function)
            return what if isinstance(what, ClassAt) and makes_instances(index, what) else None
        case Name() | Attribute():
            what = resolve(index, scope, expression)
            if isinstance(what, ValueAt) and isinstance(what.value.expression, Call):
                return _instance_of(index, what.scope, what.value.expression)
    return None


def _bound_method(index: ProjectIndex, at: ClassAt, name: str) -> _Scoped | Unknown:
    order = mro(index, at)
    if any(one is not UNKNOWN and _LOOKUP in one.facts.names for one in order):
        return UNKNOWN
    for one in order:
        if one is UNKNOWN or not is_plain(index, one):
            return UNKNOWN
        binding = one.facts.names.get(name)
        if isinstance(binding, FunctionFacts):
            bound = _bound_parameters(index, scope_inside(one), binding)
            return UNKNOWN if bound is UNKNOWN else _in_scope(_scope_of(one, binding), bound)
        if binding is not None:
            return UNKNOWN
    return UNKNOWN


def _bound_parameters(index: ProjectIndex, scope: Scope, facts: FunctionFacts) -> _Parameters | Unknown:
    """A method's parameters without the bound first one."""
    kept = _keeps_signature(index, FunctionAt(scope.file, facts, scope.inside))
    if kept is UNKNOWN:
        return UNKNOWN
    if kept == _STATIC:
        return facts.parameters
    return facts.parameters[1:] if facts.parameters else UNKNOWN


def _keeps_signature(index: ProjectIndex, at: FunctionAt) -> str | bool | Unknown:
    """`True` if the decorators keep the signature, the decorator's name if it is a static or class method."""
    if not is_left_alone(index, at):
        return UNKNOWN
    kept: str | bool = True
    for decorator in at.facts.decorators:
        what = resolve(
            index, Scope(at.file, at.owner), decorator.function if isinstance(decorator, Call) else decorator
        )
        match what:
            case External(dotted=dotted) if dotted in (_STATIC, _CLASS):
                kept = dotted
            case External(dotted=dotted) if dotted in _TRANSPARENT:
                pass
            case FunctionAt() as decorating if _hands_on(index, decorating) and not isinstance(decorator, Call):
                if kept is not True:
                    return UNKNOWN
            case _:
                return UNKNOWN
    return kept


def _hands_on(index: ProjectIndex, at: FunctionAt) -> bool:
    """Say whether a decorator gives back what it is given, or a wrapper under `functools.wraps` that takes anything."""
    if at.owner is not None or at.facts.decorators:
        return False
    if at.facts.wraps_with is None:
        return at.facts.returns_its_argument and not at.facts.patches
    return resolve(index, Scope(at.file), at.facts.wraps_with) == External(_WRAPS)


def _partial(index: ProjectIndex, scope: Scope, call: Call) -> _Scoped | Unknown:
    """What is left of a function's parameters after `partial(function, *given, **named)`."""
    if not call.positional or call.spreads_positional or call.spreads_keywords:
        return UNKNOWN
    function, *given = call.positional
    parameters = _called(index, scope, function)
    if parameters is UNKNOWN:
        return UNKNOWN
    free = _without_given(parameters, len(given))
    named = {argument.keyword for argument in call.arguments if argument.keyword is not None}
    return UNKNOWN if free is None else tuple(_named_apart(free, named))


def _without_given(parameters: _Scoped, count: int) -> list[tuple[Scope, Parameter]] | None:
    """Drop parameters that are given by position; `None` where there aren't so many."""
    free = list(parameters)
    for _ in range(count):
        kind = free[0][1].kind if free else None
        if kind is ParamKind.VAR_POSITIONAL:
            break
        if kind not in (ParamKind.POSITIONAL_ONLY, ParamKind.POSITIONAL_OR_KEYWORD):
            return None
        free.pop(0)
    return free


def _named_apart(parameters: Iterable[tuple[Scope, Parameter]], named: set[str]) -> Iterator[tuple[Scope, Parameter]]:
    """A parameter given by keyword has a default now, and those after it can be given by keyword only."""
    apart = False
    for scope, one in parameters:
        if one.kind is ParamKind.POSITIONAL_OR_KEYWORD:
            given = one.name in named
            apart = apart or given
            kind = ParamKind.KEYWORD_ONLY if apart else one.kind
            default = None if given else one.default
            yield scope, replace(one, kind=kind, has_default=one.has_default or given, default=default)
        elif one.kind is ParamKind.KEYWORD_ONLY:
            given = one.name in named
            default = None if given else one.default
            yield scope, replace(one, has_default=one.has_default or given, default=default)
        elif not (apart and one.kind is ParamKind.VAR_POSITIONAL):
            yield scope, one


def _in_scope(scope: Scope, parameters: _Parameters) -> _Scoped:
    return tuple((scope, one) for one in parameters)


def signature_of(
    index: ProjectIndex, subject: str, owner: ClassAt, facts: FunctionFacts, parameters: _Parameters
) -> Signature:
    """The signature of a method with these of its parameters."""
    name = facts.qualname.rpartition(".")[2]
    anchor = Anchor(class_ref(index, owner)).at("method", name)
    params = _declared(index, _in_scope(_scope_of(owner, facts), parameters), anchor)
    generates = is_generator(index, FunctionAt(owner.file, facts, owner.facts))
    return Signature(subject=subject, params=params, is_generator=generates)


def is_generator(index: ProjectIndex, at: FunctionAt) -> bool | Unknown:
    """Say whether a function is a generator when it is called, where its decorators leave it as it is."""
    scope = Scope(at.file, at.owner)
    is_itself = all(resolve(index, scope, one) in _LEAVING for one in at.facts.decorators)
    return at.facts.is_generator if is_itself else UNKNOWN


def _scope_of(owner: ClassAt, facts: FunctionFacts) -> Scope:
    """Where the annotations of a method are read."""
    return Scope(owner.file, owner.facts, owner.facts.type_params | facts.type_params)


def _made_of_fields(index: ProjectIndex, at: ClassAt) -> list[tuple[Scope, Parameter]] | Unknown | None:
    """The parameters of a generated constructor; `None` where a class has none."""
    found = generated_parameters(index, at)
    return attrs_parameters(index, at) if found is None else found


def _generated(index: ProjectIndex, subject: str, parameters: Iterable[tuple[Scope, Parameter]]) -> Signature:
    """The signature of a generated constructor: each parameter stands where its field does."""
    declared = []
    for position, (scope, parameter) in enumerate(parameters):
        assert scope.inside is not None, "a field stands in a class"
        anchor = Anchor(index.ref(scope.file, scope.inside.qualname)).at("method", vocabulary.CONSTRUCTOR)
        declared.append(_declare(index, scope, parameter, position, anchor.at(parameter.name)))
    return Signature(subject=subject, params=tuple(declared), is_generator=False)


def _declared(
    index: ProjectIndex, parameters: Iterable[tuple[Scope, Parameter]], anchor: Anchor
) -> tuple[ParamDecl, ...]:
    """The parameters of the method or function that stands at this anchor."""
    declared = []
    for position, (scope, parameter) in enumerate(parameters):
        param = _declare(index, scope, parameter, position, anchor.at(parameter.name))
        declared.append(
            _with_schema(index, scope, parameter, param) if anchor.path[-1] == vocabulary.EXECUTE else param
        )
    return tuple(declared)


def _with_schema(index: ProjectIndex, scope: Scope, parameter: Parameter, param: ParamDecl) -> ParamDecl:
    """A parameter of `execute`, which may be an argument that the model is told of."""
    annotation = parameter.annotation
    if annotation is None or param.is_variadic or param.stray is not None:
        return param
    return replace(param, annotation=remembered(index, outermost(scope, annotation), annotation, _told))


def _told(index: ProjectIndex, scope: Scope, annotation: Expression) -> AnnotationDecl:
    """What an annotation of an argument says, with whether a model can be told of it."""
    said = _said(index, scope, annotation)
    return replace(said.annotation, has_schema=has_schema(index, scope, annotation, said.requests))


def _declare(index: ProjectIndex, scope: Scope, parameter: Parameter, position: int, anchor: Anchor) -> ParamDecl:
    said = None if parameter.annotation is None else _said(index, scope, parameter.annotation)
    stray = stray_default(index, scope, parameter)
    return ParamDecl(
        name=parameter.name,
        index=position,
        kind=parameter.kind,
        has_default=parameter.has_default,
        requests=() if said is None else said.requests,
        anchor=anchor,
        annotation=None if said is None else said.annotation,
        stray=said.stray if said is not None and stray is None else stray,
        default=_default(index, scope, parameter),
    )


@frozen(kw_only=True)
class _Said:
    """What an annotation says of its parameter."""

    requests: Requests
    annotation: AnnotationDecl
    stray: StrayMarker | Unknown | None


def _said(index: ProjectIndex, scope: Scope, annotation: Expression) -> _Said:
    """What an annotation says, read once for all who write the same in a file."""
    return remembered(index, outermost(scope, annotation), annotation, _read)


def _read(index: ProjectIndex, scope: Scope, annotation: Expression) -> _Said:
    requests = requests_of(index, scope, annotation)
    return _Said(
        requests=requests,
        annotation=read_annotation(index, scope, annotation),
        stray=stray_in(index, scope, annotation, requests),
    )


def _default(index: ProjectIndex, scope: Scope, parameter: Parameter) -> str | Unknown | None:
    """What type a default is of, as far as texts speak of it and it is plainly written."""
    if not parameter.has_default:
        return None
    default = parameter.default
    if isinstance(default, Name):
        what = resolve(index, scope, default)
        default = what.value.expression if isinstance(what, ValueAt) else None
    match default:
        case Constant(type=name) | Sequence(type=name) if name in PLAIN_TYPES:
            return name
        case Dictionary():
            return "dict"
    return UNKNOWN

"""Callables as signatures: what each parameter is called, how it is passed, what it asks for.

Methods are found over the MRO, and the signature is anchored in the class that defines the method. Generated
constructors (dataclass, attrs, pydantic) count as the class's own, each annotation evaluated where its field stands.
"""

import inspect
from collections.abc import Mapping
from dataclasses import field, replace
from types import MappingProxyType
from typing import Final

from thena_contract import vocabulary
from thena_contract.anchor import Anchor
from thena_contract.declarations import PLAIN_TYPES, UNKNOWN, ParamDecl, ParamKind, Signature, Unknown
from thena_contract.frozen import frozen
from thena_runtime.build.annotations import Annotation, names_around, read_annotation
from thena_runtime.build.identity import ref_of
from thena_runtime.build.strays import stray_marker
from thena_runtime.calls import attribute_of_objects, is_generator, parameters_of, written_under
from thena_runtime.decorators import remembered_on

_NOTHING: Final = Annotation(inspect.Parameter.empty, ())
_BY_NAME: Final = (vocabulary.CONSTRUCTOR, vocabulary.EXECUTE)
"""The methods that are given their arguments by name; all others are by position."""


@frozen(kw_only=True)
class Callee:
    """A callable that the runtime fills. `annotations` and `defaults` are by parameter name.

    `written` is what somebody wrote, under whatever fills in arguments or wraps it.
    """

    signature: Signature | Unknown
    annotations: Mapping[str, Annotation] = field(default_factory=dict)
    defaults: Mapping[str, object] = field(default_factory=dict)
    written: object = None

    @property
    def params(self) -> tuple[ParamDecl, ...]:
        """The parameters, none where the signature can't be seen."""
        return () if self.signature is UNKNOWN else self.signature.params


def read_method(cls: type, name: str, owner: type | None = None) -> Callee | None:
    """Read a method of a class, wherever in the MRO it is defined, or that of `owner`; `None` where there is none."""
    owner = owner or next((base for base in cls.__mro__ if name in vars(base)), None)
    subject = f"{cls.__qualname__.rpartition('.')[2]}.{name}"
    if owner is None:
        return None
    captured = _captured(cls)
    if owner is object:
        return Callee(signature=Signature(subject=subject, is_generator=False))
    if name == vocabulary.CONSTRUCTOR and hasattr(cls, "__pydantic_fields__"):
        # Pydantic's one `__init__` takes anything; the class itself tells what it is made with.
        return _read(cls, subject, Anchor(ref_of(cls)).at("method", name), owner=cls, captured=captured)
    function, is_bound = attribute_of_objects(vars(owner)[name], by_name=name in _BY_NAME)
    return _read(
        function,
        subject,
        Anchor(ref_of(owner)).at("method", name),
        owner=owner,
        is_bound=is_bound,
        captured=captured,
        by_name=name in _BY_NAME,
    )


def read_annotation_of(cls: type, owner: type, name: str) -> Annotation:
    """Read the annotation of a name in a class body; `owner` is the class itself or a base."""
    names = names_around(None, owner, _captured(cls))
    return read_annotation(inspect.get_annotations(owner)[name], names)


def read_function(function: object) -> Callee:
    """Read a plain function that is used as a tool."""
    ref = ref_of(function)
    return _read(function, ref.name, Anchor(ref).at("method", vocabulary.EXECUTE))


def read_until(until: object, anchor: Anchor) -> Signature | Unknown:
    """Read any callable that is called by position; all its parameters stand at one anchor, and none is filled."""
    params = _parameters(until, by_name=False)
    if params is UNKNOWN:
        return UNKNOWN
    function, owner = written_under(until)
    declared = []
    for index, param in enumerate(params):
        read = _annotation(param, function, owner, {})
        declared.append(replace(_declare(param, index, read, anchor), requests=()))
    return Signature(subject="until", params=tuple(declared))


def _captured(cls: type) -> Mapping[str, object]:
    """The names of an enclosing function that annotations of a class use."""
    remembered = remembered_on(cls)
    return {} if remembered is None else remembered.names


def _read(
    function: object,
    subject: str,
    anchor: Anchor,
    *,
    owner: type | None = None,
    is_bound: bool = False,
    captured: Mapping[str, object] = MappingProxyType({}),
    by_name: bool = True,
) -> Callee:
    params = _parameters(function, is_bound=is_bound, by_name=by_name)
    if params is UNKNOWN:
        return Callee(signature=UNKNOWN)
    written, home = (function, None) if isinstance(function, type) else written_under(function)
    written = inspect.unwrap(written) if callable(written) else written
    read: dict[str, Annotation] = {}
    declared = []
    for index, param in enumerate(params):
        read[param.name] = _annotation(param, written, home or owner, captured)
        declared.append(_declare(param, index, read[param.name], _anchor(param, written, owner, anchor)))
    return Callee(
        signature=Signature(subject=subject, params=tuple(declared), is_generator=is_generator(function)),
        annotations=MappingProxyType(read),
        defaults={param.name: param.default for param in params if param.default is not param.empty},
        written=written,
    )


def _parameters(function: object, *, is_bound: bool = False, by_name: bool) -> tuple[inspect.Parameter, ...] | Unknown:
    if not callable(function):
        return UNKNOWN
    try:
        return parameters_of(function, is_bound=is_bound, by_name=by_name)
    except (TypeError, ValueError):
        return UNKNOWN


def _declare(param: inspect.Parameter, index: int, annotation: Annotation, anchor: Anchor) -> ParamDecl:
    return ParamDecl(
        name=param.name,
        index=index,
        kind=ParamKind(int(param.kind)),
        has_default=param.default is not param.empty,
        requests=annotation.requests,
        anchor=anchor,
        annotation=annotation.declared,
        stray=stray_marker(annotation, param.default),
        default=_default(param.default),
    )


def _default(default: object) -> str | Unknown | None:
    """What type a default is of, as far as texts speak of it."""
    if default is inspect.Parameter.empty:
        return None
    kind = type(default)
    return kind.__name__ if kind.__module__ == "builtins" and kind.__name__ in PLAIN_TYPES else UNKNOWN


def _anchor(param: inspect.Parameter, function: object, owner: type | None, anchor: Anchor) -> Anchor:
    """Where a parameter stands: that of a generated constructor in the class that declares its field."""
    if owner is not None and not _is_written(function, owner):
        anchor = Anchor(ref_of(_home_of_field(param, owner)), anchor.path)
    return anchor.at(param.name)


def _home_of_field(param: inspect.Parameter, owner: type) -> type:
    """The class that declares the field of a parameter, which attrs lets be private."""
    names = {param.name, f"_{param.name}"}
    return next((base for base in owner.__mro__ if names & inspect.get_annotations(base).keys()), owner)


def _annotation(
    param: inspect.Parameter, function: object, owner: type | None, captured: Mapping[str, object]
) -> Annotation:
    if param.annotation is param.empty:
        return _NOTHING
    home = owner
    if owner is not None and not _is_written(function, owner):
        # A generated constructor: the field may stand in a base class, in another module.
        home, function = _home_of_field(param, owner), None
    names = names_around(inspect.unwrap(function) if callable(function) else function, home, captured)
    return read_annotation(param.annotation, names)


def _is_written(function: object, owner: type) -> bool:
    """Say whether somebody wrote this function in a file, as opposed to a library that generated it."""
    code = getattr(function, "__code__", None)
    return code is not None and not code.co_filename.startswith("<")

"""Which arguments of a tool a model can be told about: asked of pydantic, one parameter after the other.

Pydantic is asked only where the answer isn't plain, since that is what makes an app slow to make.
"""

import inspect
from dataclasses import replace
from types import UnionType
from typing import Annotated, Final, Union, get_args, get_origin

from thena_contract.declarations import UNKNOWN, AnnotationDecl, ParamDecl, Unknown
from thena_contract.vocabulary import RequestKind
from thena_runtime.build import schema
from thena_runtime.build.schema import Argument, NoSchemaError
from thena_runtime.build.signatures import Callee
from thena_runtime.markers import Marker

_PLAIN: Final = (str, int, float, bool)


def with_schemas(callee: Callee) -> Callee:
    """The `execute` of a tool, where each argument of the model says whether its type has a schema."""
    if callee.signature is UNKNOWN:
        return callee
    params = tuple(_with_schema(callee, param) for param in callee.signature.params)
    return replace(callee, signature=replace(callee.signature, params=params))


def argument_of(callee: Callee, name: str) -> Argument:
    """One parameter as an argument that the model fills in."""
    annotation = unmarked(callee.annotations[name].value)
    default = callee.defaults.get(name)
    told = object if annotation is inspect.Parameter.empty else annotation
    return Argument(name, told, name in callee.defaults, default)


def unmarked(annotation: object) -> object:
    """The model inside `Input[Model]`, or beside `None`; any other metadata stays, for pydantic may want it."""
    if get_origin(annotation) in (Union, UnionType):
        arms = [arm for arm in get_args(annotation) if arm is not type(None)]
        is_marked = len(arms) == 1 and any(isinstance(each, Marker) for each in get_args(arms[0]))
        return unmarked(arms[0]) if is_marked else annotation
    if get_origin(annotation) is not Annotated:
        return annotation
    inner, *metadata = get_args(annotation)
    kept = [each for each in metadata if not isinstance(each, Marker)]
    return Annotated[(inner, *kept)] if kept else inner


def _with_schema(callee: Callee, param: ParamDecl) -> ParamDecl:
    known = param.annotation
    if not isinstance(known, AnnotationDecl) or known.missing != () or param.is_variadic or param.stray is not None:
        return param
    return replace(param, annotation=replace(known, has_schema=_has_schema(callee, param)))


def _has_schema(callee: Callee, param: ParamDecl) -> bool | Unknown:
    annotation = callee.annotations[param.name].value
    is_whole = param.asks_for(RequestKind.INPUT)
    if not is_whole and param.requests != ():
        return UNKNOWN
    try:
        if is_whole:
            schema.input_of_model(unmarked(annotation))
        elif not any(annotation is plain for plain in _PLAIN):
            schema.input_of_parameters([argument_of(callee, param.name)])
    except NoSchemaError:
        return False
    return True

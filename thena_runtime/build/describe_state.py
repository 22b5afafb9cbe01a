"""What a class is to those who make objects of it: what it derives from, and whether an object can be made.

Left out on purpose: making one, and whether any of this is a fault.
"""

import inspect
from dataclasses import replace
from enum import Enum
from typing import Final, cast, is_typeddict

from thena_contract import vocabulary
from thena_contract.anchor import Ref
from thena_contract.declarations import UNKNOWN, Shape, ShapeKind, Signature, StateDecl, Unknown
from thena_runtime.build.identity import ref_of
from thena_runtime.build.signatures import read_method
from thena_runtime.workflow_state import uncopied_in

_NEW: Final = "__new__"
_FROZEN_BY_ATTRS: Final = "_frozen_setattrs"


def describe_state(cls: type) -> StateDecl:
    """Describe the class of a state."""
    constructor = read_method(cls, vocabulary.CONSTRUCTOR)
    shape = shape_of(cls)
    return StateDecl(
        ref=ref_of(cls),
        bases=bases_of(cls),
        shape=shape,
        constructor=UNKNOWN if constructor is None else constructor.signature,
        is_frozen=_is_frozen(cls),
        uncopied=uncopied_in(cls) if shape.kind == "plain" else UNKNOWN,
    )


def bases_of(cls: type) -> tuple[Ref, ...]:
    """All classes above this one but `object`, in an order that says nothing."""
    return tuple(sorted(ref_of(base) for base in cls.__mro__[1:] if base is not object))


def shape_of(cls: type) -> Shape:
    """Say whether objects can be made of a class, and what its own `__new__` takes."""
    kind = _kind(cls)
    missing = min(getattr(cls, "__abstractmethods__", ())) if kind == "abstract" else None
    return Shape(kind=kind, missing=missing, new=_new(cls) if kind == "plain" else UNKNOWN)


def _kind(cls: type) -> ShapeKind:
    if issubclass(cls, Enum):
        return "enum"
    if getattr(cls, "_is_protocol", False):
        return "protocol"
    if is_typeddict(cls):
        return "typed_dict"
    return "abstract" if inspect.isabstract(cls) else "plain"


def _new(cls: type) -> Signature | Unknown | None:
    """What `__new__` takes beside the class; `UNKNOWN` where a metaclass decides how objects are made."""
    if type(cls).__call__ is not type.__call__:
        return UNKNOWN
    if next(base for base in cls.__mro__ if _NEW in vars(base)) is object:
        return None
    callee = read_method(cls, _NEW)
    if callee is None or callee.signature is UNKNOWN:
        return UNKNOWN
    signature = callee.signature
    if not signature.positional:
        return signature  # `*args` takes the class too
    params = tuple(replace(param, index=index) for index, param in enumerate(signature.params[1:]))
    return replace(signature, params=params)


def _is_frozen(cls: type) -> bool:
    """Say whether the fields of an object can't be set, as its author said."""
    own = vars(cls)
    is_dataclass = getattr(own.get("__dataclass_params__"), "frozen", False) is True
    is_attrs = getattr(own.get("__setattr__"), "__name__", "") == _FROZEN_BY_ATTRS
    is_tuple = issubclass(cls, tuple) and hasattr(cls, "_fields")
    config = cast(dict[str, object], getattr(cls, "model_config", {}) if hasattr(cls, "__pydantic_fields__") else {})
    return is_dataclass or is_attrs or is_tuple or config.get("frozen") is True

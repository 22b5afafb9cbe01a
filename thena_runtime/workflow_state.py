"""One run's state object: made from the class that a workflow declares, with nothing shared between runs.

In a plain class the field initialisers are the initial values, so mutable class attributes are copied for each
instance. Left out on purpose: handing the object out, which is `thena_runtime.injection`'s.
"""

import functools
import inspect
from collections.abc import Iterator
from copy import deepcopy
from types import ModuleType
from typing import ClassVar, Final, TypeVar, get_origin

T = TypeVar("T")

_SHARED: Final = (type, ModuleType, property, classmethod, staticmethod, functools.partial, functools.partialmethod)
_OF_ABC: Final = "_abc_impl"
_SIMPLE: Final = (str, bytes, int, float, complex, bool, type(None))


def build_state(cls: type[T]) -> T:
    """Make the state of one run. Its initial values are set before `__init__`, which may use and replace them."""
    instance = cls.__new__(cls)
    if not isinstance(instance, cls):
        return instance  # `__new__` chose another class, and Python wouldn't call `__init__` either
    memo: dict[int, object] = {}
    originals = dict(_initial_values(cls))
    # Through `__dict__`, for `__setattr__` may be guarded, as in a frozen dataclass.
    for name, value in originals.items():
        instance.__dict__[name] = _copied(cls, name, value, memo)
    type(instance).__init__(instance)
    # A generated `__init__` sets a default as it is, shared by all instances.
    for name, value in originals.items():
        if instance.__dict__.get(name) is value:
            instance.__dict__[name] = _copied(cls, name, value, memo)
    return instance


def uncopied_in(cls: type) -> str | None:
    """The first class attribute of which a run can't be given a copy, if any. To know it, each is copied once."""
    if hasattr(cls, "__pydantic_fields__"):
        return None
    has_dict = _has_dict(cls)
    memo: dict[int, object] = {}
    for name, value in _own_values(cls):
        try:
            is_shared = deepcopy(value, memo) is not value and not has_dict
        except Exception:
            return name
        # What has an underscore belongs to whoever generated the class, as the defaults of a `NamedTuple` do.
        if is_shared and not name.startswith("_"):
            return name
    return None


def _copied(cls: type, name: str, value: object, memo: dict[int, object]) -> object:
    try:
        return deepcopy(value, memo)
    except Exception as error:
        raise TypeError(
            f"`{cls.__name__}.{name}` can't be copied for each run ({type(error).__name__}: {error}). "
            f"Set it in `__init__` of `{cls.__name__}`, or annotate it as `ClassVar`."
        ) from error


def _initial_values(cls: type) -> Iterator[tuple[str, object]]:
    """The class attributes that every run gets a copy of, the nearest class in the MRO first."""
    # Pydantic copies defaults itself, and an object of slots alone has no place for a copy.
    if _has_dict(cls) and not hasattr(cls, "__pydantic_fields__"):
        yield from _own_values(cls)


def _own_values(cls: type) -> Iterator[tuple[str, object]]:
    seen: set[str] = set()
    for base in cls.__mro__[:-1]:
        annotations = inspect.get_annotations(base)
        for name, value in vars(base).items():
            if name in seen:
                continue
            seen.add(name)
            is_pythons = name == _OF_ABC or (name.startswith("__") and name.endswith("__"))
            if not is_pythons and _is_value(value, annotations.get(name)):
                yield name, value


def _has_dict(cls: type) -> bool:
    return any("__dict__" in vars(base) for base in cls.__mro__)


def _is_value(value: object, annotation: object) -> bool:
    if isinstance(value, (*_SIMPLE, *_SHARED)) or inspect.isroutine(value) or inspect.isdatadescriptor(value):
        return False
    if hasattr(type(value), "__get__"):
        return False
    is_class_var = "ClassVar" in annotation if isinstance(annotation, str) else _is_class_var(annotation)
    return not is_class_var


def _is_class_var(annotation: object) -> bool:
    return annotation is ClassVar or get_origin(annotation) is ClassVar

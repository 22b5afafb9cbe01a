"""`@frozen`: a frozen dataclass that is cheap to declare and to make.

`@dataclass(frozen=True)` compiles six functions for each class, half of the time that importing the linter took, and
its constructor is slow. Here that is compiled alone, and is a plain one; the rest is shared by all classes. That
nothing is assigned to is checked where the types are, and nowhere else.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

Class = TypeVar("Class", bound=type)


@overload
def frozen(cls: Class) -> Class: ...
@overload
def frozen(*, kw_only: bool = False, slots: bool = True) -> Callable[[Class], Class]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: Any = None, *, kw_only: bool = False, slots: bool = True) -> Any:
    """Declare a dataclass whose objects don't change, are equal by their fields, and can be hashed.

    Args:
        cls: the class, where the decorator isn't called.
        kw_only: whether the constructor takes keywords alone.
        slots: whether objects have room for their fields and nothing else, such as what a cached property keeps.
    """
    if cls is None:
        return lambda one: _frozen(one, kw_only=kw_only, slots=slots)
    return _frozen(cls, kw_only=kw_only, slots=slots)


def _frozen(cls: Any, *, kw_only: bool, slots: bool) -> Any:
    for name, method in (("__eq__", _equal), ("__hash__", _hash), ("__repr__", _repr)):
        if vars(cls).get(name) is None:
            setattr(cls, name, method)
    # Where there is no docstring, `dataclass` would work out the signature to have one.
    cls.__doc__ = cls.__doc__ or cls.__qualname__
    made: Any = dataclass(eq=False, repr=False, kw_only=kw_only, slots=slots)(cls)
    made._compared = _values_of(tuple(one.name for one in fields(made) if one.compare))
    return made


def _values_of(names: tuple[str, ...]) -> Callable[[object], object]:
    return attrgetter(*names) if names else type


def _equal(self: Any, other: Any) -> bool:
    return self._compared(self) == other._compared(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(self._compared(self))


def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"

"""`@frozen`: a frozen dataclass that is cheap to declare and to make.

`@dataclass(frozen=True)` compiles six functions for each class, half of the time that importing the linter took, and
its constructor is slow. Here that is compiled alone, is a plain one, and waits for the first object of the class, which
many a run never makes; the rest is shared by all classes. That nothing is assigned to is checked where the types are,
and nowhere else.
"""

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform, overload

Class = TypeVar("Class", bound=type)
_MISSING = "_MISSING"


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
    made: Any = dataclass(init=False, eq=False, repr=False, kw_only=kw_only, slots=slots)(cls)
    made.__init__ = _waiting_constructor(made)
    made._compared = _values_of(tuple(one.name for one in fields(made) if one.compare))
    return made


def _waiting_constructor(cls: Any) -> Callable[..., None]:
    """What puts the constructor of a class in its own place when it is first called."""

    def construct(self: object, /, *given: object, **named: object) -> None:
        cls.__init__ = constructor = _constructor(cls)
        constructor(self, *given, **named)

    return construct


def _constructor(cls: Any) -> Callable[..., None]:
    """The constructor that `dataclass` would make."""
    held: dict[str, Any] = {_MISSING: MISSING}
    by_position, by_name, lines = ["self"], ["*"], []
    for one in fields(cls):
        if one.init:
            default = _default(one, held)
            (by_name if one.kw_only else by_position).append(f"{one.name}={default}" if default else one.name)
        lines.append(f"self.{one.name} = {_value(one, held)}")
    parameters = [*by_position, *(by_name if len(by_name) > 1 else ())]
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines or ["pass"]), held)
    constructor: Callable[..., None] = held["__init__"]
    constructor.__qualname__ = f"{cls.__qualname__}.__init__"
    return constructor


def _default(one: Field[Any], held: dict[str, Any]) -> str:
    """What the default of a parameter is called, and held as; nothing where it has none."""
    if one.default_factory is not MISSING:
        return _MISSING
    return "" if one.default is MISSING else _named(f"_default_{one.name}", one.default, held)


def _value(one: Field[Any], held: dict[str, Any]) -> str:
    """What a field is set to."""
    if one.default_factory is MISSING:
        return one.name if one.init else _default(one, held)
    made = f"{_named(f'_make_{one.name}', one.default_factory, held)}()"
    return f"{made} if {one.name} is {_MISSING} else {one.name}" if one.init else made


def _named(name: str, value: object, held: dict[str, Any]) -> str:
    held[name] = value
    return name


def _values_of(names: tuple[str, ...]) -> Callable[[object], object]:
    return attrgetter(*names) if names else type


def _equal(self: Any, other: Any) -> bool:
    return self._compared(self) == other._compared(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(self._compared(self))


def _repr(self: Any) -> str:
    shown = (f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"

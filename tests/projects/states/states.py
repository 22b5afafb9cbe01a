from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from enum import Enum, IntFlag
from typing import Generic, NamedTuple, Protocol, TypedDict, TypeVar

import attrs
from pydantic import BaseModel, ConfigDict

T = TypeVar("T")


class Plain:
    approved = False


class Derived(Plain):
    def __init__(self, rounds: int = 0, *, limit: int = 3, **more: int) -> None:
        self.rounds = rounds


class Boxed(Plain, Generic[T]):
    pass


class Needing(Plain):
    def __init__(self, name: str) -> None:
        self.name = name


class Making:
    def __new__(cls, size: int, rest: int = 0) -> "Making":
        return super().__new__(cls)


class MadeStatic:
    @staticmethod
    def __new__(cls, *rest: int, size: int) -> "MadeStatic":
        return super().__new__(cls)


class MakingAny(Plain):
    def __new__(*anything: object) -> object:
        return object.__new__(anything[0])


@dataclass
class Fields(Plain):
    name: str
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Frozen:
    notes: list[str] = field(default_factory=list)


class ThawedBelow(Frozen):
    extra = 0


@dataclass
class Defaults(Boxed[int]):
    rounds: int = 0


@attrs.frozen
class FrozenByAttrs:
    rounds: int = 0


@attrs.define(frozen=True)
class FrozenByOption:
    rounds: int = 0


@attrs.define
class ByAttrs(Plain):
    rounds: int = 0


class Model(BaseModel):
    rounds: int = 0


class FrozenModel(Model):
    model_config = ConfigDict(frozen=True)


class FrozenHead(BaseModel, frozen=True):
    rounds: int = 0


class Pair(NamedTuple):
    first: int = 0


class Kind(Enum):
    ONE = 1


class Flags(IntFlag):
    ONE = 1


class Described(Protocol):
    rounds: int


class Describing(Described):
    rounds = 0


class Dict(TypedDict):
    rounds: int


class Partial(TypedDict, total=False):
    rounds: int


class PartialBelow(Dict, Generic[T], total=False):
    boxed: T


class Base(ABC):
    @abstractmethod
    def total(self) -> int: ...

    @property
    @abstractmethod
    def size(self) -> int: ...


class StillAbstract(Base):
    size = 3


class Concrete(StillAbstract):
    def total(self) -> int:
        return 0


class NotEnforced:
    @abstractmethod
    def total(self) -> int: ...


class EnforcedLate(NotEnforced, ABC):
    pass


class ByMetaclass(type):
    def __call__(cls, *args: object, **options: object) -> object:
        return super().__call__("made")


class Metaclassed(metaclass=ByMetaclass):
    def __init__(self, name: str) -> None:
        self.name = name


class Registry:
    def __init_subclass__(cls) -> None:
        cls.__init__ = lambda self: None


class Registered(Registry):
    def __init__(self, name: str) -> None:
        self.name = name


class Patched:
    def __init__(self, name: str) -> None:
        self.name = name


def patch(cls: type) -> None:
    cls.__init__ = lambda self: None


patch(Patched)

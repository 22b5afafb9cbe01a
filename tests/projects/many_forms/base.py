from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, InitVar, dataclass, field
from typing import ClassVar, Generic, TypeVar

from thena_runtime import Context, State

T = TypeVar("T")


class Draft:
    approved = False


class Empty:
    pass


class Left:
    def __init__(self, left: State[Draft]) -> None:
        self.left = left


class Right:
    def __init__(self, right: int = 0) -> None:
        self.right = right

    async def execute(self, right: str) -> str:
        return right


class Diamond(Empty, Left, Right):
    pass


class Abstract(ABC, Generic[T]):
    @abstractmethod
    def execute(
        self,
        value: T,
        /,
        ctx: Context,
        *rest: int,  # error: THN404
        s: "State[Draft] | None" = None,
        **named: str,  # error: THN404
    ) -> str:
        return ""


@dataclass
class Fields:
    shared: ClassVar["State[Draft]"] = None
    plain = 3
    s: State[Draft]
    hidden: int = field(default=0, init=False)
    made: list[int] = field(default_factory=list)
    only: InitVar[int] = 4


@dataclass(kw_only=True)
class KeywordOnly:
    first: State[Draft]
    second: int = field(default=1, kw_only=False)


@dataclass
class Sentinel(Fields):
    made: State[Draft] = None
    _: KW_ONLY
    last: int  # error: THN208


@dataclass(init=False)
class NotGenerated(Right):
    field: int = 0


@dataclass
class OwnConstructor:
    field: int = 0

    def __init__(self, own: State[Draft]) -> None:
        self.own = own

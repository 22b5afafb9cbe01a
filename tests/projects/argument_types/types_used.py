import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, NamedTuple, NewType

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, field_validator
from typing_extensions import NotRequired, TypedDict


class Plain:
    def find(self) -> str:
        return ""


class Color(enum.Enum):
    RED = "red"


class Size(str, enum.Enum):
    BIG = "big"

    @property
    def is_big(self) -> bool:
        return self is Size.BIG


class Asked(TypedDict):
    text: str
    limit: NotRequired[int]


class Held(TypedDict, total=False):
    plain: Plain


class Pair(NamedTuple):
    first: str
    second: int


class PlainPair(NamedTuple):
    first: str
    second: Plain


class Model(BaseModel):
    text: str
    words: list[str] = Field(default_factory=list, description="Each one alone.")
    _kept: Plain = PrivateAttr(default_factory=Plain)


class Allowing(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    plain: Plain


class Below(Allowing):
    text: str = ""


class Overriding(Allowing):
    plain: int = 1  # type: ignore[assignment]


class Checking(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)

    plain: Plain

    @field_validator("plain", mode="plain")
    @classmethod
    def made(cls, value: object) -> Plain:
        return Plain()


class Called(BaseModel):
    key: Callable[[str], int] | None = None


@dataclass
class Words:
    shared: ClassVar[Plain]
    text: str
    words: list[str] = field(default_factory=list)


@dataclass
class Made:
    plain: Plain = field(default_factory=Plain)


@dataclass
class Replacing(Made):
    plain: int = 1  # type: ignore[assignment]


UserId = NewType("UserId", str)
PlainId = NewType("PlainId", Plain)
ByName = dict[str, Plain]
Named = Annotated[str, "a name"]

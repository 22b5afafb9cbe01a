"""States whose fields are seen, and states that may have any."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any


class Base:
    inherited = 1

    def __init__(self) -> None:
        self.made_at_start = []
        self.one, (self.two, *self.rest) = 1, (2, 3)

    @property
    def is_done(self) -> bool:
        return self.inherited > 3

    def add(self, note: str) -> None:
        for self.last in (note,):
            pass
        self.count: int = len(note)


class Draft(Base):
    approved = False
    rounds = 0
    text: str
    if TYPE_CHECKING:
        told_to_checkers: int

        def told_as_well(self) -> int: ...


class Longer(Draft):
    words = 0


class Open:
    approved = False

    def __getattr__(self, name: str) -> Any:
        return 0


class HandsItselfOn:
    approved = False

    def __init__(self) -> None:
        fill(self)


def fill(state: Any) -> None:
    state.extra = 1


@dataclass
class Sheet:
    title: str = ""
    lines: list[str] = field(default_factory=list)
    is_ready: bool = False


@dataclass(slots=True)
class Tight:
    title: str = ""

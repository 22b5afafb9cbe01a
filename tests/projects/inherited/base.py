from dataclasses import dataclass, field
from typing import ClassVar

from thena_runtime import State


class Draft:
    approved = False


class Searching:
    async def execute(self, query: str, s: State[Draft]) -> str:  # error: THN201
        return query


class Remembering:
    def __init__(self, s: State[Draft]) -> None:  # error: THN201
        self.s = s


@dataclass
class Counting:
    limit: ClassVar[int] = 3
    s: State[Draft]  # error: THN201
    rounds: int = 0
    notes: list[str] = field(default_factory=list, init=False)

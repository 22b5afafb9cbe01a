from enum import IntEnum
from typing import Annotated, TypeAlias

from thena_runtime import Context, State, context, state


class Grade(IntEnum):
    A = 1
    B = 2
    C = 3


class Essay:
    grades: dict[str, Grade] = {}
    feedback: list[str] = []

    @property
    def worst(self) -> Grade | None:
        return max(self.grades.values(), default=None)


TheEssay: TypeAlias = Annotated[Essay, state()]
TheContext: TypeAlias = "Annotated[Context, context()]"
MaybeEssay = State[Essay] | None

from typing import Literal

from game.world import World
from thena_runtime import State, Tool

Direction = Literal["north", "south"]
STEPS: dict[str, tuple[int, int]] = {"north": (0, 1), "south": (0, -1)}


@Tool(name="walk", description="Walk in a direction.")
class Walk:
    def execute(self, direction: Direction, world: State[World]) -> str:
        return world.describe(world.move(*STEPS[direction]))


class _Dice:
    sides = 6

    def execute(self, world: State[World], times: int = 1) -> list[int]:
        """Roll.

        :param times: how often
        """
        return [world.dice.randint(1, self.sides) for _ in range(times)]


@Tool(name="d6", description="Roll a die with six sides.", repeatable=True)
class D6(_Dice):
    pass


@Tool(name="d20", description="Roll a die with twenty sides.", repeatable=True)
class D20(_Dice):
    sides = 20

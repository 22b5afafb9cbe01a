import copy
import random
from typing import ClassVar


class World:
    """The state of the game."""

    SIZE: ClassVar[int] = 8

    position = (0, 0)
    health = 10
    bag: list[str] = []
    rooms: dict[tuple[int, int], str] = {(0, 0): "hall", (0, 1): "cellar"}
    dice = random.Random(7)
    _monsters = {"cellar": "rat"}

    def move(self, dx: int, dy: int) -> str:
        x, y = self.position
        self.position = ((x + dx) % self.SIZE, (y + dy) % self.SIZE)
        return self.rooms.get(self.position, "nowhere")

    @staticmethod
    def describe(room: str) -> str:
        return f"You are in the {room}."

    @classmethod
    def bounds(cls) -> tuple[int, int]:
        return cls.SIZE, cls.SIZE

    @property
    def alive(self) -> bool:
        return self.health > 0

    def __copy__(self) -> "World":
        return copy.deepcopy(self)

from dataclasses import dataclass
from enum import Enum
from functools import partial


def one(ctx) -> bool:
    return True


def two(ctx, s) -> bool:
    return True


def positional_only(ctx, s, /) -> bool:
    return True


def optional(ctx, s=None) -> bool:
    return True


def any_number(*args) -> bool:
    return True


def three(ctx, s, third) -> bool:
    return True


def keyword(ctx, *, limit) -> bool:
    return True


def none() -> bool:
    return True


async def awaited(ctx, s) -> bool:
    return True


class Rules:
    def done(self, ctx, s) -> bool:
        return True

    def __call__(self, ctx) -> bool:
        return True

    @staticmethod
    def static(ctx) -> bool:
        return True

    @classmethod
    def of_class(cls, ctx, s) -> bool:
        return True


RULES = Rules()
limited = partial(keyword, limit=3)
second = partial(three, None)


class Empty:
    pass


class Made:
    def __init__(self, ctx, s) -> None:
        pass


class Inheriting(Made):
    pass


@dataclass
class Generated:
    ctx: object
    s: object
    third: int = 3


class MadeNew:
    def __new__(cls, ctx):
        return super().__new__(cls)


class Kind(Enum):
    ONE = 1

from typing import Annotated, Generic, TypeVar

T = TypeVar("T")


class State(Generic[T]):
    pass


class Context:
    pass


def state() -> str:
    return ""


Mine = Annotated[int, state()]


def loop(*args, **options) -> object:
    return object

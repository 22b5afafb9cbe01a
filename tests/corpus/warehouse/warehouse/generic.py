"""Agents over any state, by a generic base."""

from typing import Any, Generic, TypeVar

from thena_runtime import Context

S = TypeVar("S")


class Keeper(Generic[S]):
    """Each subclass says in its own constructor which state it wants."""

    def __init__(self, state: S, **labels: Any) -> None:
        self.state: S = state
        self.labels = labels

    def after_response(self, response: str, ctx: Context) -> None:
        ctx.meta(labels=list(self.labels))

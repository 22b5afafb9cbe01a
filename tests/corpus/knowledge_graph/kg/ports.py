"""What the agents need from the outside, as protocols."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NewType, Protocol, runtime_checkable

NodeId = NewType("NodeId", str)


@runtime_checkable
class Graph(Protocol):
    def add(self, subject: NodeId, relation: str, object: NodeId) -> None: ...

    def about(self, subject: NodeId) -> Iterable[tuple[str, NodeId]]: ...

"""Opens and closes the nodes of a run's tree, and publishes each as an event.

The open node lives in a `ContextVar`, so branches of a `parallel` each have their own. Without a listener nothing is
made or kept. Left out on purpose: content of messages, which no event holds.
"""

import itertools
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from thena_runtime.budget.meter import BudgetCut
from thena_runtime.clock import SYSTEM_CLOCK, Clock
from thena_runtime.observability.events import Event, Kind, Status

Sink = Callable[[Event], object]


@dataclass(slots=True)
class Node:
    """A node that is open. `data` and `status` become part of its end event."""

    kind: Kind
    name: str
    id: str
    parent: "Node | None"
    depth: int
    started: float
    data: dict[str, Any] = field(default_factory=dict)  # JSON values: a wire
    status: Status = "ok"
    error: str | None = None

    def fail(self, message: str) -> None:
        """Mark the node as failed without an exception."""
        self.status = "error"
        self.error = message

    def skip(self) -> None:
        """Mark the node as one whose work was not done."""
        self.status = "skipped"


_OPEN: Final[ContextVar[Node | None]] = ContextVar("thena_open_node", default=None)


class Recorder:
    """One run's events. Owned by the run."""

    def __init__(self, run_id: str, sinks: Sequence[Sink], clock: Clock = SYSTEM_CLOCK) -> None:
        self._run_id = run_id
        self._sinks = tuple(sinks)
        self._clock = clock
        self._sequence = itertools.count(1)
        self._ids = itertools.count(1)

    @contextmanager
    def node(self, kind: Kind, name: str) -> Iterator[Node]:
        """Keep a node open for the block; an exception closes it as failed, a cancellation as cancelled."""
        if not self._sinks:
            yield Node(kind, name, "", None, 0, 0.0)
            return
        parent = _OPEN.get()
        depth = 0 if parent is None else parent.depth + 1
        node = Node(kind, name, f"n{next(self._ids)}", parent, depth, self._clock.monotonic())
        token = _OPEN.set(node)
        self._publish(node, "start")
        try:
            yield node
        except CancelledError:
            node.status = "cancelled"
            raise
        except BudgetCut:
            if node.status == "ok":
                node.status = "cancelled"
            raise
        except BaseException as error:
            node.fail(_one_line(error))
            raise
        finally:
            _OPEN.reset(token)
            self._publish(node, "end")

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens."""
        return bool(self._sinks)

    def skip_open_node(self) -> None:
        """Mark the node that is open where this is called as one whose work was not done."""
        node = _OPEN.get()
        if node is not None and self._sinks:
            node.skip()

    def add_to_open_node(self, data: dict[str, object]) -> None:
        """Add values to the node that is open where this is called."""
        node = _OPEN.get()
        if node is not None and self._sinks:
            node.data.update(data)

    def _publish(self, node: Node, phase: str) -> None:
        is_end = phase == "end"
        event = Event(
            run_id=self._run_id,
            sequence=next(self._sequence),
            time=self._clock.time(),
            phase="end" if is_end else "start",
            kind=node.kind,
            name=node.name,
            id=node.id,
            parent_id=None if node.parent is None else node.parent.id,
            depth=node.depth,
            duration=self._clock.monotonic() - node.started if is_end else None,
            status=node.status if is_end else None,
            error=node.error if is_end else None,
            data=dict(node.data),
        )
        for sink in self._sinks:
            # Whoever listens must never change how a run ends.
            try:
                sink(event)
            except Exception:
                continue


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__

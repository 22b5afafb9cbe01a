"""Opens and closes the nodes of a run's tree, and publishes each as an event.

The open node lives in a `ContextVar`, so branches of a `parallel` each have their own. Without a listener nothing is
made or kept. Left out on purpose: content of messages, which no event holds.
"""

import itertools
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from thena_runtime.budget.meter import BudgetCut
from thena_runtime.clock import SYSTEM_CLOCK, Clock
from thena_runtime.observability.events import Event, EventParts, Kind, Phase, Status, event_of

_NO_DATA: Final[Mapping[str, Any]] = MappingProxyType({})

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

    def __init__(
        self,
        run_id: str,
        sinks: Sequence[Sink],
        clock: Clock = SYSTEM_CLOCK,
        keep: Callable[[EventParts], object] | None = None,
    ) -> None:
        """Tell each event to the sinks; `keep` is given its parts alone, for most events are never looked at."""
        self._run_id = run_id
        self._sinks = tuple(sinks)
        self._keep = keep
        self.is_heard = bool(sinks) or keep is not None
        """Whether anybody listens."""
        self._clock = clock
        self._sequence = itertools.count(1)
        self._ids = itertools.count(1)

    @contextmanager
    def node(self, kind: Kind, name: str) -> Iterator[Node]:
        """Keep a node open for the block; an exception closes it as failed, a cancellation as cancelled."""
        if not self.is_heard:
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

    def skip_open_node(self) -> None:
        """Mark the node that is open where this is called as one whose work was not done."""
        node = _OPEN.get()
        if node is not None and self.is_heard:
            node.skip()

    def add_to_open_node(self, data: dict[str, object]) -> None:
        """Add values to the node that is open where this is called."""
        node = _OPEN.get()
        if node is not None and self.is_heard:
            node.data.update(data)

    def _publish(self, node: Node, phase: Phase) -> None:
        is_end = phase == "end"
        parts: EventParts = (
            self._run_id,
            next(self._sequence),
            self._clock.time(),
            phase,
            node.kind,
            node.name,
            node.id,
            None if node.parent is None else node.parent.id,
            node.depth,
            self._clock.monotonic() - node.started if is_end else None,
            node.status if is_end else None,
            node.error if is_end else None,
            dict(node.data) if node.data else _NO_DATA,
        )
        if self._sinks:
            self._tell(event_of(parts))
        if self._keep is not None:
            self._keep(parts)

    def _tell(self, event: Event) -> None:
        for sink in self._sinks:
            # Whoever listens must never change how a run ends.
            try:
                sink(event)
            except Exception:
                continue


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__

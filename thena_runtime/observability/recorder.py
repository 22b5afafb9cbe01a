"""Opens and closes the nodes of a run's tree, and publishes each as an event.

The open node lives in a `ContextVar`, so branches of a `parallel` each have their own. Without a listener nothing is
made or kept. Left out on purpose: content of messages, which no event holds.
"""

import itertools
from asyncio import CancelledError
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from types import MappingProxyType, TracebackType
from typing import Any, Final

from thena_runtime.budget.meter import BudgetCut
from thena_runtime.clock import SYSTEM_CLOCK, Clock
from thena_runtime.observability.events import Event, EventParts, Kind, Phase, Status, event_of

_NO_DATA: Final[Mapping[str, Any]] = MappingProxyType({})

Sink = Callable[[Event], object]


class Node:
    """A node that is open for a `with` block. `data` and `status` become part of its end event.

    An exception closes it as failed, a cancellation as cancelled.
    """

    __slots__ = ("_recorder", "_token", "data", "depth", "error", "id", "kind", "name", "parent", "started", "status")

    def __init__(self, recorder: "Recorder", kind: Kind, name: str) -> None:
        self._recorder = recorder
        self.kind: Kind = kind
        self.name = name
        self.data: dict[str, Any] = {}  # JSON values: a wire
        self.status: Status = "ok"
        self.error: str | None = None

    def fail(self, message: str) -> None:
        """Mark the node as failed without an exception."""
        self.status = "error"
        self.error = message

    def skip(self) -> None:
        """Mark the node as one whose work was not done."""
        self.status = "skipped"

    def __enter__(self) -> "Node":
        recorder = self._recorder
        if recorder.is_heard:
            parent = self.parent = _OPEN.get()
            self.depth: int = 0 if parent is None else parent.depth + 1
            self.id = f"n{next(recorder.ids)}"
            self.started = recorder.clock.monotonic()
            self._token = _OPEN.set(self)
            recorder.publish(self, "start", None, None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        recorder = self._recorder
        if not recorder.is_heard:
            return
        if error is not None:
            self._raised(error)
        _OPEN.reset(self._token)
        recorder.publish(self, "end", recorder.clock.monotonic() - self.started, self.status)

    def _raised(self, error: BaseException) -> None:
        match error:
            case CancelledError():
                self.status = "cancelled"
            case BudgetCut():
                if self.status == "ok":
                    self.status = "cancelled"
            case _:
                self.fail(_one_line(error))


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
        self.clock = clock
        self._sequence = itertools.count(1)
        self.ids = itertools.count(1)

    def node(self, kind: Kind, name: str) -> Node:
        """Make a node, to be kept open with `with`."""
        return Node(self, kind, name)

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

    def publish(self, node: Node, phase: Phase, duration: float | None, status: Status | None) -> None:
        """Tell that a node opens or closes: for nodes alone."""
        parts: EventParts = (
            self._run_id,
            next(self._sequence),
            self.clock.time(),
            phase,
            node.kind,
            node.name,
            node.id,
            None if node.parent is None else node.parent.id,
            node.depth,
            duration,
            status,
            node.error,
            node.data.copy() if node.data else _NO_DATA,
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

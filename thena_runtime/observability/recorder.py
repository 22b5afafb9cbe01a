"""Opens and closes the nodes of a run's tree, and publishes each as an event.

The open node lives in a `ContextVar`, so branches of a `parallel` each have their own. Without a listener nothing is
made or kept. Left out on purpose: content of messages, which no event holds.
"""

import itertools
from asyncio import CancelledError
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import partial
from sys import getsizeof
from types import TracebackType
from typing import Any, Final, TypeAlias

from thena_runtime.budget.meter import BudgetCut
from thena_runtime.clock import SYSTEM_CLOCK, Clock
from thena_runtime.observability.events import Event, Kind, Status
from thena_runtime.observability.witness import Witness

Sink = Callable[[Event], object]


class Node:
    """A node that is open for a `with` block. `data` and `status` become part of its end event.

    An exception closes it as failed, a cancellation as cancelled. Once it is closed it stays as it is.
    """

    __slots__ = (
        *("_data", "_recorder", "_started", "duration", "error", "id", "kind", "name", "parent"),
        *("run_id", "status"),
    )

    def __init__(self, recorder: "Recorder", kind: Kind, name: str) -> None:
        # Only until it is closed: what is kept of a run then refers to nothing that refers to what is kept.
        self._recorder: Recorder | None = recorder
        self.run_id = recorder.run_id
        self.kind: Kind = kind
        self.name = name
        self.status: Status = "ok"
        self.error: str | None = None
        self._data: dict[str, Any] | None = None  # JSON values: a wire

    @property
    def data(self) -> dict[str, Any]:  # JSON values: a wire
        """What the node's end tells beside its status."""
        if self._data is None:
            self._data = {}
        return self._data

    @property
    def depth(self) -> int:
        """How many nodes it stands in."""
        return 0 if self.parent is None else self.parent.depth + 1

    @property
    def is_open(self) -> bool:
        """Whether somebody hears of it when it closes."""
        return self._recorder is not None

    def fail(self, message: str) -> None:
        """Mark the node as failed without an exception."""
        self.status = "error"
        self.error = message

    def skip(self) -> None:
        """Mark the node as one whose work was not done."""
        self.status = "skipped"

    def __enter__(self) -> "Node":
        recorder = self._recorder
        if recorder is not None and recorder.is_heard:
            self.parent = _OPEN.get()
            self.id = next(recorder.ids)
            _OPEN.set(self)
            self._started = recorder.monotonic()
            recorder.publish((self, False, next(recorder.sequence), recorder.time(), _WEIGHT))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        recorder, self._recorder = self._recorder, None
        if recorder is not None and recorder.is_heard:
            if error is not None:
                self._raised(error, recorder.witness)
            _OPEN.set(self.parent)
            self.duration = recorder.monotonic() - self._started
            weight = _WEIGHT + _weight_of(self._data) if self._data else _WEIGHT
            recorder.publish((self, True, next(recorder.sequence), recorder.time(), weight))

    def _raised(self, error: BaseException, witness: Witness | None) -> None:
        match error:
            case CancelledError():
                self.status = "cancelled"
            case BudgetCut():
                if self.status == "ok":
                    self.status = "cancelled"
            case _:
                self.fail(_one_line(error))
                if witness is not None:
                    witness.raised(error)


# A node that opens or closes: the event before somebody wants to see it. With it, whether it closes, the event's
# sequence and its time, and about how many bytes the event takes.
Moment: TypeAlias = tuple[Node, bool, int, float, int]

_WEIGHT: Final = 600
"""About what an event takes without its data."""

_NUMBERS: Final = frozenset({int, float, bool, type(None)})
_NUMBER: Final = getsizeof(0.0)


def _weight_of(value: object) -> int:
    weight = getsizeof(value)
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return weight
    for each in value:
        weight += _NUMBER if type(each) in _NUMBERS else _weight_of(each)
    return weight


_OPEN: Final[ContextVar[Node | None]] = ContextVar("thena_open_node", default=None)


def open_node() -> Node | None:
    """The node that is open where this is called."""
    return _OPEN.get()


def begin_tree() -> None:
    """Have the next node of this task be a root, also where the task was started inside another run."""
    _OPEN.set(None)


class Recorder:
    """One run's events. Owned by the run."""

    __slots__ = ("ids", "is_heard", "monotonic", "publish", "run_id", "sequence", "time", "witness")

    def __init__(
        self,
        run_id: str,
        sinks: Sequence[Sink],
        clock: Clock = SYSTEM_CLOCK,
        keep: Callable[[Moment], object] | None = None,
        witness: Witness | None = None,
    ) -> None:
        """Tell each event to the sinks; `keep` is given what it is made of, for most events are never looked at.

        `witness` is who keeps the contents.
        """
        self.run_id = run_id
        self.is_heard = bool(sinks) or keep is not None
        """Whether anybody listens."""
        self.ids = itertools.count(1)
        self.sequence = itertools.count(1)
        self.witness = witness
        self.time = clock.time
        self.monotonic = clock.monotonic
        self.publish: Callable[[Moment], object] = (
            keep if keep is not None and not sinks else partial(_tell, sinks, keep)
        )
        """Tells that a node opens or closes: for nodes alone."""

    def node(self, kind: Kind, name: str) -> Node:
        """Make a node, to be kept open with `with`."""
        return Node(self, kind, name)

    def skip_open_node(self) -> None:
        """Mark the node that is open where this is called as one whose work was not done."""
        node = _OPEN.get()
        if node is not None and node.is_open and self.is_heard:
            node.skip()

    def add_to_open_node(self, data: dict[str, object]) -> None:
        """Add values to the node that is open where this is called."""
        node = _OPEN.get()
        if node is not None and node.is_open and self.is_heard:
            node.data.update(data)


def _tell(sinks: Sequence[Sink], keep: Callable[[Moment], object] | None, moment: Moment) -> None:
    event = event_of(moment)
    for sink in sinks:
        # Whoever listens must never change how a run ends. What ends the process isn't for us to keep, though.
        try:
            sink(event)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:
            continue
    if keep is not None:
        keep(moment)


def event_of(moment: Moment) -> Event:
    """Make the event of a node that opens or closes."""
    node, is_end, sequence, time, _ = moment
    return Event(
        run_id=node.run_id,
        sequence=sequence,
        time=time,
        phase="end" if is_end else "start",
        kind=node.kind,
        name=node.name,
        id=f"n{node.id}",
        parent_id=None if node.parent is None else f"n{node.parent.id}",
        depth=node.depth,
        duration=node.duration if is_end else None,
        status=node.status if is_end else None,
        error=node.error if is_end else None,
        data=dict(node.data) if is_end else {},
    )


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text}" if text else type(error).__name__

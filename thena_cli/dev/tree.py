"""A run's events as a tree, and the tree as rows to show.

Pure: the time that an open node has taken is worked out from the clock reading that is passed in. Left out on
purpose: colours, symbols and terminals.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from thena_contract.frozen import frozen
from thena_runtime.observability.console import printable
from thena_runtime.observability.events import Event, Status

_NAMED = frozenset({"workflow", "agent", "tool"})
_LONG_LIVED = frozenset({"workflow", "loop", "parallel"})


@frozen(kw_only=True)
class Spending:
    """What the model calls of a run took, as far as it is known, and what replaying spared.

    Costs are dollars; they are `None` where no provider told one.
    """

    calls: int = 0
    tokens: int = 0
    usd: float | None = None
    replayed: int = 0
    saved_tokens: int = 0
    saved_usd: float | None = None


@dataclass(slots=True)
class Node:
    """One node; owned by its `RunTree`, changed when it ends and when a transcript has written it."""

    opened: Event
    parent: "Node | None"
    closed: Event | None = None
    children: list["Node"] = field(default_factory=list)
    is_written: bool = False


@frozen(kw_only=True)
class Row:
    """One line of the tree. `status` is None while the node is open."""

    depth: int
    kind: str
    name: str
    seconds: float
    status: Status | None
    note: str


class RunTree:
    """The tree of one run, grown event by event; it lives as long as that run is on the screen."""

    def __init__(self) -> None:
        self._roots: list[Node] = []
        self._by_id: dict[str, Node] = {}

    def add(self, event: Event) -> Node:
        """Take in one event and return its node. An end without a start is a node that was over at once."""
        node = self._by_id.get(event.id)
        if node is None:
            parent = None if event.parent_id is None else self._by_id.get(event.parent_id)
            node = Node(event, parent)
            (self._roots if parent is None else parent.children).append(node)
            self._by_id[event.id] = node
        if event.phase == "end":
            node.closed = event
        return node

    def rows(self, now: float, *, told: str | None = None) -> list[Row]:
        """Every node in the order of the tree; `now` is seconds since the epoch. The error `told` is told elsewhere."""
        return [row_of(node, now, told) for root in self._roots for node in walk(root)]

    @property
    def roots(self) -> tuple[Node, ...]:
        """The nodes that have no parent: one, unless a line was lost."""
        return tuple(self._roots)

    def seconds(self, now: float) -> float | None:
        """How long the run took, or has taken so far; None before its first node."""
        if not self._roots:
            return None
        first, last = self._roots[0].opened, self._roots[-1].closed
        return max(0.0, (now if last is None else last.time) - first.time)

    @property
    def spending(self) -> Spending:
        """What its model calls have taken so far."""
        ended = [node.closed.data for node in self._by_id.values() if node.closed is not None]
        calls = [data for data in ended if "prompt_tokens" in data or data.get("replayed")]
        replayed = [data for data in calls if data.get("replayed")]
        asked = [data for data in calls if not data.get("replayed")]
        return Spending(
            calls=len(asked),
            tokens=sum(_tokens(data) for data in asked),
            # A replayed call costs nothing, which says nothing of what the others did.
            usd=_sum(asked, "cost_usd"),
            replayed=len(replayed),
            saved_tokens=int(_sum(replayed, "saved_tokens") or 0),
            saved_usd=_sum(replayed, "saved_usd"),
        )

    @property
    def cancelled_at(self) -> str | None:
        """`kind name` of the innermost named node that did not come to its end; of several, the one begun last."""
        cut_off = [node.opened for node in self._by_id.values() if node.opened.kind in _NAMED and _is_cut_off(node)]
        if not cut_off:
            return None
        event = max(cut_off, key=lambda event: (event.depth, event.sequence))
        return f"{event.kind} {printable(event.name)}"


class Transcript:
    """The tree of one run as rows that are written once and never redrawn: for a file, a pipe, a plain terminal.

    A quick turn is written when it is over, as a row with its duration; a workflow and a loop are written as they
    begin, and so is everything that is still open when something else has to be written (`flush`). The end of a node
    that failed waits for what comes next: if the error ends the run, the outcome tells it, and no row does.
    """

    def __init__(self) -> None:
        self.tree = RunTree()
        self._is_holding = False
        self._failing: list[Node] = []

    def add(self, event: Event) -> list[Row]:
        """Take in one event and return the rows that can be written now."""
        node = self.tree.add(event)
        self._is_holding = True
        rows = [] if self._failing and _passes_on(node, self._failing[-1]) else self._fail()
        if node.closed is None:
            return rows + (self.flush() if event.kind in _LONG_LIVED else [])
        if node.closed.status != "error":
            return rows + _ended(node, None)
        self._failing.append(node)
        return rows if node.parent is not None else rows + self._fail(told=node.closed.error)

    def flush(self) -> list[Row]:
        """Return the rows that were held back, the open ones as open."""
        if not self._is_holding:
            return []
        self._is_holding = False
        rows = self._fail()
        return rows + [row for root in self.tree.roots for row in _written(root, root.opened.time, None)]

    def _fail(self, told: str | None = None) -> list[Row]:
        """Write what failed, from the innermost node outwards."""
        failed, self._failing = self._failing, []
        return [row for node in failed for row in _ended(node, told)]


def walk(node: Node) -> Iterator[Node]:
    """The node and everything under it, in the order of the tree."""
    yield node
    for child in node.children:
        yield from walk(child)


def row_of(node: Node, now: float, told: str | None = None) -> Row:
    """The node as it is at `now`. An error stands at the innermost node that it ended, if it is not the one `told`."""
    opened, closed = node.opened, node.closed
    taken = None if closed is None else closed.duration
    return Row(
        depth=opened.depth,
        kind=opened.kind,
        name=printable(opened.name) if opened.kind in _NAMED else "",
        seconds=max(0.0, now - opened.time) if taken is None else taken,
        status=None if closed is None else closed.status,
        note="" if closed is None else _note(closed, _own_error(node, told)),
    )


def _is_cut_off(node: Node) -> bool:
    return node.closed is None or node.closed.status == "cancelled"


def _passes_on(node: Node, failed: Node) -> bool:
    """Whether a node has just failed with the error of the one inside it."""
    return node is failed.parent and _error(node) is not None and _error(node) == _error(failed)


def _error(node: Node) -> str | None:
    return None if node.closed is None or node.closed.status != "error" else node.closed.error


def _own_error(node: Node, told: str | None) -> str:
    error = None if node.closed is None else node.closed.error
    is_told = error == told or any(error == _error(child) for child in node.children)
    return "" if error is None or is_told else error.strip()


def _ended(node: Node, told: str | None) -> list[Row]:
    """The rows of a node that is over and has not been written so."""
    assert node.closed is not None
    if node.is_written:
        return [row_of(node, node.closed.time, told)]
    return _written(node, node.closed.time, told) if node.parent is None or node.parent.is_written else []


def _written(node: Node, now: float, told: str | None) -> list[Row]:
    rows: list[Row] = []
    for each in walk(node):
        if not each.is_written:
            each.is_written = True
            rows.append(row_of(each, now, told))
    return rows


def _note(closed: Event, error: str) -> str:
    """What the end of a node says beyond its status: how often a loop went round, why it stopped, what a call took."""
    parts: list[str] = []
    iterations = closed.data.get("iterations")
    if isinstance(iterations, int):
        parts.append("1 iteration" if iterations == 1 else f"{iterations} iterations")
    stopped_by = closed.data.get("stopped_by")
    if isinstance(stopped_by, str) and stopped_by:
        parts.append(f"stopped by {printable(stopped_by)}")
    if closed.data.get("replayed"):
        parts.append("replayed")
    elif tokens := _tokens(closed.data):
        cost = _sum([closed.data], "cost_usd")
        parts.append(f"{tokens:,} tokens" + ("" if cost is None else f", {dollars(cost)}"))
    if error:
        parts.append(printable(error.splitlines()[0]))
    return ", ".join(parts)


def dollars(usd: float) -> str:
    """`$0.0123`: a call costs so little that cents say nothing."""
    return f"${usd:,.2f}" if usd >= 1 else f"${usd:.4f}"


def _tokens(data: Mapping[str, object]) -> int:
    return int((_sum([data], "prompt_tokens") or 0) + (_sum([data], "completion_tokens") or 0))


def _sum(rows: Iterable[Mapping[str, object]], name: str) -> float | None:
    """The sum of a number over those that have it; `None` where none has."""
    numbers = [value for row in rows if isinstance(value := row.get(name), int | float)]
    return sum(numbers) if numbers else None

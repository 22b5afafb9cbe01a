"""What tests of workflows need: a scripted model, a run to assert on, a clock that the test moves, a guard on requests.

Nothing here patches anything. `docs/runtime/testing.md` shows each in use.
"""

import asyncio
import heapq
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from thena_runtime.app import Thena
from thena_runtime.conversation import Conversation
from thena_runtime.observability.events import Event, Kind, Status
from thena_runtime.providers.guard import Guard, RequestForbiddenError
from thena_runtime.providers.scripted import ScriptedProvider, tool_call
from thena_runtime.run.handle import RunHandle
from thena_runtime.scope import Seed

__all__ = [
    "FakeClock",
    "Recorded",
    "RequestForbiddenError",
    "ScriptedProvider",
    "TreeNode",
    "forbid_requests",
    "record",
    "recorded",
    "tool_call",
    "tree_of",
]


# -- runs


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of a run's tree, to be compared with another or with its text.

    Two nodes are equal when kind, name, status and children are; `error` and `data` can be read and aren't compared,
    nor is there a time or an id in it. `status` is `None` for a node that never ended.
    """

    kind: Kind
    name: str
    status: Status | None = "ok"
    children: tuple["TreeNode", ...] = ()
    error: str | None = field(default=None, compare=False)
    data: Mapping[str, Any] = field(default_factory=dict, compare=False)  # JSON values: a wire

    def __str__(self) -> str:
        """One line a node, `kind name status`, each child two spaces further in."""
        return "\n".join(self._lines(0))

    def walk(self) -> Iterator["TreeNode"]:
        """This node, then everything below it, as it is written."""
        yield self
        for child in self.children:
            yield from child.walk()

    def all(self, kind: Kind, name: str | None = None) -> list["TreeNode"]:
        """Every node of this kind, and of this name if one is given."""
        return [node for node in self.walk() if node.kind == kind and name in (None, node.name)]

    def only(self, kind: Kind, name: str | None = None) -> "TreeNode":
        """The one node of this kind and name. Raises `LookupError` where there is none, or more than one."""
        found = self.all(kind, name)
        if len(found) == 1:
            return found[0]
        wanted = kind if name is None else f"{kind} {name}"
        raise LookupError(f"the tree has {len(found)} nodes `{wanted}`, and not one:\n{self}")

    def _lines(self, depth: int) -> Iterator[str]:
        yield f"{'  ' * depth}{self.kind} {self.name} {self.status}"
        for child in self.children:
            yield from child._lines(depth + 1)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A run that is over.

    `error` is what it raised; `conversation` then is as far as it came.
    """

    output: Any  # text, or what the last step's agent declares or returns
    conversation: Conversation
    events: tuple[Event, ...]
    error: Exception | None = None

    @property
    def root(self) -> TreeNode:
        """The run's tree."""
        return tree_of(self.events)

    @property
    def tree(self) -> str:
        """The run's tree as text: one line a node, `kind name status`, indented by depth."""
        return str(self.root)


async def record(
    workflow: type | Thena,
    prompt: str = "go",
    *,
    state: Seed | None = None,
    data: object = None,
    raises: type[Exception] | tuple[type[Exception], ...] = (),
) -> Recorded:
    """Run a workflow, or an app, to its end and keep everything it says.

    What the run raises is raised here, except what `raises` names: that is expected, is kept in `error`, and is missed
    with an `AssertionError` where it doesn't come.
    """
    async with AsyncExitStack() as stack:
        app = workflow if isinstance(workflow, Thena) else await stack.enter_async_context(Thena(workflow))
        return await recorded(app.run(prompt, state=state, data=data), raises=raises)


async def recorded(handle: RunHandle, *, raises: type[Exception] | tuple[type[Exception], ...] = ()) -> Recorded:
    """Wait for the end of a run that was started already, as `record` does."""
    # Watched from here on, for a handle keeps only so many events for who comes late.
    events: list[Event] = []
    handle.on_event(events.append)
    output, caught = None, None
    try:
        output = await handle
    except raises as error:
        caught = error
    if raises and caught is None:
        names = " or ".join(each.__name__ for each in (raises if isinstance(raises, tuple) else (raises,)))
        raise AssertionError(f"the run was to raise {names}, and gave {output!r}:\n{tree_of(events)}")
    return Recorded(output, handle.state, tuple(events), caught)


def tree_of(events: Sequence[Event]) -> TreeNode:
    """Put a run's events together as a tree, each node's children in the order in which they began."""
    if any(event.kind == "gap" for event in events):
        raise ValueError("these events have a gap, and make no tree. Watch the run from its start, as `record` does.")
    ends = {event.id: event for event in events if event.phase == "end"}
    below: dict[str | None, list[Event]] = {}
    for event in events:
        if event.phase == "start":
            below.setdefault(event.parent_id, []).append(event)

    def node(start: Event) -> TreeNode:
        end = ends.get(start.id)
        return TreeNode(
            start.kind,
            start.name,
            None if end is None else end.status,
            tuple(node(child) for child in below.get(start.id, ())),
            error=None if end is None else end.error,
            data={} if end is None else end.data,
        )

    roots = below.get(None, [])
    if len(roots) != 1:
        raise ValueError(f"these events have {len(roots)} roots, and a run has one. Give the events of a single run.")
    return node(roots[0])


# -- requests


@contextmanager
def forbid_requests() -> Iterator[None]:
    """Let no provider of Thena's send anything, in the whole process, as long as the block lasts.

    A provider that tries raises `RequestForbiddenError`, and so does the end of the block where the workflow has
    caught it. A provider of your own that sends in its own way isn't reached.
    """
    guard = Guard()
    guard.enter()
    try:
        yield
    finally:
        guard.leave()
    if guard.attempts:
        raise guard.attempts[0]


# -- time

_ROUNDS: Final = 100
"""How often the event loop is let through after a moment: enough for what is ready to come to its next wait."""


@dataclass(slots=True, eq=False)
class _Timer:
    """A call that is to come."""

    function: Callable[[], object]
    is_cancelled: bool = False

    def cancel(self) -> None:
        """Call it off."""
        self.is_cancelled = True


class FakeClock:
    """A clock that stands still until a test moves it: `ThenaConfig(clock=...)`, `ScriptedProvider(..., clock=...)`.

    With `passes` every wait passes at once: the clock moves to its end. That suits a single line of waits, such as
    the attempts of one request; where several things wait at the same time, move it with `advance`.
    """

    def __init__(self, *, epoch: float = 1_000_000_000.0, passes: bool = False) -> None:
        self._epoch = epoch
        self._now = 0.0
        self._passes = passes
        self._order = itertools.count()
        self._timers: list[tuple[float, int, _Timer]] = []
        self.slept: list[float] = []
        """How many seconds each wait was for, in the order in which they began."""

    def time(self) -> float:
        """The date, as seconds since the epoch."""
        return self._epoch + self._now

    def monotonic(self) -> float:
        """Seconds since the clock was made."""
        return self._now

    async def sleep(self, seconds: float) -> None:
        """Wait until the clock has been moved so far."""
        self.slept.append(seconds)
        if seconds <= 0 or self._passes:
            self._move(self._now + max(seconds, 0.0))
            await asyncio.sleep(0)
            return
        passed = asyncio.Event()
        timer = self.call_later(seconds, passed.set)
        try:
            await passed.wait()
        finally:
            timer.cancel()

    def call_later(self, seconds: float, function: Callable[[], object]) -> _Timer:
        """Have a function called when the clock has been moved so far."""
        timer = _Timer(function)
        heapq.heappush(self._timers, (self._now + max(seconds, 0.0), next(self._order), timer))
        return timer

    async def advance(self, seconds: float) -> None:
        """Move the clock, from one due moment to the next, letting everything that is ready run at each."""
        end = self._now + seconds
        await _settle()
        while self._timers and self._timers[0][0] <= end:
            self._move(self._timers[0][0])
            await _settle()
        self._move(end)
        await _settle()

    def _move(self, end: float) -> None:
        while self._timers and self._timers[0][0] <= end:
            moment, _, timer = heapq.heappop(self._timers)
            self._now = max(self._now, moment)
            if not timer.is_cancelled:
                timer.function()
        self._now = max(self._now, end)


async def _settle() -> None:
    for _ in range(_ROUNDS):
        await asyncio.sleep(0)

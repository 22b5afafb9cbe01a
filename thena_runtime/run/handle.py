"""The handle of a run that goes on: await it, abort it, watch it.

Cancelling who awaits a handle doesn't end the run; `abort` does, and so does leaving `async with`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Generator
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Self

from thena_runtime.build.plan import Plan
from thena_runtime.conversation import Conversation
from thena_runtime.observability.events import Event
from thena_runtime.run.channel import Channel
from thena_runtime.run.equipment import Equipment
from thena_runtime.run.walk import run_plan
from thena_runtime.run_context import facts_of
from thena_runtime.scope import RunScope


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    output: str | None
    conversation: Conversation
    stopped_by: Literal["stop"] | None


async def execute(plan: Plan, scope: RunScope, conversation: Conversation, equipment: Equipment) -> Outcome:
    """Run a plan in the current task, which an abort interrupts."""
    task = asyncio.current_task()
    scope.cancellation.bind(task)
    try:
        ctx = await run_plan(plan, scope, conversation, equipment)
    except BaseException as error:
        if scope.cancellation.requested.is_set() and isinstance(error, Exception | asyncio.CancelledError):
            if task is not None:
                task.uncancel()
            raise scope.cancellation.error() from None
        raise
    finally:
        scope.cancellation.bind(None)
    return Outcome(facts_of(ctx).output, ctx.state, "stop" if scope.stopping.is_set() else None)


class RunHandle:
    """One run. Awaiting it gives the output, or raises what the run raised."""

    def __init__(
        self,
        plan: Plan,
        scope: RunScope,
        conversation: Conversation,
        equipment: Equipment,
        events: Channel[Event],
    ) -> None:
        self._scope = scope
        self._conversation = conversation
        self._events = events
        self._task = asyncio.get_running_loop().create_task(
            execute(plan, scope, conversation, equipment), name=f"thena run {scope.run_id}"
        )
        self._task.add_done_callback(self._ended)

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self._scope.run_id

    @property
    def done(self) -> bool:
        """Whether the run is over."""
        return self._task.done()

    @property
    def result(self) -> str | None:
        """The output of a run that is over; raises what the run raised."""
        return self._outcome().output

    @property
    def state(self) -> Conversation:
        """The conversation of a run that is over, as far as it came where the run failed or was aborted."""
        self._require_over()
        return self._conversation

    @property
    def stopped_by(self) -> Literal["stop"] | None:
        """What ended a run early that is over: `"stop"` after `ctx.stop()`, `None` where every step was walked."""
        return self._outcome().stopped_by

    def abort(self, reason: object = None) -> None:
        """Abort the run at its next await. Nothing happens to one that is over."""
        self._scope.cancellation.abort(reason)

    def on_event(self, listener: Callable[[Event], object]) -> Callable[[], None]:
        """Call a listener with every event from the start; returns what unsubscribes it."""
        return self._events.listen(listener)

    def event_stream(self) -> AsyncIterator[Event]:
        """Iterate over every event from the start to the end of the run."""
        return self._events.stream()

    def __await__(self) -> Generator[object, None, str | None]:
        outcome = yield from asyncio.shield(self._task).__await__()
        return outcome.output

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._task.done():
            self.abort("the block that the run belongs to was left")
        await self.settle()

    def when_over(self, function: Callable[["RunHandle"], object]) -> None:
        """Call a function with this handle once the run is over."""
        self._task.add_done_callback(lambda _: function(self))

    async def settle(self) -> None:
        """Wait until the run is over, however it ends."""
        await asyncio.wait([self._task])

    def _outcome(self) -> Outcome:
        self._require_over()
        return self._task.result()

    def _require_over(self) -> None:
        if not self._task.done():
            raise RuntimeError(f"[thena] run {self.run_id} still goes on. Await the handle first.")

    def _ended(self, task: "asyncio.Task[Outcome]") -> None:
        self._events.close()
        # A run that nobody awaits isn't reported again by the event loop when the handle is dropped.
        if not task.cancelled():
            task.exception()

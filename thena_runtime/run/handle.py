"""The handle of a run that goes on: await it, abort it, watch it.

Cancelling who awaits a handle doesn't end the run; `abort` does, and so does leaving `async with`.
"""

import asyncio
import sys
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Generic, Self, cast, is_typeddict

from thena_contract.run_faults.output_mismatch import OutputMismatch
from thena_runtime.build.plan import Plan
from thena_runtime.conversation import Conversation
from thena_runtime.errors import OutputError
from thena_runtime.messages import TokenKind
from thena_runtime.observability.events import Event
from thena_runtime.observability.tokens import KINDS, Token
from thena_runtime.run.channel import Stream
from thena_runtime.run.equipment import Equipment
from thena_runtime.run.feed import Feed, require_feed
from thena_runtime.run.walk import run_plan, what_stopped
from thena_runtime.run_context import facts_of
from thena_runtime.scope import RunScope
from thena_runtime.steps import StoppedBy

if sys.version_info >= (3, 13):
    from typing import TypeVar
else:
    from typing_extensions import TypeVar

O = TypeVar("O", default=Any)  # noqa: E741 - the output of a run


@dataclass(slots=True)
class Outcome:
    """How a run ended."""

    output: object
    conversation: Conversation
    stopped_by: StoppedBy | None


async def execute(plan: Plan, scope: RunScope, conversation: Conversation, equipment: Equipment) -> Outcome:
    """Run a plan in the current task, which an abort interrupts."""
    try:
        with scope.cancellation:
            ctx = await run_plan(plan, scope, conversation, equipment)
    except (Exception, asyncio.CancelledError):
        if not scope.cancellation.is_requested:
            raise
    if scope.cancellation.is_requested:
        await _take_back_cancellation()
        raise scope.cancellation.error()
    output = facts_of(ctx).output
    stopped_by = what_stopped(facts_of(ctx))
    if plan.output is not None and not is_of_type(output, plan.output):
        if stopped_by is not None:
            # Nothing is wrong with the steps: they didn't come to their end, and what there is isn't what was promised.
            return Outcome(None, ctx.state, stopped_by)
        turn = facts_of(ctx).turn
        wanted = plan.output.__name__
        reason = (
            f"the run ends with the text of the tool `{turn.tool_name}`. "
            "Put the agent into a loop with `until=until_answered`."
            if turn is not None and turn.called_tool
            else f"the run ends with a value of type `{type(output).__name__}`. "
            f"Let its last step's agent have `output={wanted}`."
        )
        raise OutputError(OutputMismatch(subject=plan.name, wanted=wanted, reason=reason))
    return Outcome(output, ctx.state, stopped_by)


async def _take_back_cancellation() -> None:
    """End the interruption of this task by an abort, which may have been asked for and not be delivered yet."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0)
        task.uncancel()


def is_of_type(value: object, wanted: type) -> bool:
    """Say whether a value is of a declared type; of a `TypedDict` it is known only that it is a dict."""
    return isinstance(value, dict if is_typeddict(wanted) else wanted)


def is_checkable(wanted: object) -> bool:
    """Say whether a value can be checked against a type."""
    try:
        return isinstance(wanted, type) and is_of_type(None, wanted) in (True, False)
    except TypeError:
        return False  # a protocol that can't be checked at run time


class RunHandle(Generic[O]):
    """One run. Awaiting it gives the output, or raises what the run raised."""

    def __init__(
        self,
        plan: Plan,
        scope: RunScope,
        conversation: Conversation,
        equipment: Equipment,
        feed: Feed | None,
        runs: set["RunHandle[O]"],
    ) -> None:
        self._scope = scope
        self._conversation = conversation
        self._feed = feed
        self._runs = runs
        runs.add(self)
        self._waiting: list[asyncio.Future[None]] = []
        self._task = asyncio.get_running_loop().create_task(self._go(plan, equipment), name=f"thena run {scope.run_id}")
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
    def result(self) -> O:
        """The output of a run that is over; raises what the run raised."""
        return cast(O, self._outcome().output)

    @property
    def state(self) -> Conversation:
        """The conversation of a run that is over, as far as it came where the run failed or was aborted."""
        self._require_over()
        return self._conversation

    @property
    def stopped_by(self) -> StoppedBy | None:
        """Why the output of a run that is over isn't what its steps come to; `None` where it is.

        `"stop"` after `ctx.stop()`, `"budget"` where its budget ended it, and what cut its last loop short:
        `"exhausted"`, `"fails"` or `"repeats"`.
        """
        return self._outcome().stopped_by

    def abort(self, reason: object = None) -> None:
        """Abort the run at its next await. Nothing happens to one that is over."""
        self._scope.cancellation.abort(reason)

    def on_event(self, listener: Callable[[Event], object]) -> Callable[[], None]:
        """Call a listener with every event from the start; returns what unsubscribes it."""
        return require_feed(self._feed, "on_event").events.listen(listener)

    def event_stream(self) -> Stream[Event]:
        """Iterate over every event from the start to the end of the run. Leaving the loop unsubscribes."""
        return require_feed(self._feed, "event_stream").events.stream()

    def on_token(self, listener: Callable[[Token], object]) -> Callable[[], None]:
        """Call a listener with every piece of what the models say, from the start; returns what unsubscribes it.

        A model call that begins while somebody listens comes in pieces, any other as one token.
        """
        return require_feed(self._feed, "on_token").tokens.listen(listener)

    def text_stream(self, *kinds: TokenKind) -> Stream[Token]:
        """Iterate over the text that the models say, from the start to the end of the run.

        Give the kinds of tokens to have others than `"text"`. A gap is given in any case.
        """
        unknown = [kind for kind in kinds if kind not in KINDS]
        if unknown:
            raise ValueError(f"[thena] `text_stream` got {unknown[0]!r}. Give kinds out of: {', '.join(KINDS)}.")
        wanted = {*(kinds or ("text",)), "gap"}
        return require_feed(self._feed, "text_stream").tokens.stream(lambda token: token.kind in wanted)

    @property
    def partial_text(self) -> str:
        """What was said of the last answer that was cut off, by an abort or a failure; empty where nothing was."""
        return "" if self._scope.voice is None else self._scope.voice.partial_text

    def __await__(self) -> Generator[object, None, O]:
        task = self._task
        if not task.done():
            # A future of its own, so that cancelling who waits doesn't reach the run.
            over = task.get_loop().create_future()
            self._waiting.append(over)
            yield from over
        return cast(O, task.result().output)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._task.done():
            self.abort("the block that the run belongs to was left")
        await self.settle()

    async def settle(self) -> None:
        """Wait until the run is over, however it ends."""
        await asyncio.wait([self._task])

    def _outcome(self) -> Outcome:
        self._require_over()
        return self._task.result()

    def _require_over(self) -> None:
        if not self._task.done():
            raise RuntimeError(f"[thena] run {self.run_id} still goes on. Await the handle first.")

    async def _go(self, plan: Plan, equipment: Equipment) -> Outcome:
        try:
            return await execute(plan, self._scope, self._conversation, equipment)
        finally:
            # Here and not only when the task is over: who waits goes on one turn of the event loop earlier.
            self._release()

    def _release(self) -> None:
        self._runs.discard(self)
        if self._feed is not None:
            self._feed.close()
        for over in self._waiting:
            if not over.done():
                over.set_result(None)
        self._waiting.clear()

    def _ended(self, task: "asyncio.Task[Outcome]") -> None:
        # A task that is cancelled before its first step never comes to its end.
        self._release()
        # A run that nobody awaits isn't reported again by the event loop when the handle is dropped.
        if not task.cancelled():
            task.exception()

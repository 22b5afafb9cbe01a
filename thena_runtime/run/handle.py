"""The handle of a run that goes on: await it, abort it, watch it.

Cancelling who awaits a handle doesn't end the run; `abort` does, and so does leaving `async with`.
"""

import asyncio
import sys
from collections.abc import Callable, Coroutine, Generator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeAlias, cast, is_typeddict

from thena_contract.run_faults.output_mismatch import OutputMismatch
from thena_runtime.budget.limits import BudgetExceededError
from thena_runtime.build.plan import Plan
from thena_runtime.conversation import Conversation
from thena_runtime.errors import FatalToolError, OutputError
from thena_runtime.observability.events import Event
from thena_runtime.observability.recorder import begin_tree
from thena_runtime.observability.tokens import KINDS, Kind, Token
from thena_runtime.run.channel import Stream
from thena_runtime.run.equipment import Equipment
from thena_runtime.run.feed import Feed, require_feed
from thena_runtime.run.reporting import Reporting
from thena_runtime.run.waits import Awaited, Waiting
from thena_runtime.run.walk import run_plan, what_stopped
from thena_runtime.run_context import enter, facts_of, find_context
from thena_runtime.scope import RunScope, wait_to_the_end
from thena_runtime.steps import StoppedBy

if sys.version_info >= (3, 13):
    from typing import TypeVar
else:
    from typing_extensions import TypeVar

O = TypeVar("O", default=Any)  # noqa: E741 - the output of a run

RunStoppedBy: TypeAlias = StoppedBy | Literal["abort", "error"]
"""What kept a run from coming to the end of its steps."""


@dataclass(slots=True)
class Outcome:
    """How a run ended."""

    output: object
    conversation: Conversation
    stopped_by: StoppedBy | None


async def execute(plan: Plan, scope: RunScope, conversation: Conversation, equipment: Equipment) -> Outcome:
    """Run a plan in the current task, which an abort interrupts."""
    # A tool of another run may have started it: it is a run of its own all the same.
    enter(None)
    begin_tree()
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


async def reported(running: Coroutine[Any, Any, Outcome], scope: RunScope, reporting: Reporting) -> Outcome:
    """Tell how a run ends."""
    try:
        outcome = await running
    except BaseException as error:
        reporting.end(error=error, stopped_by=how_it_ended(scope, error, None))
        raise
    reporting.end(output=outcome.output, stopped_by=outcome.stopped_by)
    return outcome


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


def is_inside(scope: RunScope) -> bool:
    """Say whether this code is part of a run, the runs nested in it included."""
    ctx = find_context()
    # A nested run has the recorder of the run around it.
    return ctx is not None and facts_of(ctx).scope.recorder is scope.recorder


def require_outside(scope: RunScope, subject: str) -> None:
    """Refuse to wait inside a run for its end, which never comes that way."""
    if is_inside(scope):
        raise FatalToolError(
            f"`{subject}` is used inside the run that it waits for, which never ends that way. "
            "Use it where the run is started. Inside the run, `ctx.output` and `ctx.state` have what came so far, "
            "and `ctx.on_dispose(...)` takes what is to happen at the end."
        )


def how_it_ended(scope: RunScope, error: BaseException | None, stopped_by: StoppedBy | None) -> RunStoppedBy | None:
    """Say what kept a run from coming to the end of its steps: what stopped it, or what it raised."""
    if scope.cancellation.is_requested or isinstance(error, asyncio.CancelledError):
        return "abort"
    match error:
        case None:
            return stopped_by
        case BudgetExceededError():
            return "budget"
    return "error"


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
        reporting: Reporting | None = None,
    ) -> None:
        self._scope = scope
        self._reporting = reporting
        self._conversation = conversation
        self._feed = feed
        self._runs = runs
        runs.add(self)
        self._waiting: dict[asyncio.Future[None], None] = {}
        self._awaited = Awaited(plan.name, scope.cancellation)
        self._task = asyncio.get_running_loop().create_task(self._go(plan, equipment), name=f"thena run {scope.run_id}")
        self._task.add_done_callback(self._ended)

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self._scope.run_id

    @property
    def report(self) -> Path | None:
        """The page of the run's report, which is there when the app is closed; `None` where there is to be none."""
        return None if self._reporting is None else self._reporting.page

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
    def stopped_by(self) -> RunStoppedBy | None:
        """Why the output of a run that is over isn't what its steps come to; `None` where it is.

        `"stop"` after `ctx.stop()`, `"budget"` where its budget ended it, and what cut its last loop short:
        `"exhausted"`, `"fails"` or `"repeats"`. A run without an output says `"abort"` or `"error"`, and `"budget"`
        where that was the error.
        """
        self._require_over()
        if self._task.cancelled():
            return "abort"
        error = self._task.exception()
        return how_it_ended(self._scope, error, None if error is not None else self._task.result().stopped_by)

    def abort(self, reason: object = None) -> None:
        """Abort the run at its next await, from any thread. Nothing happens to one that is over.

        Args:
            reason: What the run raises: an exception, or a class of exceptions, as in `raise`. Anything else is wrapped
                in `RunAborted` as its `reason`, and so are `StopIteration`, `KeyboardInterrupt` and others that aren't
                for who awaits a run.
        """
        if not self._task.done() and not self.is_lost:
            self._scope.cancellation.abort(reason)

    def on_event(self, listener: Callable[[Event], object]) -> Callable[[], None]:
        """Call a listener with every event from the start; returns what unsubscribes it.

        It is called in the context of who adds it, like any callback of asyncio's. What it raises changes nothing, but
        for `KeyboardInterrupt` and `SystemExit`, which end the program as from anywhere else.
        """
        return require_feed(self._feed, "on_event").events.listen(listener)

    def event_stream(self) -> Stream[Event]:
        """Iterate over every event from the start to the end of the run. Leaving the loop unsubscribes."""
        return require_feed(self._feed, "event_stream").events.stream(
            waiting=partial(self._waiting_for_news, "event_stream")
        )

    def on_token(self, listener: Callable[[Token], object]) -> Callable[[], None]:
        """Call a listener with every piece of what the models say, from the start; returns what unsubscribes it.

        A model call that begins while somebody listens comes in pieces, any other as one token.
        """
        return require_feed(self._feed, "on_token").tokens.listen(listener)

    def text_stream(self, *kinds: Kind) -> Stream[Token]:
        """Iterate over the text that the models say, from the start to the end of the run.

        Give the kinds of tokens to have others than `"text"`. A gap is given in any case; `"gap"` alone gives no other.
        """
        unknown = [kind for kind in kinds if kind not in KINDS]
        if unknown:
            raise ValueError(f"[thena] `text_stream` got {unknown[0]!r}. Give kinds out of: {', '.join(KINDS)}.")
        wanted = {*(kinds or ("text",)), "gap"}
        return require_feed(self._feed, "text_stream").tokens.stream(
            lambda token: token.kind in wanted, partial(self._waiting_for_news, "text_stream")
        )

    @property
    def partial_text(self) -> str:
        """What was said of the last answer that was cut off, by an abort or a failure; empty where nothing was."""
        return "" if self._scope.voice is None else self._scope.voice.partial_text

    def __await__(self) -> Generator[object, None, O]:
        yield from self._wait("await handle").__await__()
        return cast(O, self._task.result().output)

    async def __aenter__(self) -> Self:
        self.require_elsewhere("async with handle")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._task.done():
            self.abort("the block that the run belongs to was left")
        # Whatever happens to who leaves: nothing of the block goes on after it.
        cancelled = await wait_to_the_end(self._task)
        if cancelled is not None:
            raise cancelled

    async def settle(self) -> None:
        """Wait until the run is over, however it ends."""
        await self._wait("handle.settle()")

    @property
    def is_lost(self) -> bool:
        """Whether the run can't go on, for its event loop was closed under it."""
        return self._task.get_loop().is_closed()

    def require_elsewhere(self, subject: str) -> None:
        """Refuse to wait for the end of the run where that never comes: inside it, and in another event loop."""
        self._require_loop(subject)
        require_outside(self._scope, subject)

    def _require_loop(self, subject: str) -> None:
        if self._task.get_loop() is not asyncio.get_running_loop():
            raise RuntimeError(
                f"[thena] `{subject}` is used in another event loop than the one that the run goes on in. "
                "Use it where the run is started; from another thread, have that loop do it with "
                "`asyncio.run_coroutine_threadsafe(...)`."
            )

    async def _wait(self, subject: str) -> None:
        if self._task.done():
            return
        self.require_elsewhere(subject)
        # A future of its own, so that cancelling who waits doesn't reach the run.
        over = self._task.get_loop().create_future()
        self._waiting[over] = None
        try:
            with Waiting(over, self._awaited, subject):
                await over
        finally:
            self._waiting.pop(over, None)

    def _waiting_for_news(self, member: str, over: "asyncio.Future[None]") -> AbstractContextManager[None]:
        """Wait for what happens next, but refuse to where nothing does."""
        subject = f"handle.{member}()"
        self._require_loop(subject)
        if is_inside(self._scope) and self._scope.cancellation.is_alone:
            raise FatalToolError(
                f"`{subject}` is read inside its own run, which does nothing else meanwhile, so nothing more "
                "comes. Read it where the run is started, or in a task of its own: `asyncio.create_task(...)`."
            )
        return Waiting(over, self._awaited, subject)

    def _outcome(self) -> Outcome:
        self._require_over()
        return self._task.result()

    def _require_over(self) -> None:
        if not self._task.done():
            raise RuntimeError("[thena] the run still goes on. Await its handle first.")

    async def _go(self, plan: Plan, equipment: Equipment) -> Outcome:
        running = execute(plan, self._scope, self._conversation, equipment)
        try:
            return await (running if self._reporting is None else reported(running, self._scope, self._reporting))
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

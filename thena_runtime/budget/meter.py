"""Counts what a run spends, and lets no call start that its budget has no room for.

A model call is admitted before it is made and settled after: the call itself is counted at once and exactly, and the
most that it may take in tokens and dollars, where its provider can say so, is held until it is over. Between the look
at a limit and the counting there is no await, so tasks of one event loop can't slip in between.

What holds, whatever runs at the same time:

- Never more model calls and tool calls than allowed are begun.
- Where the worst case of every call is known and true, tokens and dollars never go beyond their limits.
- A call without a known worst case begins only while something is left and no other call goes on, and nothing begins
  beside it; so only the last call before the end can go beyond a limit, and it alone.

A call that finds no room now and may find some once others are over waits for them, in order of arrival.

Left out on purpose: what is done with a run whose budget is spent (`thena_runtime.run`).
"""

import asyncio
import sys
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from enum import Enum
from typing import Final

from thena_runtime.budget.limits import (
    Budget,
    BudgetBreach,
    BudgetExceededError,
    BudgetNotKeptError,
    LimitName,
    RunUsage,
)
from thena_runtime.clock import Clock
from thena_runtime.messages import Usage

_NO_DEADLINE: Final = nullcontext()
_UNITS: Final = 10**12
"""Dollars are counted in trillionths, as whole numbers, so that sums are exact."""


class BudgetCut(BaseException):
    """Unwinds what goes on when a budget with `mode="stop"` refuses a call; `run` turns it into a run that is over.

    It is no `Exception`, so that neither a hook nor a tool nor a middleware takes it for a failure of its own.
    """


@dataclass(frozen=True, slots=True)
class Need:
    """The most that a model call may take; `None` where its provider can't say."""

    tokens: int | None = None
    cost: int | None = None

    @classmethod
    def of(cls, usage: Usage | None) -> "Need":
        """Read a provider's worst case."""
        if usage is None:
            return cls()
        return cls(_tokens(usage), None if usage.cost_usd is None else _cost(usage.cost_usd))


class _Room(Enum):
    """Whether a call may begin: now, perhaps once others are over, or never."""

    NOW = "now"
    LATER = "later"
    NEVER = "never"


class Meter:
    """Counts for one run; a nested run has its own, below its parent's, and counts in both.

    `limits` is the budget that was given for this very run, if one was.
    """

    __slots__ = (
        "_cost",
        "_held_cost",
        "_held_tokens",
        "_started",
        "_unknown_costs",
        "_unknown_tokens",
        "_waiting",
        "breach",
        "chat_calls",
        "clock",
        "in_flight",
        "is_limited",
        "is_weighed",
        "limits",
        "parent",
        "tokens",
        "tool_calls",
    )

    def __init__(self, limits: Budget | None, clock: Clock, parent: "Meter | None" = None) -> None:
        self.limits = limits
        self.clock = clock
        self.parent = parent
        self.is_limited: bool = limits is not None or (parent is not None and parent.is_limited)
        """Whether a budget is in force here."""
        self.is_weighed: bool = _weighs(limits) or (parent is not None and parent.is_weighed)
        """Whether a budget that is in force here limits tokens or dollars."""
        self.breach: BudgetBreach | None = None
        """What this run's own budget refused first."""
        self.chat_calls = 0
        self.tool_calls = 0
        self.tokens = 0
        self.in_flight = 0
        self._cost = 0
        self._held_tokens = 0
        self._held_cost = 0
        self._unknown_tokens = 0
        self._unknown_costs = 0
        self._started = clock.monotonic()
        self._waiting: list[_Waiter] = []

    # -- what was spent

    def usage(self) -> RunUsage:
        """What this run has spent so far."""
        return RunUsage(
            chat_calls=self.chat_calls,
            tool_calls=self.tool_calls,
            tokens=self.tokens,
            cost_usd=self.cost_usd,
            elapsed=self.elapsed,
        )

    @property
    def cost_usd(self) -> float:
        """The dollars that this run has spent so far."""
        return self._cost / _UNITS

    @property
    def elapsed(self) -> float:
        """The seconds since the run began."""
        return self.clock.monotonic() - self._started

    @property
    def account(self) -> "Meter":
        """The nearest meter with a budget of its own, else the outermost run's."""
        meter = self
        while meter.limits is None and meter.parent is not None:
            meter = meter.parent
        return meter

    @property
    def held(self) -> tuple[int, float]:
        """The tokens and dollars that are held for calls that go on."""
        return self._held_tokens, self._held_cost / _UNITS

    def _chain(self) -> "Iterator[Meter]":
        meter: Meter | None = self
        while meter is not None:
            yield meter
            meter = meter.parent

    @property
    def _root(self) -> "Meter":
        meter = self
        while meter.parent is not None:
            meter = meter.parent
        return meter

    # -- model calls

    def count_chat(self) -> None:
        """Count a model call where no budget is in force."""
        meter: Meter | None = self
        while meter is not None:
            meter.chat_calls += 1
            meter = meter.parent

    def count_usage(self, usage: Usage) -> None:
        """Count what a model call took where no budget is in force."""
        tokens, cost = _tokens(usage), _cost(usage.cost_usd or 0.0)
        for meter in self._chain():
            meter.tokens += tokens
            meter._cost += cost

    async def admit(self, need: Need) -> "Admission":
        """Count a model call and hold what it may take, here and in every run above.

        Waits where calls that go on may leave room. Raises `BudgetExceededError` or `BudgetCut` where there is none.
        """
        answer: Admission | Meter | None = self._answer(need)
        if answer is None:
            answer = await self._wait(need)
        if isinstance(answer, Meter):
            raise answer._refusal()
        return answer

    async def _wait(self, need: Need) -> "Admission | Meter":
        waiter = _Waiter(self, need, asyncio.get_running_loop().create_future())
        self._root._waiting.append(waiter)
        try:
            return await waiter.answer
        except asyncio.CancelledError:
            if not waiter.answer.cancel() and not waiter.answer.cancelled():
                # It was answered in the same moment in which it was cancelled.
                answer = waiter.answer.result()
                if isinstance(answer, Admission):
                    answer.withdraw()
            raise

    def _answer_waiting(self) -> None:
        """Admit or refuse those who wait and needn't any longer, in the order in which they came."""
        for waiter in self._waiting:
            # One that was cancelled needs no answer.
            if not waiter.answer.done():
                answer = waiter.meter._answer(waiter.need)
                if answer is not None:
                    waiter.answer.set_result(answer)
        self._waiting = [waiter for waiter in self._waiting if not waiter.answer.done()]

    def _answer(self, need: Need) -> "Admission | Meter | None":
        """Admit a call, or say which meter refuses it; `None` where it has to wait."""
        has_to_wait = False
        for meter in self._chain():
            answer = meter._judge(need)
            if isinstance(answer, BudgetBreach):
                meter._note(answer)
                return meter
            has_to_wait = has_to_wait or answer is _Room.LATER
        return None if has_to_wait else self._take(need)

    def _judge(self, need: Need) -> BudgetBreach | _Room:
        limits = self.limits
        if limits is None:
            return _Room.NOW
        over = self._used_up(limits)
        if over is not None:
            return over
        rooms = []
        if limits.max_tokens is not None:
            beside = self.in_flight if need.tokens is None else self._unknown_tokens
            room = _room(limits.max_tokens, self.tokens, self._held_tokens, need.tokens, beside)
            if room is _Room.NEVER:
                return self._breach("max_tokens", limits.max_tokens, self.tokens, need.tokens)
            rooms.append(room)
        if limits.max_cost_usd is not None:
            beside = self.in_flight if need.cost is None else self._unknown_costs
            room = _room(_cost(limits.max_cost_usd), self._cost, self._held_cost, need.cost, beside)
            if room is _Room.NEVER:
                return self._breach("max_cost_usd", limits.max_cost_usd, self._cost / _UNITS, (need.cost or 0) / _UNITS)
            rooms.append(room)
        return _Room.LATER if _Room.LATER in rooms else _Room.NOW

    def _used_up(self, limits: Budget) -> BudgetBreach | None:
        """What says that no further model call may begin, whatever it takes."""
        if self.breach is not None:
            return self.breach
        if limits.max_duration is not None and self.elapsed >= limits.max_duration:
            return self._breach("max_duration", limits.max_duration, self.elapsed)
        if limits.max_chat_calls is not None and self.chat_calls >= limits.max_chat_calls:
            return self._breach("max_chat_calls", limits.max_chat_calls, self.chat_calls)
        if limits.max_tokens is not None and self.tokens >= limits.max_tokens:
            return self._breach("max_tokens", limits.max_tokens, self.tokens)
        if limits.max_cost_usd is not None and self._cost >= _cost(limits.max_cost_usd):
            return self._breach("max_cost_usd", limits.max_cost_usd, self._cost / _UNITS)
        return None

    def _take(self, need: Need) -> "Admission":
        for meter in self._chain():
            meter.chat_calls += 1
            meter.in_flight += 1
            if need.tokens is None:
                meter._unknown_tokens += 1
            else:
                meter._held_tokens += need.tokens
            if need.cost is None:
                meter._unknown_costs += 1
            else:
                meter._held_cost += need.cost
        return Admission(self, need)

    def _give_back(self, need: Need) -> None:
        """Let go what was held for one call."""
        for meter in self._chain():
            meter.in_flight -= 1
            if need.tokens is None:
                meter._unknown_tokens -= 1
            else:
                meter._held_tokens -= need.tokens
            if need.cost is None:
                meter._unknown_costs -= 1
            else:
                meter._held_cost -= need.cost

    def _charge(self, tokens: int, cost: int) -> None:
        for meter in self._chain():
            meter.tokens += tokens
            meter._cost += cost
            limits = meter.limits
            if limits is None:
                continue
            if limits.max_tokens is not None and meter.tokens > limits.max_tokens:
                meter._note(meter._breach("max_tokens", limits.max_tokens, meter.tokens))
            elif limits.max_cost_usd is not None and meter._cost > _cost(limits.max_cost_usd):
                meter._note(meter._breach("max_cost_usd", limits.max_cost_usd, meter._cost / _UNITS))

    # -- tools

    def count_tool(self) -> None:
        """Count the execution of a tool, or refuse it: `BudgetExceededError` or `BudgetCut`."""
        if self.is_limited:
            for meter in self._chain():
                breach = meter._tool_breach()
                if breach is not None:
                    meter._note(breach)
                    raise meter._refusal()
        each: Meter | None = self
        while each is not None:
            each.tool_calls += 1
            each = each.parent

    def _tool_breach(self) -> BudgetBreach | None:
        """What refuses a tool: its own limit and the deadline. A turn whose model call was paid may use its answer."""
        limits = self.limits
        if limits is None:
            return None
        if limits.max_duration is not None and self.elapsed >= limits.max_duration:
            return self._breach("max_duration", limits.max_duration, self.elapsed)
        if limits.max_tool_calls is not None and self.tool_calls >= limits.max_tool_calls:
            return self._breach("max_tool_calls", limits.max_tool_calls, self.tool_calls)
        return None

    # -- between calls

    def checkpoint(self) -> None:
        """Refuse to go on where no model call could begin: `BudgetExceededError` or `BudgetCut`."""
        if not self.is_limited:
            return
        for meter in self._chain():
            breach = None if meter.limits is None else meter._used_up(meter.limits)
            if breach is not None:
                meter._note(breach)
                raise meter._refusal()

    def check(self) -> None:
        """Raise `BudgetExceededError` or `BudgetCut` where a limit has stopped something already."""
        for meter in self._chain():
            if meter.breach is not None:
                raise meter._refusal()

    def check_deadline(self) -> None:
        """Raise `BudgetExceededError` or `BudgetCut` where `max_duration` has ended what goes on."""
        for meter in self._chain():
            if meter.breach is not None and meter.breach.limit == "max_duration":
                raise meter._refusal()

    def check_raising(self) -> None:
        """Raise `BudgetExceededError` where a limit in force here with `mode="raise"` was gone beyond."""
        if not self.is_limited:
            return
        for meter in self._chain():
            if meter.breach is not None and isinstance(refusal := meter._refusal(), BudgetExceededError):
                raise refusal

    @property
    def is_breached(self) -> bool:
        """Whether a limit in force here has stopped something, or was gone beyond."""
        return any(meter.breach is not None for meter in self._chain())

    def deadline(self) -> AbstractAsyncContextManager[None]:
        """Cancel the block when this run's own `max_duration` is over; it then ends as any other refusal does."""
        if self.limits is None or self.limits.max_duration is None:
            return _NO_DEADLINE
        return self._deadline(self.limits.max_duration)

    @asynccontextmanager
    async def _deadline(self, allowed: float) -> AsyncIterator[None]:
        now = asyncio.get_running_loop().time
        has_passed = False

        def pass_deadline() -> None:
            nonlocal has_passed
            has_passed = True
            self._note(self._breach("max_duration", allowed, self.elapsed))
            timeout.reschedule(now())

        try:
            async with asyncio.timeout(None) as timeout:
                timer = self.clock.call_later(allowed - self.elapsed, pass_deadline)
                try:
                    yield
                finally:
                    timer.cancel()
        except Exception as error:
            # Whatever surfaces once the deadline has passed is what its cancellation set off.
            if not has_passed:
                raise
            raise self._refusal() from error

    # -- refusing

    def _breach(
        self, limit: LimitName, allowed: float, spent: float | None, needed: float | None = None
    ) -> BudgetBreach:
        return BudgetBreach(limit=limit, allowed=allowed, spent=spent, needed=needed, usage=self.usage())

    def _note(self, breach: BudgetBreach) -> None:
        """Keep the first breach, and tell of it once."""
        if self.breach is not None:
            return
        self.breach = breach
        if self.limits is None or self.limits.on_exceeded is None:
            return
        # Whoever is told must not change how a run ends.
        try:
            self.limits.on_exceeded(breach)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException:
            print(f"[thena] `on_exceeded` failed:\n{traceback.format_exc()}", file=sys.stderr)

    def _refusal(self) -> BudgetExceededError | BudgetCut:
        breach = self.breach
        assert breach is not None
        assert self.limits is not None
        # A limit that can't be kept is a mistake to be told of, never an end like another.
        if breach.spent is None:
            return BudgetNotKeptError(breach)
        if self.limits.mode == "raise":
            return BudgetExceededError(breach)
        return BudgetCut(breach)


@dataclass(frozen=True, slots=True, eq=False)
class _Waiter:
    meter: Meter
    need: Need
    answer: "asyncio.Future[Admission | Meter]"


class Admission:
    """A model call that was let in. Whoever made it says once how it ended."""

    __slots__ = ("_meter", "_need")

    def __init__(self, meter: Meter, need: Need) -> None:
        self._meter = meter
        self._need = need

    def settle(self, usage: Usage | None) -> None:
        """Put what the call took in the place of what was held for it.

        Raises `BudgetNotKeptError` where a limit is set on what neither the answer nor a worst case tells.
        """
        need = Need.of(usage)
        tokens = self._need.tokens if need.tokens is None else need.tokens
        cost = self._need.cost if need.cost is None else need.cost
        # Before those who wait are let in: what nobody can tell the cost of is over with the first call.
        blind = self._note_blind(tokens, cost)
        self._close(tokens or 0, cost or 0)
        if blind is not None:
            raise BudgetNotKeptError(blind)

    def _note_blind(self, tokens: int | None, cost: int | None) -> BudgetBreach | None:
        for meter in self._meter._chain():
            limits, blind = meter.limits, None
            if limits is None:
                continue
            if limits.max_tokens is not None and tokens is None:
                blind = meter._breach("max_tokens", limits.max_tokens, None)
            elif limits.max_cost_usd is not None and cost is None:
                blind = meter._breach("max_cost_usd", limits.max_cost_usd, None)
            if blind is not None:
                meter._note(blind)
                return blind
        return None

    def fail(self, error: BaseException) -> None:
        """Let go what was held, if the provider refused the call; else what the call may have taken counts as taken."""
        status = getattr(error, "status", None)
        if isinstance(status, int) and status >= 400:
            self._close(0, 0)
        else:
            self._close(self._need.tokens or 0, self._need.cost or 0)

    def withdraw(self) -> None:
        """Take the call back: it was never begun."""
        for meter in self._meter._chain():
            meter.chat_calls -= 1
        self._close(0, 0)

    def _close(self, tokens: int, cost: int) -> None:
        self._meter._give_back(self._need)
        self._meter._charge(tokens, cost)
        self._meter._root._answer_waiting()


def _room(allowed: int, spent: int, held: int, need: int | None, beside: int) -> _Room:
    """Say whether a call may begin under one limit, unless it would go on beside some that it can't go on beside."""
    if need is not None and spent + need > allowed:
        return _Room.NEVER
    return _Room.LATER if beside or spent + held + (need or 0) > allowed else _Room.NOW


def _tokens(usage: Usage) -> int:
    return max(0, usage.prompt_tokens) + max(0, usage.completion_tokens)


def _cost(usd: float) -> int:
    return max(0, round(usd * _UNITS))


def _weighs(limits: Budget | None) -> bool:
    return limits is not None and (limits.max_tokens is not None or limits.max_cost_usd is not None)

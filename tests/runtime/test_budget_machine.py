"""Budgets under every interleaving that Hypothesis can think of: nothing is ever spent that wasn't there.

A machine plays the world around one run: agents at once, tools, runs inside runs with budgets of their own, models that
fail, refuse, hang and bill, a clock, and somebody who aborts. It keeps accounts of its own, which know nothing of
Thena's, and looks at both after each step. `THENA_INTERLEAVINGS=10000` tries that many of them.
"""

import asyncio
import itertools
import os
import random
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from thena_runtime import (
    Agent,
    Budget,
    BudgetBreach,
    BudgetExceededError,
    Completion,
    CompletionRequest,
    Context,
    FatalToolError,
    FunctionCall,
    Prompt,
    RunAborted,
    Thena,
    ThenaConfig,
    Tool,
    Usage,
    Workflow,
    WorkflowRuntime,
    current_context,
    loop,
    parallel,
)
from thena_runtime.budget.meter import Meter
from thena_runtime.run_context import facts_of
from thena_runtime.testing import FakeClock

EXAMPLES = int(os.environ.get("THENA_INTERLEAVINGS", "200"))
CENT = 0.01
END = "end"


class RefusedError(Exception):
    """A provider answered with an error status, and billed nothing."""

    status = 503


class LostError(Exception):
    """The connection was lost: nobody knows what was billed, and an agent takes the next turn."""


class BrokenError(Exception):
    """What no agent recovers from."""


@dataclass
class Account:
    """What one run really spent, as the world counts it, the runs inside it included."""

    limits: Budget
    parent: "Account | None"
    begun: int = 0
    tools: int = 0
    billed: int = 0
    counted: int = 0
    told: list[BudgetBreach] = field(default_factory=list)
    known: dict[int, int] = field(default_factory=dict)
    unknown: set[int] = field(default_factory=set)

    def line(self) -> "list[Account]":
        """This account and those above."""
        return [self, *(self.parent.line() if self.parent is not None else ())]

    def begin(self, number: int, worst: int | None) -> Iterator[str]:
        """A model was called. Say what is wrong with that: there must be room for it, whatever the others come to."""
        self.begun += 1
        limits = self.limits
        if limits.max_chat_calls is not None and self.begun > limits.max_chat_calls:
            yield "a call too many"
        for limit in (limits.max_tokens, _tokens_for(limits.max_cost_usd)):
            if limit is None:
                continue
            if self.unknown:
                yield "a call beside one that may take anything"
            if worst is None and self.known:
                yield "a call that may take anything, beside others"
            if worst is None and self.counted >= limit:
                yield "a call with nothing left for it"
            if worst is not None and self.counted + sum(self.known.values()) + worst > limit:
                yield "a call that may not fit"
        if worst is None:
            self.unknown.add(number)
        else:
            self.known[number] = worst

    def end(self, number: int, billed: int, counted: int) -> None:
        """A call is over: what was really billed, and what has to be taken for billed."""
        self.known.pop(number, None)
        self.unknown.discard(number)
        self.billed += billed
        self.counted += counted


def _tokens_for(cost: float | None) -> int | None:
    return None if cost is None else round(cost / CENT)


@dataclass(eq=False)
class Call:
    """A call of a model that goes on."""

    number: int
    account: Account
    worst: int | None
    answer: "asyncio.Future[Completion]"
    most: int


@dataclass(eq=False)
class World:
    """Everything that isn't Thena's."""

    seed: int
    share_unknown: float
    clock: FakeClock
    calls: list[Call] = field(default_factory=list)
    tools: "list[asyncio.Future[str]]" = field(default_factory=list)
    accounts: list[Account] = field(default_factory=list)
    meters: set[Meter] = field(default_factory=set)
    count: int = 0
    has_unknown: bool = False
    worsts: dict[int, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    """What was seen where an exception would be taken for a model's or a tool's own."""

    def open(self, limits: Budget, parent: Account | None) -> int:
        """Open the account of a run and return its number, which is the run's prompt."""
        account = Account(limits, parent)
        # The callback is the account's, so that it is known who was told.
        account.limits = Budget(
            max_duration=limits.max_duration,
            max_chat_calls=limits.max_chat_calls,
            max_tool_calls=limits.max_tool_calls,
            max_tokens=limits.max_tokens,
            max_cost_usd=limits.max_cost_usd,
            mode=limits.mode,
            on_exceeded=account.told.append,
        )
        self.accounts.append(account)
        return len(self.accounts) - 1

    def seen(self) -> None:
        """Remember the meter of the run that goes on here."""
        meter: Meter | None = facts_of(current_context()).scope.meter
        while meter is not None:
            self.meters.add(meter)
            meter = meter.parent

    def chance(self, request: CompletionRequest) -> random.Random:
        """What happens by chance to a request depends on nothing else: tasks of a group are cancelled in no order."""
        agent, run = (message.content for message in request.messages[:2])
        return random.Random(f"{self.seed} {agent} {run} {len(request.messages)}")

    # -- as a provider

    def worst_case(self, request: CompletionRequest) -> Usage | None:
        """Say what a call may take, or that this isn't known."""
        chance = self.chance(request)
        if chance.random() < self.share_unknown:
            self.has_unknown = True
            self.worsts.pop(id(request), None)  # of a request that was refused and is gone
            return None
        worst = self.worsts[id(request)] = chance.randint(1, 40)
        return Usage(prompt_tokens=worst, cost_usd=worst * CENT)

    async def complete(self, request: CompletionRequest) -> Completion:
        """Begin a call, which the machine ends."""
        self.seen()
        account = self.accounts[int(request.messages[1].content)]
        weighed = any(
            each.limits.max_tokens is not None or each.limits.max_cost_usd is not None for each in account.line()
        )
        worst = self.worsts.pop(id(request), None) if weighed else None
        self.count += 1
        number = self.count
        for each in account.line():
            self.problems.extend(each.begin(number, worst))
        most = worst if worst is not None else 40
        call = Call(number, account, worst, asyncio.get_running_loop().create_future(), most)
        self.calls.append(call)
        billed, counted = self.chance(request).randint(0, most), worst or 0
        try:
            completion = await call.answer
            assert completion.usage is not None  # the machine's own answers always have one
            billed = counted = completion.usage.prompt_tokens
            return completion
        except RefusedError:
            billed = counted = 0
            raise
        finally:
            self.calls.remove(call)
            for each in account.line():
                each.end(number, billed, counted)

    async def close(self) -> None:
        """Do nothing."""

    # -- as a tool

    async def work(self, account: Account) -> str:
        """Begin a piece of work, which the machine ends."""
        self.use_tool(account)
        done: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.tools.append(done)
        try:
            return await done
        finally:
            self.tools.remove(done)

    def use_tool(self, account: Account) -> None:
        """Count a tool that is being executed."""
        self.seen()
        for each in account.line():
            each.tools += 1
            limit = each.limits.max_tool_calls
            if limit is not None and each.tools > limit:
                self.problems.append("a tool too many")


def flow_in(world: World, widths: list[int]) -> type:
    """A workflow of agents at once and after each other, each in a loop that ends when its model says so."""

    def account_of(ctx: Context) -> Account:
        return world.accounts[int(ctx.state.history[0].content)]

    @Tool(name="work", description="Work.", repeatable=True)
    class Work:
        async def execute(self, ctx: Context) -> str:
            return await world.work(account_of(ctx))

    @Tool(name="delegate", description="Delegate.", repeatable=True)
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(
            self, ctx: Context, calls: int | None, tokens: int | None, seconds: int | None, raises: bool
        ) -> str:
            account = account_of(ctx)
            world.use_tool(account)
            limits = Budget(
                max_chat_calls=calls,
                max_tokens=tokens,
                max_duration=seconds,
                max_tool_calls=calls,
                mode="raise" if raises else "stop",
            )
            number = world.open(limits, account)
            return str(await self.runtime.run(Small, str(number), budget=world.accounts[number].limits))

    class Patient:
        def __init__(self) -> None:
            self.turns = 0

        async def before_prompt(self, prompt: str) -> None:
            self.turns += 1
            for _ in range(self.turns % 3):
                await asyncio.sleep(0)

        def on_error(self, error: Exception) -> str | None:
            if not isinstance(error, (RefusedError, LostError, BrokenError)):
                world.problems.append(f"a hook was shown {error!r}")
            return None if isinstance(error, BrokenError) else "again"

    def ended(ctx: Context) -> bool:
        return ctx.turn is not None and ctx.turn.response == END

    agents = itertools.count(1)

    def body() -> Any:
        @Agent(provider=world, prompt=Prompt(f"agent {next(agents)}"), tools=[Work, Delegate], tool_calls="all")
        class Worker(Patient):
            pass

        return loop([Worker], until=ended, max_iterations=None, max_fails=None, max_repeats=None)

    @Workflow(steps=[parallel([body(), body()])])
    class Small:
        pass

    @Workflow(steps=[parallel([body() for _ in range(width)]) for width in widths])
    class Flow:
        pass

    return Flow


limits_of_calls = st.none() | st.integers(0, 12)
limits_of_tokens = st.none() | st.integers(0, 200)
optional_call = st.fixed_dictionaries(
    {
        "calls": st.none() | st.integers(0, 4),
        "tokens": st.none() | st.integers(0, 80),
        "seconds": st.none() | st.integers(1, 5),
        "raises": st.booleans(),
    }
)


@settings(max_examples=EXAMPLES, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck))
class BudgetMachine(RuleBasedStateMachine):
    """One run, and the world around it."""

    @initialize(
        budget=st.builds(
            Budget,
            max_chat_calls=limits_of_calls,
            max_tool_calls=limits_of_calls,
            max_tokens=limits_of_tokens,
            max_cost_usd=st.none() | st.integers(0, 200).map(lambda tokens: tokens * CENT),
            max_duration=st.none() | st.integers(1, 6),
            mode=st.sampled_from(["stop", "raise"]),
        ),
        widths=st.lists(st.integers(1, 5), min_size=1, max_size=2),
        seed=st.integers(0, 2**32),
        share_unknown=st.sampled_from([0.0, 0.0, 0.3, 1.0]),
    )
    def begin(self, budget: Budget, widths: list[int], seed: int, share_unknown: float) -> None:
        """Start the run."""
        self.loop = asyncio.new_event_loop()
        self.world = World(seed, share_unknown, FakeClock())
        self.aborted = False
        self.play(self._start(budget, widths))

    async def _start(self, budget: Budget, widths: list[int]) -> None:
        number = self.world.open(budget, None)
        app = Thena(flow_in(self.world, widths), ThenaConfig(clock=self.world.clock))
        self.handle = app.run(str(number), budget=self.world.accounts[number].limits)

    def play(self, work: Awaitable[object] | None = None) -> None:
        """Let everything that is ready run."""

        async def rounds() -> None:
            if work is not None:
                await work
            # Nothing is scheduled any longer: a fixed number of rounds would leave it to chance how far things come.
            for _ in range(10_000):
                if not self.loop._ready:  # type: ignore[attr-defined]
                    return
                await asyncio.sleep(0)
            raise AssertionError("the run never comes to a wait")

        self.loop.run_until_complete(rounds())

    def act(self, action: Callable[[], object]) -> None:
        """Do something inside the event loop, then let everything run."""

        async def do() -> None:
            action()

        self.play(do())

    def call_at(self, index: int) -> Call:
        """One of the calls that go on."""
        return self.world.calls[index % len(self.world.calls)]

    # -- the world's moves

    @precondition(lambda self: self.world.calls)
    @rule(
        index=st.integers(0, 30),
        share=st.floats(0, 1),
        works=st.integers(0, 3),
        inner=st.lists(optional_call, max_size=2),
    )
    def answer(self, index: int, share: float, works: int, inner: list[dict[str, object]]) -> None:
        """A model answers, or asks for tools, and bills up to what it may."""
        call = self.call_at(index)
        tokens = round(call.most * share)
        calls = [FunctionCall(name="work", arguments={})] * works
        calls += [FunctionCall(name="delegate", arguments=arguments) for arguments in inner]
        usage = Usage(prompt_tokens=tokens, cost_usd=tokens * CENT)
        unique = tuple(FunctionCall(name=each.name, arguments=each.arguments) for each in calls)
        self.act(
            lambda: call.answer.set_result(Completion(content="" if calls else "on", tool_calls=unique, usage=usage))
        )

    @precondition(lambda self: self.world.calls)
    @rule(index=st.integers(0, 30), share=st.floats(0, 1))
    def finish(self, index: int, share: float) -> None:
        """A model says the word that ends its agent's loop."""
        call = self.call_at(index)
        tokens = round(call.most * share)
        usage = Usage(prompt_tokens=tokens, cost_usd=tokens * CENT)
        self.act(lambda: call.answer.set_result(Completion(content=END, usage=usage)))

    @precondition(lambda self: self.world.calls)
    @rule(
        index=st.integers(0, 30), error=st.sampled_from([RefusedError, RefusedError, LostError, LostError, BrokenError])
    )
    def fail(self, index: int, error: type[Exception]) -> None:
        """A model's call fails; its agent tries again, or the run fails."""
        call = self.call_at(index)
        self.act(lambda: call.answer.set_exception(error("failed")))

    @precondition(lambda self: self.world.calls)
    @rule(indexes=st.lists(st.integers(0, 30), min_size=2, max_size=4))
    def several_at_once(self, indexes: list[int]) -> None:
        """Several calls end in the same moment, so that those who wait come all together."""
        calls = dict.fromkeys(self.call_at(index) for index in indexes)

        def end_all() -> None:
            for call in calls:
                usage = Usage(prompt_tokens=call.most // 2, cost_usd=call.most // 2 * CENT)
                call.answer.set_result(Completion(content="on", usage=usage))

        self.act(end_all)

    @precondition(lambda self: self.world.tools)
    @rule(index=st.integers(0, 30), error=st.sampled_from([None, None, None, ValueError, FatalToolError]))
    def end_tool(self, index: int, error: type[Exception] | None) -> None:
        """A tool ends, well or not."""
        done = self.world.tools[index % len(self.world.tools)]
        self.act(lambda: done.set_result("done") if error is None else done.set_exception(error("failed")))

    @rule(seconds=st.sampled_from([0.5, 1.0, 2.0]))
    def time_passes(self, seconds: float) -> None:
        """The clock goes on, past a deadline perhaps."""
        self.play(self.world.clock.advance(seconds))

    @precondition(lambda self: self.world.calls)
    @rule(index=st.integers(0, 30), chance=st.integers(0, 3), delay=st.integers(0, 3))
    def abort_while_something_ends(self, index: int, chance: int, delay: int) -> None:
        """A call ends and the run is aborted about the same moment: who waits may be let in and cancelled at once."""
        if self.aborted or self.world.count <= 4 or chance:
            return
        self.aborted = True
        call = self.call_at(index)

        def abort_after(rounds: int) -> None:
            if rounds:
                self.loop.call_soon(abort_after, rounds - 1)
            else:
                self.handle.abort("enough")

        def both() -> None:
            call.answer.set_result(Completion(content="on", usage=Usage(prompt_tokens=0, cost_usd=0.0)))
            abort_after(delay)

        self.act(both)

    # -- what always holds

    @invariant()
    def nothing_is_overspent(self) -> None:
        """Where every worst case was known, what was really billed is within each limit; told of once at most."""
        assert [] == self.world.problems
        for account in self.world.accounts:
            limits = account.limits
            assert len(account.told) <= 1
            if not self.world.has_unknown:
                assert limits.max_tokens is None or account.billed <= limits.max_tokens
                assert limits.max_cost_usd is None or account.billed <= round(limits.max_cost_usd / CENT)

    @invariant()
    def a_run_that_is_over_has_left_nothing(self) -> None:
        """No task goes on and nothing is held."""
        if self.handle.done:
            assert not self.world.calls
            assert not self.world.tools

    def teardown(self) -> None:
        """Bring everything to an end, then compare the books."""
        if not hasattr(self, "handle"):
            return
        try:
            for _ in range(2000):
                if self.handle.done:
                    break
                if self.world.calls:
                    self.finish(0, 0.5)
                elif self.world.tools:
                    self.end_tool(0, None)
                else:
                    self.play()
            assert self.handle.done, "the run hangs: somebody waits for room that never comes"
            self._compare()
        finally:
            self.loop.close()

    def _compare(self) -> None:
        self.nothing_is_overspent()
        assert set() == {task for task in asyncio.all_tasks(self.loop) if not task.done()}
        root = self.world.accounts[0]
        meters = {meter for meter in self.world.meters if meter.parent is None}
        for meter in self.world.meters:
            assert (0, (0, 0.0)) == (meter.in_flight, meter.held), "something is held for ever"
        for meter in meters:
            used = meter.usage()
            assert (root.begun, root.tools) == (used.chat_calls, used.tool_calls)
            assert root.counted == used.tokens
        for account in self.world.accounts:
            for breach in account.told:
                event(f"a limit that stopped something: {breach.limit}, {account.limits.mode}")
        error = self._error()
        event(f"the run's end: {type(error).__name__ if error else self.handle.stopped_by}")
        assert error is None or isinstance(error, (RunAborted, BudgetExceededError, BrokenError, FatalToolError)), (
            f"{error!r}"
        )
        if isinstance(error, BudgetExceededError):
            assert any(each.limits.mode == "raise" and each.told for each in self.world.accounts)

    def _error(self) -> BaseException | None:
        try:
            _ = self.handle.result
        except Exception as error:
            return error
        return None


TestBudgetMachine = BudgetMachine.TestCase

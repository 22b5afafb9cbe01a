"""Budgets: what they hold back, how a run ends that one stops, and what is told of it."""

import asyncio
import math
from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest

from tests.support.paying import Paying
from thena_runtime import (
    Agent,
    Budget,
    BudgetBreach,
    BudgetExceededError,
    Completion,
    CompletionRequest,
    Context,
    Message,
    Prompt,
    RunHandle,
    RunUsage,
    ScriptedProvider,
    Thena,
    ThenaConfig,
    Tool,
    ToolOutput,
    Usage,
    Workflow,
    loop,
    parallel,
    tool_call,
    until_answered,
)
from thena_runtime.steps import Step
from thena_runtime.testing import FakeClock, Recorded, recorded


@Tool(name="look", description="Look.")
class Look:
    """A tool that finds the same each time."""

    def execute(self) -> str:
        return "seen"


def agent(model: object, *tools: object, **options: object) -> type:
    """An agent with this model."""

    @Agent(provider=model, prompt=Prompt("p"), tools=tools, **options)  # type: ignore[call-overload, arg-type]
    class Talker:
        pass

    return Talker


def flow(*steps: Step) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps)
    class Flow:
        pass

    return Flow


class Run:
    """A run that is over, with what its handle tells."""

    def __init__(self, run: Recorded, stopped_by: str | None) -> None:
        self.output = run.output
        self.stopped_by = stopped_by
        self.error = run.error
        self.recorded = run

    @property
    def statuses(self) -> list[str | None]:
        """How each agent's turn ended."""
        return [node.status for node in self.recorded.root.all("agent")]


async def run(steps: Sequence[Step], budget: Budget | None, *, clock: FakeClock | None = None) -> Run:
    """Run the steps within a budget."""
    config = ThenaConfig() if clock is None else ThenaConfig(clock=clock)
    async with Thena(flow(*steps), config) as app:
        handle = app.run("go", budget=budget, observe=True)
        kept = await recorded(handle)
        return Run(kept, handle.stopped_by)


async def failed(steps: Sequence[Step], budget: Budget) -> BudgetExceededError:
    """Run the steps and return what the budget raised."""
    async with Thena(flow(*steps)) as app:
        with pytest.raises(BudgetExceededError) as caught:
            await app.run("go", budget=budget)
        return caught.value


# -- what is held back, whatever runs at the same time


def crowd(model: object, size: int = 20) -> Step:
    """Many agents at once, all of which are past every look at the budget before the first one calls."""

    @Agent(provider=model, prompt=Prompt("p"))  # type: ignore[arg-type]
    class Waiting:
        async def before_prompt(self, prompt: str) -> None:
            await asyncio.sleep(0)

    return parallel([Waiting] * size)


@pytest.mark.behaviour("W3")
async def test_five_calls_are_five_whoever_comes_at_the_same_time() -> None:
    """Twenty agents at once pay five calls of a budget of five, and the run keeps what these five said."""
    model = Paying()
    ended = await run([crowd(model)], Budget(max_chat_calls=5))

    assert (5, "ok", "budget") == (model.begun, ended.output, ended.stopped_by)
    assert 5 == sum(message.role == "assistant" for message in ended.recorded.conversation.history)


@pytest.mark.parametrize(("really", "calls"), [(110, 4), (60, 7)])
async def test_five_hundred_tokens_hold_where_the_worst_case_is_known(really: int, calls: int) -> None:
    """Twenty agents at once never go beyond the limit, and what a call didn't take is there for the next one."""
    model = Paying(tokens=really, worst=110)
    ended = await run([crowd(model)], Budget(max_tokens=500))

    assert (calls, calls * really, "budget") == (model.begun, model.billed, ended.stopped_by)
    assert 4 == model.most_at_once


async def test_a_call_of_unknown_cost_is_let_in_alone() -> None:
    """Without a worst case one call at a time begins, and none once the limit is reached."""
    model = Paying(tokens=110)
    ended = await run([crowd(model)], Budget(max_tokens=500))

    assert (5, 550, 1) == (model.begun, model.billed, model.most_at_once)
    assert "budget" == ended.stopped_by


@pytest.mark.parametrize("limit", [{"max_tokens": 1000}, {"max_cost_usd": 1000}])
@pytest.mark.parametrize("first", ["unknown", "known"])
async def test_nothing_goes_on_beside_a_call_of_unknown_cost(limit: dict[str, int], first: str) -> None:
    """It waits for those that are there, and those that come wait for it."""
    clock = FakeClock()
    unknown = Paying(delay=2, clock=clock, usd_per_token=1)
    known = Paying(delay=2, clock=clock, usd_per_token=1, worst=100)
    models = [unknown, known] if first == "unknown" else [known, unknown]
    app = Thena(flow(parallel([agent(model) for model in models])), ThenaConfig(clock=clock))
    handle = app.run("go", budget=Budget(**limit))  # type: ignore[arg-type]
    await clock.advance(1.9)
    assert [1, 0] == [model.begun for model in models]
    await clock.advance(0.2)
    assert [1, 1] == [model.begun for model in models]
    await clock.advance(2)

    assert ("ok", None) == (await handle, handle.stopped_by)


async def test_a_call_of_unknown_cost_begins_as_long_as_anything_is_left() -> None:
    """One token is enough to begin with."""
    model = Paying(tokens=99)
    ended = await run([agent(model)] * 3, Budget(max_tokens=100))

    assert (2, "budget") == (model.begun, ended.stopped_by)


async def test_dollars_hold_as_tokens_do() -> None:
    """A limit in dollars is kept by the prices that the provider tells, to the last cent."""
    model = Paying(tokens=100, worst=100, usd_per_token=0.001)
    told: list[BudgetBreach] = []
    ended = await run([crowd(model)], Budget(max_cost_usd=0.35, on_exceeded=told.append))

    assert (3, "budget") == (model.begun, ended.stopped_by)
    assert [("max_cost_usd", 0.35, 0.3, 0.1)] == [
        (breach.limit, breach.allowed, breach.spent, breach.needed) for breach in told
    ]


async def test_dollars_that_are_spent_to_the_last_cent_are_spent() -> None:
    """Ten cents and twenty of thirty: sums of dollars are exact, and nothing begins once the limit is reached."""
    model = Paying(tokens=[100, 200], usd_per_token=0.001)
    told: list[BudgetBreach] = []
    ended = await run([agent(model)] * 3, Budget(max_cost_usd=0.3, on_exceeded=told.append))

    assert (2, "budget", ["ok", "ok", "skipped"]) == (model.begun, ended.stopped_by, ended.statuses)
    assert [(0.3, None)] == [(breach.spent, breach.needed) for breach in told]


async def test_whichever_of_two_limits_is_the_first_holds() -> None:
    """Tokens and dollars are both kept, whoever knows which of them."""
    cheap = Paying(tokens=100, worst=100, usd_per_token=0.0001)
    dear = Paying(tokens=100, worst=100, usd_per_token=0.01)
    unpriced = Paying(tokens=10, worst=100)
    await run([crowd(cheap)], Budget(max_tokens=350, max_cost_usd=2))
    await run([crowd(dear)], Budget(max_tokens=3500, max_cost_usd=2))
    told: list[BudgetBreach] = []
    error = await failed([crowd(unpriced)], Budget(max_tokens=350, max_cost_usd=2, on_exceeded=told.append))

    assert (3, 2, 1) == (cheap.begun, dear.begun, unpriced.begun)
    assert "max_cost_usd" == error.breach.limit
    assert [error.breach] == told


async def test_a_tool_is_counted_before_it_is_executed() -> None:
    """Several calls in one answer can't go beyond the limit together; those that were let in keep their results."""
    executed: list[str] = []

    @Tool(name="note", description="Note.")
    class Note:
        async def execute(self, what: str) -> str:
            executed.append(what)
            await asyncio.sleep(0)
            return f"noted {what}"

    calls = [tool_call("note", what=what) for what in "abc"]
    talker = agent(ScriptedProvider([calls, "done"]), Note, tool_calls="all")
    ended = await run([loop([talker], until=until_answered)], Budget(max_tool_calls=2))

    assert (["a", "b"], None, "budget") == (executed, ended.output, ended.stopped_by)
    texts = [message.content for message in ended.recorded.conversation.history if message.role == "tool"]
    assert ["noted a", "noted b"] == texts[:2]
    assert texts[2].startswith("not finished: the run was ended")


async def test_a_limit_that_stopped_one_branch_stops_the_others_at_their_next_call() -> None:
    """Once a tool was refused, no model is asked any more, whoever asks."""
    model = ScriptedProvider(["again"])
    asking = agent(ScriptedProvider([tool_call("look")]), Look)
    talking = loop([agent(model)], until=lambda ctx: False, max_iterations=9)
    ended = await run([parallel([asking, talking])], Budget(max_tool_calls=0))

    assert "budget" == ended.stopped_by
    assert len(model.calls) < 5


async def test_a_call_that_is_let_in_and_cancelled_at_once_was_never_made() -> None:
    """One that waited, was let in and was aborted in the same moment stays counted nowhere."""
    model = Paying(delay=0.001)

    @Agent(provider=model, prompt=Prompt("p"))
    class Aborting:
        def after_response(self, response: str, ctx: Context) -> None:
            ctx.abort(ValueError("enough"))

    @Workflow(steps=[parallel([Aborting] * 3)])
    class Flow:
        pass

    handle = Thena(Flow).run("go", budget=Budget(max_tokens=1000), observe=True)
    kept = await recorded(handle, raises=ValueError)

    assert (1, 1, 100) == (model.begun, kept.root.data["chat_calls"], kept.root.data["tokens"])


# -- how a run ends


@pytest.mark.behaviour("T135")
async def test_a_budget_that_stops_keeps_the_output_that_was_there() -> None:
    """Two calls over three agents: the second one's answer is the output, and the third is skipped."""
    models = [ScriptedProvider([text]) for text in ("one", "two", "three")]
    ended = await run([agent(model) for model in models], Budget(max_chat_calls=2))

    assert ("two", "budget", ["ok", "ok", "skipped"]) == (ended.output, ended.stopped_by, ended.statuses)
    assert [1, 1, 0] == [len(model.calls) for model in models]


@pytest.mark.behaviour("T136")
async def test_a_budget_that_raises_raises_what_says_why() -> None:
    """The error has the fault's code, the limit and what was spent."""
    error = await failed([agent(ScriptedProvider(["one"]))] * 2, Budget(max_chat_calls=1, mode="raise"))

    assert ("THN701", "max_chat_calls", 1, 1) == (
        error.code,
        error.breach.limit,
        error.breach.allowed,
        error.breach.spent,
    )
    assert (
        "[thena] THN701 `max_chat_calls=1` of the budget doesn't allow more (1 spent). "
        "Raise the limit, or let the run end where it is with `mode='stop'`."
    ) == str(error)


async def test_a_run_that_needs_no_more_than_its_budget_is_not_stopped_by_it() -> None:
    """The last call that a budget allows is as good as any other, in a loop too, whatever the mode."""
    steps = [loop([agent(ScriptedProvider([tool_call("look"), "found"]), Look)], until=until_answered)]
    told: list[BudgetBreach] = []
    budget = Budget(max_chat_calls=2, max_tool_calls=1, mode="raise", on_exceeded=told.append)
    ended = await run(steps, budget)

    assert ("found", None, []) == (ended.output, ended.stopped_by, told)


@pytest.mark.parametrize("limit", [{"max_tokens": 150}, {"max_cost_usd": 0.15}])
@pytest.mark.parametrize("worst", [None, 50])
async def test_a_run_that_spends_its_budget_to_the_last_token_has_kept_it(
    limit: dict[str, float], worst: int | None
) -> None:
    """Nobody is told of anything, and nothing is raised."""
    told: list[BudgetBreach] = []
    model = Paying(tokens=50, worst=worst, usd_per_token=0.001)
    ended = await run([agent(model)] * 3, Budget(mode="raise", on_exceeded=told.append, **limit))  # type: ignore[arg-type]

    assert ("ok", None, 3, []) == (ended.output, ended.stopped_by, model.begun, told)


@pytest.mark.behaviour("T138")
async def test_without_a_budget_nothing_is_cut() -> None:
    """All agents take their turns, and the last output is the run's."""
    ended = await run([agent(ScriptedProvider(["one"])), agent(ScriptedProvider(["two"]))], None)

    assert ("two", None) == (ended.output, ended.stopped_by)


async def test_without_on_exceeded_nobody_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """A limit that stops a run is nothing to complain about."""
    await run([agent(ScriptedProvider(["one"]))] * 2, Budget(max_chat_calls=1))

    assert "" == capsys.readouterr().err


@pytest.mark.behaviour("T139")
async def test_used_up_tokens_skip_the_next_agent() -> None:
    """Sixty tokens of sixty: the second agent is skipped, and the first one's answer is the output."""
    second = Paying()
    ended = await run([agent(Paying(turns=["one"], tokens=60)), agent(second)], Budget(max_tokens=60))

    assert ("one", 0, "budget") == (ended.output, second.begun, ended.stopped_by)


@pytest.mark.behaviour("T137", "T254")
async def test_on_exceeded_is_called_once() -> None:
    """However often a run is refused something, it is told once, with the first limit."""
    told: list[BudgetBreach] = []
    model = ScriptedProvider([tool_call("look")])
    body = agent(model, Look)
    endless = loop([body], until=until_answered, max_fails=None, max_iterations=None, max_repeats=None)
    ended = await run([endless, body, endless], Budget(max_chat_calls=25, on_exceeded=told.append))

    assert (25, "budget") == (len(model.calls), ended.stopped_by)
    assert [("max_chat_calls", 25, 25)] == [(breach.limit, breach.allowed, breach.spent) for breach in told]
    assert 25 == told[0].usage.tool_calls


async def test_what_on_exceeded_raises_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """The run ends as it would have, and stderr has the traceback."""

    def broken(breach: BudgetBreach) -> None:
        raise ValueError("not today")

    ended = await run([agent(ScriptedProvider(["one"]))] * 2, Budget(max_chat_calls=1, on_exceeded=broken))

    assert ("one", "budget") == (ended.output, ended.stopped_by)
    assert "ValueError: not today" in capsys.readouterr().err


@pytest.mark.behaviour("W16")
async def test_no_hook_takes_the_budget_for_an_error() -> None:
    """`on_error` is never asked, in either mode, wherever in the turn the budget refuses."""
    asked: list[Exception] = []

    @Agent(provider=ScriptedProvider([tool_call("look")]), prompt=Prompt("p"), tools=[Look])
    class Hopeful:
        def on_error(self, error: Exception) -> str:
            asked.append(error)
            return "all is well"

    steps = [loop([Hopeful], until=until_answered)]
    assert "max_tool_calls" == (await failed(steps, Budget(max_tool_calls=0, mode="raise"))).breach.limit
    ended = await run(steps, Budget(max_tool_calls=0))

    assert ([], None, "budget") == (asked, ended.output, ended.stopped_by)


async def test_a_middleware_does_not_take_a_stop_for_an_error() -> None:
    """A middleware that catches every exception can't turn the end of a run into an answer."""

    async def caring(invocation: object, following: Callable[[], object]) -> object:
        try:
            return await following()  # type: ignore[misc]
        except Exception:
            return Completion(content="all is well")

    @Workflow(steps=[crowd(ScriptedProvider(["said"]), 3)])
    class Flow:
        pass

    async with Thena(Flow) as app:
        app.use(chat=caring)  # type: ignore[arg-type]
        handle = app.run("go", budget=Budget(max_chat_calls=1))

        assert "said" == await handle
        assert "budget" == handle.stopped_by
        assert 1 == sum(message.role == "assistant" for message in handle.state.history)


@pytest.mark.behaviour("T259", "T264")
async def test_what_a_middleware_answers_is_not_counted() -> None:
    """Neither a tool's result nor a model's answer out of a cache counts, whatever usage it tells of."""

    async def cached_tool(invocation: object, following: object) -> ToolOutput:
        return ToolOutput("cached")

    answers = iter([tool_call("look")] * 3)

    async def cached_chat(invocation: object, following: Callable[[], object]) -> Completion:
        if next(answers, None) is None:
            return Completion(content="from the cache", usage=Usage(prompt_tokens=1000))
        return await following()  # type: ignore[misc, no-any-return]

    talker = agent(Paying(turns=[tool_call("look")], tokens=10), Look)

    @Workflow(steps=[loop([talker], until=until_answered)])
    class Flow:
        pass

    async with Thena(Flow) as app:
        app.use(chat=cached_chat, tool=cached_tool)  # type: ignore[arg-type]
        handle = app.run("go", budget=Budget(max_tool_calls=1, max_tokens=100))

        assert ("from the cache", None) == (await handle, handle.stopped_by)


async def test_a_failed_call_stays_counted() -> None:
    """A model that fails has been called, and what it may have billed counts as spent."""
    used: list[RunUsage] = []

    @Agent(provider=Paying(turns=[ValueError("lost")], tokens=40, worst=50), prompt=Prompt("p"))
    class Failing:
        def on_error(self, error: Exception, ctx: Context) -> str:
            used.append(ctx.usage())
            return "sorry"

    ended = await run([Failing, Failing], Budget(max_tokens=60))

    assert ("sorry", "budget") == (ended.output, ended.stopped_by)
    assert [(1, 50)] == [(usage.chat_calls, usage.tokens) for usage in used]


async def test_a_failed_call_of_unknown_cost_counts_as_a_call_alone() -> None:
    """What nobody can know isn't guessed."""
    used: list[RunUsage] = []

    @Agent(provider=Paying(turns=[ValueError("lost")]), prompt=Prompt("p"))
    class Failing:
        def on_error(self, error: Exception, ctx: Context) -> str:
            used.append(ctx.usage())
            return "sorry"

    await run([Failing], Budget(max_tokens=60, max_cost_usd=1))

    assert [(1, 0, 0)] == [(usage.chat_calls, usage.tokens, usage.cost_usd) for usage in used]


@pytest.mark.parametrize("status_code", [400, 429, 503])
async def test_a_refused_call_costs_nothing(status_code: int) -> None:
    """A provider that answers with an error status has billed nothing, so that what was held is free again."""

    class RefusedError(Exception):
        status = status_code

    used: list[RunUsage] = []

    @Agent(provider=Paying(turns=[RefusedError("busy")], worst=50), prompt=Prompt("p"))
    class Failing:
        def on_error(self, error: Exception, ctx: Context) -> str:
            used.append(ctx.usage())
            return "sorry"

    ended = await run([Failing, Failing], Budget(max_tokens=60))

    assert [None, [(1, 0), (2, 0)]] == [ended.stopped_by, [(usage.chat_calls, usage.tokens) for usage in used]]


@pytest.mark.parametrize("mode", ["stop", "raise"])
@pytest.mark.parametrize("limit", ["max_tokens", "max_cost_usd"])
async def test_a_limit_that_can_not_be_kept_is_an_error(mode: str, limit: str) -> None:
    """Where neither an answer nor a worst case says what a call took, the run doesn't go on as if it were nothing."""
    budget = Budget(mode=mode, **{limit: 100})  # type: ignore[arg-type]
    answered: list[str] = []

    @Agent(provider=Paying(reports=False), prompt=Prompt("p"))
    class Answering:
        def after_response(self, response: str) -> None:
            answered.append(response)

    error = await failed([Answering], budget)

    assert [] == answered
    assert (limit, None) == (error.breach.limit, error.breach.spent)
    assert f"`{limit}=100` of the budget can't be kept, because the provider doesn't say what a call takes." in str(
        error
    )


async def test_a_limit_that_can_not_be_kept_inside_is_an_error_outside() -> None:
    """A nested run without a budget of its own doesn't hide what its parent can't know."""
    error = await failed([nested(agent(Paying(reports=False)))], Budget(max_tokens=100))

    assert ("max_tokens", None) == (error.breach.limit, error.breach.spent)


@pytest.mark.parametrize("limit", [{"max_tokens": 100}, {"max_cost_usd": 1}])
async def test_the_worst_case_counts_where_the_answer_tells_nothing(limit: dict[str, int]) -> None:
    """A provider that knows the most a call may take needn't tell what it took."""
    model = Paying(reports=False, worst=50, usd_per_token=0.01)
    ended = await run([agent(model)] * 3, Budget(**limit))  # type: ignore[arg-type]

    assert (2, "budget") == (model.begun, ended.stopped_by)


@pytest.mark.parametrize("inside", [False, True])
@pytest.mark.parametrize(("limit", "spent"), [({"max_tokens": 60}, 75), ({"max_cost_usd": 0.6}, 0.75)])
async def test_going_beyond_a_limit_is_told_even_where_nothing_is_left_to_refuse(
    limit: dict[str, float], spent: float, inside: bool
) -> None:
    """The last answer of a run is kept and its overspending told of; with `mode="raise"` it is raised."""
    told: list[BudgetBreach] = []
    talker = agent(Paying(tokens=75, usd_per_token=0.01))
    step = nested(talker) if inside else talker
    ended = await run([step], Budget(on_exceeded=told.append, **limit))  # type: ignore[arg-type]

    assert ("ok", None) == (ended.output, ended.stopped_by)
    assert [(*limit, *limit.values(), spent)] == [(breach.limit, breach.allowed, breach.spent) for breach in told]
    assert spent == (await failed([step], Budget(mode="raise", **limit))).breach.spent  # type: ignore[arg-type]


# -- the deadline


async def test_the_deadline_cancels_a_model_that_hangs() -> None:
    """`max_duration` ends a call at its await and keeps the output that was there."""
    clock = FakeClock()
    slow = Paying(delay=60, clock=clock)
    app = Thena(flow(agent(ScriptedProvider(["first"])), agent(slow)), ThenaConfig(clock=clock))
    told: list[BudgetBreach] = []
    handle = app.run("go", budget=Budget(max_duration=5, on_exceeded=told.append))
    await clock.advance(4.9)
    assert not handle.done
    await clock.advance(0.2)

    assert ("first", "budget", 1, 0) == (await handle, handle.stopped_by, slow.begun, slow.billed)
    assert [("max_duration", 5, 5)] == [(breach.limit, breach.allowed, breach.spent) for breach in told]


@pytest.mark.behaviour("W15", "W14")
async def test_the_deadline_cancels_a_tool_that_hangs() -> None:
    """The tool is cancelled, its call is answered in the conversation, and the run raises if it is to."""
    clock = FakeClock()
    ends: list[str] = []

    @Tool(name="hang", description="Hang.")
    class Hang:
        async def execute(self) -> str:
            try:
                await clock.sleep(60)
            except asyncio.CancelledError:
                ends.append("cancelled")
                raise
            return "never"

    app = Thena(flow(agent(ScriptedProvider([tool_call("hang")]), Hang)), ThenaConfig(clock=clock))
    handle = app.run("go", budget=Budget(max_duration=5, mode="raise"))
    await clock.advance(5)

    with pytest.raises(BudgetExceededError, match="`max_duration=5` of the budget doesn't allow more"):
        await handle
    assert ["cancelled"] == ends
    assert ["user", "assistant", "tool"] == [message.role for message in handle.state.history]


async def test_the_deadline_keeps_what_branches_have_finished() -> None:
    """A block that is cut short merges what is done, in the order of its branches."""
    clock = FakeClock()
    branches = parallel([agent(Paying(delay=60, clock=clock)), agent(ScriptedProvider(["quick"]))])
    app = Thena(flow(branches), ThenaConfig(clock=clock))
    handle = app.run("go", budget=Budget(max_duration=5))
    await clock.advance(5)

    assert ("quick", "budget") == (await handle, handle.stopped_by)
    assert Message("assistant", "quick") == handle.state.history[-1]


async def test_after_the_deadline_clean_ups_run_to_their_end() -> None:
    """What was opened is closed, waits included, and no task is left."""
    clock = FakeClock()
    cleaned: list[str] = []

    async def clean() -> None:
        await asyncio.sleep(0)
        cleaned.append("cleaned")

    @Agent(provider=Paying(delay=60, clock=clock), prompt=Prompt("p"))
    class Opening:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            ctx.on_dispose(clean)

    before = len(asyncio.all_tasks())
    app = Thena(flow(Opening), ThenaConfig(clock=clock))
    handle = app.run("go", budget=Budget(max_duration=1))
    await clock.advance(1)

    assert (None, ["cleaned"]) == (await handle, cleaned)
    assert before == len(asyncio.all_tasks())


async def test_what_the_deadline_sets_off_is_no_error_of_the_turns() -> None:
    """A library that makes an error of its own out of the cancellation doesn't turn the stop into a failure."""
    clock = FakeClock()
    asked: list[Exception] = []

    class Translating:
        async def complete(self, request: CompletionRequest) -> Completion:
            try:
                await clock.sleep(60)
            except asyncio.CancelledError:
                raise ConnectionError("the connection was closed") from None
            return Completion(content="never")

        async def close(self) -> None:
            """Do nothing."""

    @Agent(provider=Translating(), prompt=Prompt("p"))
    class Hopeful:
        def on_error(self, error: Exception) -> str:
            asked.append(error)
            return "all is well"

    app = Thena(flow(Hopeful), ThenaConfig(clock=clock))
    handle = app.run("go", budget=Budget(max_duration=1))
    await clock.advance(1)

    assert (None, "budget", []) == (await handle, handle.stopped_by, asked)


async def test_before_the_deadline_an_error_is_an_error() -> None:
    """A run with a deadline fails as any other."""
    with pytest.raises(ValueError, match="broken"):
        await run([agent(ScriptedProvider([ValueError("broken")]))], Budget(max_duration=100))


async def test_a_deadline_that_is_not_reached_leaves_no_timer() -> None:
    """A run that is over in time is over; moving the clock on changes nothing."""
    clock = FakeClock()
    told: list[BudgetBreach] = []
    app = Thena(flow(agent(ScriptedProvider(["done"]))), ThenaConfig(clock=clock))
    handle = app.run("go", budget=Budget(max_duration=1, on_exceeded=told.append))
    assert "done" == await handle
    await clock.advance(10)

    assert ([], None) == (told, handle.stopped_by)


async def test_the_deadline_counts_where_the_event_loop_was_blocked_past_it() -> None:
    """No call begins after it, though its timer had no chance to fire."""
    model = ScriptedProvider([tool_call("look")])
    looked: list[str] = []

    @Tool(name="look", description="Look.")
    class Noting:
        async def execute(self) -> str:
            looked.append("looked")
            return "seen"

    class Late:
        """A clock that somebody stands in front of."""

        now = 0.0

        def time(self) -> float:
            return self.now

        def monotonic(self) -> float:
            return self.now

        async def sleep(self, seconds: float) -> None:
            await asyncio.sleep(0)

        def call_later(self, seconds: float, function: Callable[[], object]) -> asyncio.TimerHandle:
            return asyncio.get_running_loop().call_later(3600, function)

    clock = Late()

    @Agent(provider=model, prompt=Prompt("p"), tools=[Noting])
    class Blocking:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            if ctx.data.get("block") == "prompt":
                clock.now += 5

        def before_tool(self, call: object, ctx: Context) -> None:
            if ctx.data.get("block") == "tool":
                clock.now += 5

    app = Thena(flow(Blocking), ThenaConfig(clock=clock, budget=Budget(max_duration=5)))
    ends = [await settled(app.run("go", data={"block": where})) for where in ("prompt", "tool")]

    assert ["budget", "budget"] == ends
    assert (1, []) == (len(model.calls), looked)


async def settled(handle: RunHandle) -> str | None:
    """Wait for a run and say what stopped it."""
    await handle
    return handle.stopped_by


async def test_an_abort_wins_over_a_deadline_of_the_same_moment() -> None:
    """The run raises what it was aborted with."""
    clock = FakeClock()
    app = Thena(flow(agent(Paying(delay=60, clock=clock))), ThenaConfig(clock=clock))
    handle = app.run("go", budget=Budget(max_duration=1))
    clock.call_later(1, lambda: handle.abort(ValueError("enough")))
    await clock.advance(1)

    with pytest.raises(ValueError, match="enough"):
        await handle


# -- what a run may ask


async def test_the_context_tells_what_was_spent() -> None:
    """`ctx.usage()` counts with and without a budget; `ctx.budget` is there with one."""
    seen: list[tuple[RunUsage, RunUsage | None]] = []

    @Agent(
        provider=Paying(turns=[tool_call("look"), "ok"], tokens=30, usd_per_token=0.01),
        prompt=Prompt("p"),
        tools=[Look],
    )
    class Asking:
        def after_response(self, response: str, ctx: Context) -> None:
            seen.append((ctx.usage(), ctx.budget))

    await run([Asking, Asking], None)
    await run([Asking], Budget(max_chat_calls=5))

    assert [(1, 1, 30), (2, 1, 60), (1, 0, 30)] == [
        (usage.chat_calls, usage.tool_calls, usage.tokens) for usage, _ in seen
    ]
    assert [0.3, 0.6, 0.3] == [usage.cost_usd for usage, _ in seen]
    assert [None, None, 1] == [None if budget is None else budget.chat_calls for _, budget in seen]


async def test_the_node_of_a_workflow_has_its_numbers() -> None:
    """What was spent, and which limit was exceeded, stands in the end event of the workflow."""
    model = Paying(turns=[tool_call("look"), "ok"], tokens=50, worst=50, usd_per_token=0.001)
    ended = await run([loop([agent(model, Look)], until=lambda ctx: False)], Budget(max_tokens=150))

    data = ended.recorded.root.data
    assert {
        "chat_calls": 3,
        "tool_calls": 1,
        "tokens": 150,
        "cost_usd": 0.15,
        "exceeded": "max_tokens",
        "stopped_by": "budget",
    } == data


async def test_what_was_refused_was_skipped() -> None:
    """The tree tells a call that was never made from one that was interrupted."""
    ended = await run([crowd(ScriptedProvider(["ok"]), 2)], Budget(max_chat_calls=1))

    first, second = (str(node) for node in ended.recorded.root.all("agent"))
    assert "agent Waiting ok\n  chat chat ok" == first
    assert "agent Waiting cancelled\n  chat chat skipped" == second


async def test_a_provider_that_knows_nothing_of_budgets_is_kept_within_them() -> None:
    """`worst_case` is optional: without it calls are let in one by one."""
    begun: list[int] = []

    class Plain:
        async def complete(self, request: CompletionRequest) -> Completion:
            begun.append(1)
            return Completion(content="ok", usage=Usage(prompt_tokens=60))

        async def close(self) -> None:
            """Do nothing."""

    ended = await run([crowd(Plain())], Budget(max_tokens=100))

    assert (2, "budget") == (len(begun), ended.stopped_by)


def test_a_breach_says_what_it_is_about() -> None:
    """Its text has the limit, what was spent, and what was needed where that is known."""
    breach = BudgetBreach(limit="max_cost_usd", allowed=0.35, spent=0.3, needed=0.1, usage=RunUsage())

    assert (
        "`max_cost_usd=0.35` of the budget doesn't allow more (0.3 spent, and the next call may take 0.1). "
        "Raise the limit, or let the run end where it is with `mode='stop'`."
    ) == str(breach)
    assert "`max_tokens=500` of the budget doesn't allow more (500 spent)" in str(
        BudgetBreach(limit="max_tokens", allowed=500, spent=500, usage=RunUsage())
    )


# -- runs inside runs


def nested(*steps: Step) -> type:
    """A workflow that stands as a step in another."""

    @Workflow(steps=steps)
    class Inner:
        pass

    return Inner


@pytest.mark.behaviour("T269", "T272", "T273", "T274", "T279")
async def test_a_nested_run_spends_its_parents_budget() -> None:
    """What the parent has used up is gone for the child, in the parent's mode, and is told once."""
    told: list[BudgetBreach] = []
    model = ScriptedProvider(["ok"])
    steps = [agent(model), nested(agent(model), agent(model)), agent(model)]
    ended = await run(steps, Budget(max_chat_calls=2, on_exceeded=told.append))

    assert (2, "budget", 1) == (len(model.calls), ended.stopped_by, len(told))
    error = await failed(steps, Budget(max_chat_calls=1, mode="raise"))
    assert "max_chat_calls" == error.breach.limit


@pytest.mark.behaviour("T270", "T275")
async def test_a_childs_numbers_are_its_own_and_its_parents() -> None:
    """The child's node has what the child spent, the root's has all."""
    child = nested(agent(Paying(tokens=7)))
    ended = await run([agent(Paying(tokens=100)), child], None)
    inner, root = ended.recorded.root.only("workflow", "Inner").data, ended.recorded.root.data

    assert ((1, 7), (2, 107)) == ((inner["chat_calls"], inner["tokens"]), (root["chat_calls"], root["tokens"]))


@pytest.mark.behaviour("T277")
async def test_runs_at_once_have_budgets_of_their_own() -> None:
    """One app's budget is there for each of its runs anew."""
    model = ScriptedProvider(["ok"])
    app = Thena(flow(agent(model), agent(model)), ThenaConfig(budget=Budget(max_chat_calls=2)))
    handles = [app.run("go") for _ in range(3)]

    assert ["ok"] * 3 == [await handle for handle in handles]
    assert [None] * 3 == [handle.stopped_by for handle in handles]


async def test_a_runs_budget_takes_the_place_of_the_apps() -> None:
    """A run may be given another budget than the app's settings have, or none."""
    app = Thena(flow(*[agent(ScriptedProvider(["ok"]))] * 3), ThenaConfig(budget=Budget(max_chat_calls=1)))
    handles = [app.run("go"), app.run("go", budget=Budget(max_chat_calls=2)), app.run("go", budget=Budget())]

    assert ["ok"] * 3 == [await handle for handle in handles]
    assert ["budget", "budget", None] == [handle.stopped_by for handle in handles]


# -- what is refused


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"max_chat_calls": -1}, ValueError, r"`max_chat_calls` of `Budget` is -1\. Give 0 or more"),
        ({"max_tool_calls": 1.5}, TypeError, r"`max_tool_calls` of `Budget` is of type `float`\. Give a whole number"),
        ({"max_tokens": True}, TypeError, r"`max_tokens` of `Budget` is of type `bool`"),
        ({"max_duration": -1}, ValueError, r"`max_duration` of `Budget` is -1\. Give a finite number"),
        ({"max_duration": math.inf}, ValueError, r"`max_duration` of `Budget` is inf"),
        ({"max_cost_usd": math.nan}, ValueError, r"`max_cost_usd` of `Budget` is nan"),
        ({"max_cost_usd": "1"}, TypeError, r"`max_cost_usd` of `Budget` is of type `str`\. Give a number"),
        ({"max_duration": timedelta(1)}, TypeError, r"Write `\.total_seconds\(\)` after a `timedelta`"),
        ({"mode": "throw"}, ValueError, r"`mode` of `Budget` is 'throw'\. Write `'stop'` or `'raise'`"),
        ({"on_exceeded": 5}, TypeError, r"`on_exceeded` of `Budget` is of type `int`, which can't be called"),
        ({"on_exceeded": lambda: None}, TypeError, r"can't be called with one argument"),
    ],
)
def test_a_budget_that_means_nothing_is_refused(options: dict[str, object], error: type[Exception], text: str) -> None:
    """Each mistake is told where it is made, with its repair."""
    with pytest.raises(error, match=text):
        Budget(**options)  # type: ignore[arg-type]


def test_the_hint_for_a_duration_is_a_durations() -> None:
    """Dollars have no `total_seconds`."""
    with pytest.raises(TypeError) as caught:
        Budget(max_cost_usd="1")  # type: ignore[arg-type]
    assert "total_seconds" not in str(caught.value)


def test_an_async_on_exceeded_is_refused() -> None:
    """A limit doesn't wait, so that a function to be awaited would never be run."""

    async def later(breach: BudgetBreach) -> None:
        """Never awaited."""

    with pytest.raises(TypeError, match=r"`on_exceeded` of `Budget` is async, and a limit doesn't wait"):
        Budget(on_exceeded=later)


async def test_what_is_no_budget_is_refused() -> None:
    """Both places name the class."""
    with pytest.raises(TypeError, match=r"`budget` is of type `int`\. Give a `Budget\(\.\.\.\)`"):
        Thena(flow(agent(ScriptedProvider(["ok"])))).run("go", budget=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"`budget` is of type `int`\. Give a `Budget\(\.\.\.\)`"):
        Thena(flow(agent(ScriptedProvider(["ok"]))), ThenaConfig(budget=5))  # type: ignore[arg-type]


def test_a_limit_of_nothing_lets_nothing_begin() -> None:
    """Zero is a limit, as a quota that is used up would be."""
    model = ScriptedProvider(["ok"])

    app = Thena(flow(agent(model)))
    for budget in (Budget(max_chat_calls=0), Budget(max_tokens=0), Budget(max_cost_usd=0), Budget(max_duration=0)):
        assert app.run_sync("go", budget=budget) is None
    assert [] == model.calls

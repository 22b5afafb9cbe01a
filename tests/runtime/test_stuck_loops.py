"""Loops that go nowhere: what stops them, what is told of it, and what their output is then."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tests.support.paying import Paying
from thena_runtime import (
    Agent,
    Budget,
    Context,
    LoopFailure,
    LoopInfo,
    Prompt,
    ScriptedProvider,
    State,
    Thena,
    ThenaConfig,
    Tool,
    Workflow,
    loop,
    parallel,
    tool_call,
    until_answered,
    was_exhausted,
)
from thena_runtime.messages import Completion, FunctionCall
from thena_runtime.middleware.invocation import ChatInvocation
from thena_runtime.providers.provider import CompletionRequest
from thena_runtime.steps import Step
from thena_runtime.testing import FakeClock, Recorded, recorded


@Tool(name="look", description="Look.")
class Look:
    """A tool that finds the same each time it looks at the same."""

    def execute(self, where: str = "here") -> str:
        return f"nothing {where}"


@Tool(name="poll", description="Poll.", repeatable=True)
class Poll:
    """A tool that may give the same for as long as it takes."""

    def execute(self) -> str:
        return "not yet"


@Tool(name="fail", description="Fail.")
class Fail:
    """A tool that fails, each time for another reason."""

    count = 0

    def execute(self) -> str:
        Fail.count += 1
        raise ValueError(f"failure {Fail.count}")


class Murmuring:
    """A model that says something beside each call, and never answers."""

    def __init__(self, *words: str, tool: str = "look") -> None:
        self._words = words
        self._tool = tool
        self._count = 0

    async def complete(self, request: CompletionRequest) -> Completion:
        words = self._words[min(self._count, len(self._words) - 1)]
        self._count += 1
        call = FunctionCall(name=self._tool, arguments={} if self._tool == "fail" else {"where": str(self._count)})
        return Completion(content=words, tool_calls=(call,))

    async def close(self) -> None:
        """Do nothing."""


def agent(*turns: object) -> type:
    """An agent that plays these turns."""
    return speaking(ScriptedProvider(turns))  # type: ignore[arg-type]


def speaking(model: object) -> type:
    """An agent with this model."""

    @Agent(provider=model, prompt=Prompt("p"), tools=[Look, Poll, Fail])  # type: ignore[arg-type]
    class Player:
        pass

    return Player


class Ended:
    """A run that is over: what it gave, what its handle says and what the last loop left on the context."""

    def __init__(self, run: Recorded, stopped_by: str | None, loop_info: LoopInfo | None) -> None:
        self.output = run.output
        self.stopped_by = stopped_by
        self.loop = loop_info
        self.root = run.root

    @property
    def loops(self) -> list[object]:
        """What each loop's node says it was stopped by, the outermost first."""
        return [node.data["stopped_by"] for node in self.root.all("loop")]


async def run(*steps: Step, budget: Budget | None = None, state: type | None = None) -> Ended:
    """Run the steps to their end."""
    contexts: list[Context] = []

    async def look_on(invocation: ChatInvocation, following: Callable[[], Awaitable[Completion]]) -> Completion:
        contexts.append(invocation.ctx)
        return await following()

    @Workflow(steps=steps, state=state)
    class Flow:
        pass

    async with Thena(Flow) as app:
        app.use(chat=look_on)
        handle = app.run("go", budget=budget, observe=True)
        kept = await recorded(handle)
        return Ended(kept, handle.stopped_by, contexts[-1].loop)


# -- what a loop that was cut gives


@pytest.mark.parametrize(
    ("stopped_by", "turn", "options", "budget"),
    [
        ("exhausted", "look", {"max_iterations": 3, "max_repeats": None}, None),
        ("repeats", "look", {"max_repeats": 3}, None),
        ("fails", "fail", {"max_fails": 2}, None),
        ("budget", "look", {"max_repeats": None}, Budget(max_chat_calls=2)),
    ],
)
async def test_a_loop_that_was_cut_never_shows_a_tools_result_as_its_answer(
    stopped_by: str, turn: str, options: dict[str, int | None], budget: Budget | None
) -> None:
    """A model that never said a word has no answer: the output is `None`, and four places say why."""
    ended = await run(loop([agent(tool_call(turn))], until=until_answered, **options), budget=budget)  # type: ignore[arg-type, call-overload]

    assert (None, stopped_by) == (ended.output, ended.stopped_by)
    assert ended.loop is not None
    assert (stopped_by, stopped_by == "exhausted") == (ended.loop.stopped_by, ended.loop.exhausted)
    assert [stopped_by] == ended.loops
    assert stopped_by == ended.root.data["stopped_by"]


async def test_a_loop_that_was_cut_gives_the_last_words_of_the_model() -> None:
    """What a model says beside its calls is its own, and the last of it is what is left of an answer."""
    body = speaking(Murmuring("I look.", "I look again.", ""))
    ended = await run(loop([body], until=until_answered, max_iterations=3))

    assert ("I look again.", "exhausted") == (ended.output, ended.stopped_by)


async def test_words_from_before_the_loop_are_the_output_that_was_there() -> None:
    """What an earlier step answered stays the output of a run whose loop comes to nothing."""
    ended = await run(agent("the plan"), loop([agent(tool_call("look"))], until=until_answered, max_repeats=2))

    assert ("the plan", "repeats") == (ended.output, ended.stopped_by)


async def test_a_result_that_a_hook_has_written_is_no_raw_output() -> None:
    """`after_response` may make an answer out of a tool's result, and this is kept."""

    @Agent(provider=ScriptedProvider([tool_call("look")]), prompt=Prompt("p"), tools=[Look])
    class Telling:
        def after_response(self, response: str) -> str:
            return f"I found {response}"

    ended = await run(loop([Telling], until=until_answered, max_iterations=2))

    assert ("I found nothing here", "exhausted") == (ended.output, ended.stopped_by)


async def test_a_tools_result_is_the_output_where_until_says_so() -> None:
    """A loop that its own condition ends gives what it came to, a tool's result too."""

    class Found:
        yes = False

    @Tool(name="find", description="Find.")
    class Find:
        def execute(self, s: State[Found]) -> str:
            s.yes = True
            return "the thing"

    @Agent(provider=ScriptedProvider([tool_call("find")]), prompt=Prompt("p"), tools=[Find])
    class Finder:
        pass

    ended = await run(loop([Finder], until=lambda ctx, s: s.yes), state=Found)

    assert ("the thing", None) == (ended.output, ended.stopped_by)


async def test_a_tool_that_stops_the_run_gives_its_output() -> None:
    """`ctx.stop()` is somebody's decision, and the output so far is kept as it is."""

    @Tool(name="submit", description="Submit.")
    class Submit:
        def execute(self, ctx: Context, answer: str) -> str:
            ctx.stop()
            return answer

    @Agent(provider=ScriptedProvider([tool_call("submit", answer="42")]), prompt=Prompt("p"), tools=[Submit])
    class Submitting:
        pass

    ended = await run(loop([Submitting], until=until_answered))

    assert ("42", "stop", ["stop"]) == (ended.output, ended.stopped_by, ended.loops)


async def test_a_step_after_the_loop_may_answer_after_all() -> None:
    """A run whose last step answers is no run that was cut, whatever happened to a loop before."""
    ended = await run(loop([agent(tool_call("look"))], until=until_answered, max_repeats=2), agent("summed up"))

    assert ("summed up", None, ["repeats"]) == (ended.output, ended.stopped_by, ended.loops)


async def test_an_outer_loop_that_its_until_ends_is_not_cut_by_what_its_inner_loop_was() -> None:
    """The reason is that of the outermost loop."""
    inner = loop([agent(tool_call("look"))], until=until_answered, max_repeats=2)
    ended = await run(loop([inner], until=was_exhausted, max_iterations=2))

    assert (["exhausted", "repeats", "repeats"], "exhausted") == (ended.loops, ended.stopped_by)
    ended = await run(loop([inner], until=lambda ctx: ctx.loop.stopped_by == "repeats"))
    assert (["until", "repeats"], None) == (ended.loops, ended.stopped_by)


async def test_a_branch_that_was_cut_cuts_its_block_where_it_gives_the_output() -> None:
    """Of several branches the one that was declared last gives the output, and so the reason."""
    cut = loop([agent(tool_call("look"))], until=until_answered, max_repeats=2)

    assert ("fine", None) == ((first := await run(parallel([cut, agent("fine")]))).output, first.stopped_by)
    second = await run(
        parallel([agent("fine"), loop([speaking(Murmuring("hm"))], until=until_answered, max_iterations=1)])
    )
    assert ("hm", "exhausted") == (second.output, second.stopped_by)


async def test_a_workflow_as_a_step_hands_on_what_cut_it() -> None:
    """The run says of itself what stopped the workflow that its output comes from."""

    @Workflow(steps=[loop([agent(tool_call("look"))], until=until_answered, max_repeats=2)])
    class Inner:
        pass

    ended = await run(agent("before"), Inner)

    assert ("before", "repeats") == (ended.output, ended.stopped_by)


# -- the order of the checks


async def test_the_budget_comes_before_the_other_brakes_and_until() -> None:
    """A loop whose budget was gone beyond says so, even where it would have ended anyway."""
    model = Paying(turns=["done"], tokens=75)
    ended = await run(loop([speaking(model)], until=lambda ctx: True, max_iterations=1), budget=Budget(max_tokens=60))

    assert ("done", ["budget"]) == (ended.output, ended.loops)


@pytest.mark.parametrize(
    ("options", "stopped_by"),
    [
        ({"max_fails": 2, "max_repeats": 2, "max_iterations": 2}, "fails"),
        ({"max_fails": None, "max_repeats": 2, "max_iterations": 2}, "repeats"),
        ({"max_fails": None, "max_repeats": None, "max_iterations": 2}, "until"),
    ],
)
async def test_of_brakes_that_would_stop_at_once_the_first_in_order_counts(
    options: dict[str, int | None], stopped_by: str
) -> None:
    """Fails, then repeats, then `until`, then exhaustion."""

    @Tool(name="same", description="Same.")
    class Same:
        def execute(self) -> str:
            raise ValueError("the same each time")

    @Agent(provider=ScriptedProvider([tool_call("same")]), prompt=Prompt("p"), tools=[Same])
    class Stuck:
        pass

    turns: list[int] = []

    def until(ctx: Context) -> bool:
        turns.append(1)
        return len(turns) == 2

    ended = await run(loop([Stuck], until=until, **options))  # type: ignore[call-overload]

    assert [stopped_by] == ended.loops


async def test_stop_comes_before_the_budget() -> None:
    """A run that was stopped and has nothing left was stopped."""

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Stopping:
        def after_response(self, response: str, ctx: Context) -> None:
            ctx.stop()

    ended = await run(loop([Stopping], until=lambda ctx: False), budget=Budget(max_chat_calls=1))

    assert (["stop"], "stop") == (ended.loops, ended.stopped_by)


async def test_on_exhausted_sees_the_loop_that_was_exhausted() -> None:
    """`ctx.loop` is written before it is called, and the output is what is left of an answer."""
    seen: list[tuple[LoopInfo | None, object]] = []

    def exhausted(ctx: Context) -> None:
        seen.append((ctx.loop, ctx.output))

    await run(loop([agent(tool_call("look"))], until=until_answered, max_iterations=2, on_exhausted=exhausted))

    assert [(LoopInfo(iterations=2, exhausted=True, stopped_by="exhausted", max_iterations=2), None)] == seen


# -- repeats


def flat(*turns: str) -> list[object]:
    """Calls of `look`, each at another place."""
    return [tool_call("look", where=turn) for turn in turns]


@pytest.mark.parametrize(
    ("turns", "iterations"),
    [
        (flat("a"), 3),
        (flat("b", "a"), 4),
        (flat("a", "b", "a", "b", "a", "b", "a", "b", "end"), 6),
        (flat("z", "a", "b", "a", "b", "a", "b", "end"), 7),
    ],
)
async def test_the_same_again_and_again_stops_a_loop(turns: list[object], iterations: int) -> None:
    """One call, or two in turns, three times over with the same results."""
    ended = await run(loop([agent(*turns)], until=until_answered, max_repeats=3))

    assert ended.loop is not None
    assert (["repeats"], iterations) == (ended.loops, ended.loop.iterations)


@pytest.mark.parametrize(
    "turns",
    [
        flat("a", "a", "b", "a", "a", "b"),
        flat("a", "b", "c", "a", "b", "c"),
        flat("a", "b", "b", "a", "a", "b"),
    ],
)
async def test_what_is_no_repetition_goes_on(turns: list[object]) -> None:
    """Calls that come again in another order aren't the same thing over and over."""
    ended = await run(loop([agent(*turns, "found")], until=until_answered, max_repeats=3))

    assert ("found", ["until"]) == (ended.output, ended.loops)


async def test_a_result_that_changes_is_progress() -> None:
    """The same call with another result each time is no repetition."""
    Fail.count = 0
    ended = await run(
        loop([agent(*[tool_call("fail")] * 6, "found")], until=until_answered, max_repeats=2, max_fails=None)
    )

    assert ("found", ["until"]) == (ended.output, ended.loops)


async def test_a_tool_that_is_repeatable_may_be_asked_again() -> None:
    """Polling is what it is for; it also hides nothing of what repeats beside it."""
    polls = await run(loop([agent(*[tool_call("poll")] * 7, "found")], until=until_answered, max_repeats=3))
    turns = [tool_call("poll"), tool_call("poll"), tool_call("look")]
    mixed = await run(loop([agent(*turns * 3, "found")], until=until_answered, max_repeats=3))

    assert (["until"], ["repeats"]) == (polls.loops, mixed.loops)


async def test_several_agents_repeat_as_one() -> None:
    """Each iteration is compared as a whole, so that agents that take turns are seen through."""
    bodies = [agent(*flat("a")), agent(*flat("b")), agent(*flat("c"))]
    ended = await run(loop(bodies, until=until_answered, max_repeats=3))

    assert ended.loop is not None
    assert (["repeats"], 3) == (ended.loops, ended.loop.iterations)


async def test_iterations_without_a_tool_are_no_repetition() -> None:
    """A model may say the same again; what a loop does about it is `until`'s."""
    ended = await run(loop([agent("again")], until=lambda ctx: False, max_repeats=2, max_iterations=6))

    assert ("again", "exhausted") == (ended.output, ended.stopped_by)


async def test_an_inner_loop_begins_to_count_anew() -> None:
    """What repeats across the iterations of an outer loop isn't the inner loop's repetition."""
    inner = loop([agent(*flat("a", "a"), "done", *flat("a", "a"), "done")], until=until_answered, max_repeats=3)
    ended = await run(loop([inner], until=lambda ctx: False, max_iterations=2))

    assert ["exhausted", "until", "until"] == ended.loops


# -- fails


@pytest.mark.behaviour("W18")
async def test_failures_of_every_agent_in_the_body_count() -> None:
    """A fine agent behind a failing one doesn't hide it."""
    ended = await run(loop([agent(tool_call("fail")), agent("fine")], until=lambda ctx: False, max_fails=3))

    assert ("fine", "fails") == (ended.output, ended.stopped_by)


@pytest.mark.behaviour("W18")
async def test_an_outer_loop_does_not_count_the_failures_of_an_inner_one() -> None:
    """They have been counted where they happened."""
    inner = loop([agent(tool_call("fail"))], until=until_answered, max_fails=2)
    told: list[LoopFailure] = []
    ended = await run(
        loop(
            [inner], until=lambda ctx: False, max_iterations=3, max_fails=1, on_fail=lambda ctx, fail: told.append(fail)
        )
    )

    assert (["exhausted", "fails", "fails", "fails"], []) == (ended.loops, told)


@pytest.mark.behaviour("W17")
async def test_a_turn_that_on_error_answered_is_no_failure_of_the_turn_before() -> None:
    """The old turn is gone, so that nothing is counted twice."""
    told: list[LoopFailure] = []

    @Agent(
        provider=ScriptedProvider([tool_call("fail"), RuntimeError("down"), "answer"]), prompt=Prompt("p"), tools=[Fail]
    )
    class Recovering:
        def on_error(self, error: Exception) -> str:
            return "recovered"

    ended = await run(
        loop([Recovering], until=lambda ctx: ctx.turn.response == "answer", on_fail=lambda c, f: told.append(f))
    )

    assert ("answer", 1) == (ended.output, len(told))


# -- interrupted loops


@pytest.mark.behaviour("W20")
async def test_a_loop_that_its_deadline_interrupts_says_so() -> None:
    """Its node and `ctx.loop` say that the budget stopped it, in the iteration in which it did."""
    clock = FakeClock()
    infos: list[LoopInfo | None] = []

    @Tool(name="hang", description="Hang.")
    class Hang:
        async def execute(self, ctx: Context) -> str:
            ctx.on_dispose(lambda: infos.append(ctx.loop))
            await clock.sleep(60)
            return "never"

    @Agent(provider=ScriptedProvider([tool_call("hang")]), prompt=Prompt("p"), tools=[Hang])
    class Hanging:
        pass

    @Workflow(steps=[loop([Hanging], until=until_answered)])
    class Flow:
        pass

    app = Thena(Flow, ThenaConfig(clock=clock))
    handle = app.run("go", budget=Budget(max_duration=1), observe=True)
    await clock.advance(1)
    kept = await recorded(handle)

    assert (None, "budget") == (kept.output, handle.stopped_by)
    assert {"iterations": 1, "stopped_by": "budget"} == kept.root.only("loop").data
    assert [LoopInfo(iterations=1, exhausted=False, stopped_by="budget", max_iterations=10)] == infos


@pytest.mark.behaviour("W20")
async def test_a_loop_that_is_aborted_says_how_far_it_came() -> None:
    """Its node has the iterations, and no reason of its own."""
    clock = FakeClock()

    @Agent(provider=ScriptedProvider(["again"], delay=1.0, clock=clock), prompt=Prompt("p"))
    class Slow:
        pass

    @Workflow(steps=[loop([Slow], until=lambda ctx: False)])
    class Flow:
        pass

    handle = Thena(Flow, ThenaConfig(clock=clock)).run("go", observe=True)
    await clock.advance(2.5)
    handle.abort(asyncio.QueueFull())
    kept = await recorded(handle, raises=asyncio.QueueFull)

    assert {"iterations": 3} == kept.root.only("loop").data


async def test_the_log_says_what_stopped_a_loop(capsys: pytest.CaptureFixture[str]) -> None:
    """The line at a loop's end, and at the workflow's, has the reason; one that `until` ended has none."""

    @Workflow(steps=[loop([agent("x")], until=lambda ctx: True), loop([agent("x")], until=until_no, max_iterations=1)])
    class Flow:
        pass

    await Thena(Flow, ThenaConfig(log=True, clock=FakeClock())).run("go")
    ends = [
        line.rstrip() for line in capsys.readouterr().out.splitlines() if "loop  " in line or "workflow Flow  " in line
    ]

    assert [
        "[thena]   ◂ loop  0ms ✓",
        "[thena]   ◂ loop  0ms ✓  stopped by exhausted",
        "[thena] ◂ workflow Flow  0ms ✓  stopped by exhausted",
    ] == ends


def until_no(ctx: Context) -> bool:
    """Never."""
    return False


# -- what goes on between the iterations


async def test_a_run_that_its_budget_stops_shows_no_tools_result_either() -> None:
    """Outside a loop too, a result that the next agent was to read is no answer."""
    ended = await run(agent(tool_call("look")), agent("read"), budget=Budget(max_chat_calls=1))

    assert (None, "budget") == (ended.output, ended.stopped_by)


async def test_a_loop_whose_budget_is_used_up_begins_no_further_iteration() -> None:
    """It ends after the last iteration that was paid for, and `until` isn't asked again."""
    asked: list[int] = []

    def until(ctx: Context) -> bool:
        asked.append(1)
        return False

    ended = await run(loop([agent("x")], until=until), budget=Budget(max_chat_calls=2))

    assert {"iterations": 2, "stopped_by": "budget"} == ended.root.only("loop").data
    assert 2 == len(asked)


async def test_an_abort_out_of_on_fail_leaves_until_alone() -> None:
    """Nothing is asked of a run that is being ended."""
    asked: list[str] = []

    def until(ctx: Context) -> bool:
        asked.append("until")
        return True

    @Workflow(
        steps=[loop([agent(tool_call("fail"))], until=until, on_fail=lambda ctx, failure: ctx.abort(KeyError("no")))]
    )
    class Flow:
        pass

    with pytest.raises(KeyError, match="no"):
        await Thena(Flow).run("go")
    assert [] == asked


async def test_an_until_that_is_awaited_may_say_no() -> None:
    """What counts is what it comes to, and not the awaitable."""

    async def third(ctx: Context) -> bool:
        await asyncio.sleep(0)
        return ctx.turn is not None and ctx.turn.response == "3"

    ended = await run(loop([agent("1", "2", "3")], until=third))

    assert ended.loop is not None
    assert ("3", 3) == (ended.output, ended.loop.iterations)


async def test_an_answer_between_does_not_hide_a_repetition() -> None:
    """The same call with the same result, whatever the model says in between, brings nothing new."""
    turns = [tool_call("look"), "hm"]
    ended = await run(loop([agent(*turns * 4)], until=lambda ctx: False, max_repeats=3))

    assert ended.loop is not None
    assert (["repeats"], 5) == (ended.loops, ended.loop.iterations)


async def test_an_outer_loop_counts_what_failed_before_its_inner_loop() -> None:
    """Only what an inner loop has counted itself is left out."""
    told: list[LoopFailure] = []
    inner = loop([agent("fine")], until=until_answered)
    ended = await run(
        loop(
            [agent(tool_call("fail")), inner], until=until_no, max_fails=3, on_fail=lambda ctx, fail: told.append(fail)
        )
    )

    assert (["fails", "until", "until", "until"], 3) == (ended.loops, len(told))

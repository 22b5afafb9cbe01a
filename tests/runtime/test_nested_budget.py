"""Budgets of runs inside runs: each its own and its parent's, the tightest wins."""

import asyncio

import pytest

from tests.support.paying import Paying
from thena_runtime import (
    Agent,
    Budget,
    BudgetBreach,
    BudgetExceededError,
    Context,
    Prompt,
    ScriptedProvider,
    Thena,
    ThenaConfig,
    Tool,
    Workflow,
    WorkflowRuntime,
    loop,
    parallel,
    tool_call,
    until_answered,
)
from thena_runtime.testing import FakeClock, Recorded, recorded

ASK = tool_call("delegate")


def delegating(inner: type, budget: Budget | None, *turns: object) -> type:
    """A workflow whose agent has a tool that runs the inner one within a budget of its own."""

    @Tool(name="delegate", description="Delegate.")
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> str:
            return str(await self.runtime.run(inner, "sub", budget=budget))

    @Agent(provider=ScriptedProvider(turns or [ASK, "done"]), prompt=Prompt("p"), tools=[Delegate])  # type: ignore[arg-type]
    class Boss:
        pass

    @Workflow(steps=[loop([Boss], until=until_answered, max_repeats=None)])
    class Outer:
        pass

    return Outer


def talking(model: object, times: int) -> type:
    """A workflow that asks its model so many times."""

    @Agent(provider=model, prompt=Prompt("p"))  # type: ignore[arg-type]
    class Talker:
        pass

    @Workflow(steps=[Talker] * times)
    class Inner:
        pass

    return Inner


async def run(workflow: type, budget: Budget | None = None) -> tuple[Recorded, str | None]:
    """Run it within a budget and return how it ended."""
    async with Thena(workflow) as app:
        handle = app.run("go", budget=budget, observe=True)
        return await recorded(handle), handle.stopped_by


@pytest.mark.behaviour("T271")
async def test_a_childs_tighter_budget_cuts_the_child_alone() -> None:
    """The child gives the output that was there, and its parent goes on and says nothing of a budget."""
    model = ScriptedProvider(["one", "two", "three"])
    told: list[BudgetBreach] = []
    outer = delegating(talking(model, 3), Budget(max_chat_calls=2, on_exceeded=told.append))
    kept, stopped_by = await run(outer, Budget(max_chat_calls=50))

    assert ("done", None, 2, 1) == (kept.output, stopped_by, len(model.calls), len(told))
    inner = kept.root.only("workflow", "Inner").data
    assert ("budget", "max_chat_calls", 2) == (inner["stopped_by"], inner["exceeded"], inner["chat_calls"])
    assert "two" == next(each.content for each in kept.conversation.history if each.role == "tool")


@pytest.mark.behaviour("T272")
async def test_a_childs_wider_budget_gives_it_no_more_than_its_parent_has() -> None:
    """The parent's limit cuts the child, and with it the turn that waits for the child."""
    model = ScriptedProvider(["said"])
    kept, stopped_by = await run(delegating(talking(model, 5), Budget(max_chat_calls=50)), Budget(max_chat_calls=3))

    assert (2, "budget", None) == (len(model.calls), stopped_by, kept.output)
    assert "cancelled" == kept.root.only("tool").status


@pytest.mark.behaviour("T273", "T274")
async def test_the_parents_mode_counts_for_the_parents_limit() -> None:
    """A parent that raises raises out of the child, past the tool, and tells of it once."""
    told: list[BudgetBreach] = []
    outer = delegating(talking(ScriptedProvider(["said"]), 5), Budget(max_chat_calls=50))
    budget = Budget(max_chat_calls=3, mode="raise", on_exceeded=told.append)

    with pytest.raises(BudgetExceededError) as caught:
        await Thena(outer).run("go", budget=budget)
    assert ("max_chat_calls", 3) == (caught.value.breach.limit, caught.value.breach.allowed)
    assert 1 == len(told)


async def test_a_child_that_raises_ends_the_parents_run() -> None:
    """A budget that raises is no observation, whoever it was given to."""
    outer = delegating(talking(ScriptedProvider(["said"]), 5), Budget(max_chat_calls=1, mode="raise"))

    with pytest.raises(BudgetExceededError):
        await Thena(outer).run("go")


@pytest.mark.behaviour("W25")
async def test_a_child_that_came_to_nothing_is_no_empty_success() -> None:
    """The model is told that the nested run was stopped before it had an output."""
    kept, _ = await run(delegating(talking(ScriptedProvider(["said"]), 1), Budget(max_chat_calls=0)))

    observation = next(each for each in kept.conversation.history if each.role == "tool")
    assert observation.is_error
    assert "budget" in observation.content


@pytest.mark.behaviour("T276")
async def test_recursion_without_end_stops_at_the_top_budget() -> None:
    """A workflow whose tool starts it again and again pays what the budget of the first run allows."""
    model = ScriptedProvider([tool_call("again")])
    flows: list[type] = []

    @Tool(name="again", description="Again.")
    class Again:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> str:
            return str(await self.runtime.run(flows[0], "deeper"))

    @Agent(provider=model, prompt=Prompt("p"), tools=[Again])
    class Digging:
        pass

    @Workflow(steps=[Digging])
    class Hole:
        pass

    flows.append(Hole)
    kept, stopped_by = await run(Hole, Budget(max_chat_calls=3))

    assert (3, "budget", None) == (len(model.calls), stopped_by, kept.output)


async def test_children_at_once_share_what_their_parent_has() -> None:
    """Ten tools of one answer start ten runs, and the parent's tokens hold for all of them together."""
    model = Paying(tokens=40, worst=50)

    @Tool(name="delegate", description="Delegate.")
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> str:
            return str(await self.runtime.run(inner, "sub", budget=Budget(max_tokens=90)))

    inner = talking(model, 3)

    @Agent(provider=ScriptedProvider([[ASK] * 10]), prompt=Prompt("p"), tools=[Delegate], tool_calls="all")
    class Boss:
        pass

    @Workflow(steps=[parallel([Boss, Boss])])
    class Outer:
        pass

    kept, stopped_by = await run(Outer, Budget(max_tokens=300, max_chat_calls=1000))

    assert (280, "budget") == (model.billed, stopped_by)
    assert all(node.data["tokens"] <= 90 for node in kept.root.all("workflow", "Inner"))


async def test_a_childs_deadline_cancels_the_child_alone() -> None:
    """What the child was waiting for is cancelled, and the parent takes the next turn."""
    clock = FakeClock()
    slow = Paying(delay=60, clock=clock)
    app = Thena(delegating(talking(slow, 1), Budget(max_duration=2)), ThenaConfig(clock=clock))
    handle = app.run("go", budget=Budget(max_duration=100), observe=True)
    await clock.advance(2)

    assert ("done", None) == (await handle, handle.stopped_by)
    assert 0 == slow.billed


async def test_the_parents_deadline_reaches_into_the_child() -> None:
    """A child that could go on for longer ends with its parent."""
    clock = FakeClock()
    slow = Paying(delay=60, clock=clock)
    app = Thena(delegating(talking(slow, 1), Budget(max_duration=100)), ThenaConfig(clock=clock))
    handle = app.run("go", budget=Budget(max_duration=2))
    await clock.advance(2)

    assert (None, "budget") == (await handle, handle.stopped_by)


async def test_the_context_of_a_child_tells_of_the_nearest_budget() -> None:
    """A child with a budget counts from its own beginning; one without sees its parent's numbers."""
    seen: list[int] = []

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Asking:
        def after_response(self, response: str, ctx: Context) -> None:
            seen.append(ctx.usage().chat_calls)

    @Workflow(steps=[Asking])
    class Inner:
        pass

    await run(delegating(Inner, Budget(max_chat_calls=9)))
    await run(delegating(Inner, None))

    assert [1, 2] == seen


async def test_a_call_that_waits_for_room_hears_of_an_abort() -> None:
    """Waiting for others to be over is a wait like any other, and nothing stays counted of it."""
    clock = FakeClock()
    slow = Paying(delay=60, clock=clock)

    @Agent(provider=slow, prompt=Prompt("p"))
    class Slow:
        pass

    @Workflow(steps=[parallel([Slow] * 3)])
    class Flow:
        pass

    before = len(asyncio.all_tasks())
    handle = Thena(Flow, ThenaConfig(clock=clock)).run("go", budget=Budget(max_tokens=1000), observe=True)
    await clock.advance(1)
    assert 1 == slow.begun
    handle.abort(ValueError("enough"))
    kept = await recorded(handle, raises=ValueError)

    assert (1, before) == (kept.root.data["chat_calls"], len(asyncio.all_tasks()))


async def test_a_nested_run_that_is_given_up_as_its_call_is_let_in_takes_nothing_from_the_others() -> None:
    """The call was never begun, so that it counts nowhere, and the next one is let in."""
    clock = FakeClock()
    model = Paying(delay=2, clock=clock)

    @Tool(name="delegate", description="Delegate.")
    class Impatient:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> str:
            nested = asyncio.create_task(self.runtime.run(talking(model, 1), "sub"))
            for _ in range(20):  # until the first `Slow` has begun to wait
                await asyncio.sleep(0)
            await clock.sleep(2)
            nested.cancel()
            await asyncio.wait([nested])
            return "given up"

    @Agent(provider=ScriptedProvider([ASK]), prompt=Prompt("p"), tools=[Impatient])
    class Boss:
        pass

    @Agent(provider=model, prompt=Prompt("p"))
    class Slow:
        pass

    # The nested run's call waits for the first `Slow`, which ends at the moment at which the tool gives up.
    @Workflow(steps=[parallel([Boss, Slow]), Slow])
    class Flow:
        pass

    handle = Thena(Flow, ThenaConfig(clock=clock)).run("go", budget=Budget(max_tokens=1000), observe=True)
    await clock.advance(10)
    assert handle.done
    kept = await recorded(handle)

    assert (2, 200, 3) == (model.begun, kept.root.data["tokens"], kept.root.data["chat_calls"])
    assert 0 == kept.root.only("workflow", "Inner").data["chat_calls"]

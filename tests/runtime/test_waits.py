"""Runs that wait for each other: what would hang for ever is told at once, and what may still end is left alone."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from thena_runtime import (
    Agent,
    Budget,
    Context,
    FatalToolError,
    Prompt,
    RunHandle,
    ScriptedProvider,
    Thena,
    Tool,
    Workflow,
    WorkflowRuntime,
    parallel,
    tool_call,
)

Do = Callable[[], Awaitable[object]]


def flow(name: str, *steps: Any) -> type:
    """A workflow of these steps."""
    return Workflow(steps=steps)(type(name, (), {}))


def step(do: Do) -> type:
    """An agent whose own `run` does this."""

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Doing:
        async def run(self, text: str, ctx: Context) -> str:
            return str(await do())

    return Doing


class Runs:
    """Runs that are started together and find each other by the names of their workflows."""

    def __init__(self) -> None:
        self.handles: dict[str, RunHandle] = {}

    def start(self, name: str, *steps: Any, budget: Budget | None = None) -> RunHandle:
        """Start a run of these steps."""
        handle = self.handles[name] = Thena(flow(name, *steps)).run("go", budget=budget)
        return handle

    def waiting(self, name: str) -> Do:
        """What waits for the run of this name."""

        async def wait() -> object:
            return await self.handles[name]

        return wait

    async def ends(self) -> list[object]:
        """How each run ends: its output, or the text of its error."""
        async with asyncio.timeout(30):
            for handle in self.handles.values():
                await handle.settle()
        return [_end(handle) for handle in self.handles.values()]


def _end(handle: RunHandle) -> object:
    try:
        return handle.result
    except FatalToolError as error:
        return error.reason
    except Exception as error:
        return repr(error)


def told(subject: str, *names: str) -> str:
    """The text of the error, given the runs that are waited for, one for the other."""
    chain = ", which ".join([*(f"waits for a run of `{name}`" for name in names), "waits for this"])
    return (
        f"`{subject}` {chain}, so that none of it ever ends. Await the handles where the runs are started, and give "
        "each run what it needs of the other as its prompt, its `state` or its `data`."
    )


# -- doors


async def await_it(handle: RunHandle) -> object:
    """The plain door."""
    return await handle


async def settle_it(handle: RunHandle) -> object:
    """Wait without the outcome."""
    await handle.settle()
    return handle.stopped_by


async def gather_it(handle: RunHandle) -> object:
    """Together with others that are over before."""
    return await asyncio.gather(handle, asyncio.sleep(0))


async def gather_in_tasks(handle: RunHandle) -> object:
    """In a task in a task."""
    return await asyncio.ensure_future(gather_it(handle))


async def listen_to_events(handle: RunHandle) -> object:
    """Read what happens."""
    return [event async for event in handle.event_stream()]


async def listen_to_text(handle: RunHandle) -> object:
    """Read what is said."""
    return [token async for token in handle.text_stream()]


DOORS: dict[Callable[[RunHandle], Awaitable[object]], str] = {
    await_it: "await handle",
    settle_it: "handle.settle()",
    gather_it: "await handle",
    gather_in_tasks: "await handle",
    listen_to_events: "handle.event_stream()",
    listen_to_text: "handle.text_stream()",
}


@pytest.mark.parametrize("second", DOORS)
@pytest.mark.parametrize("first", DOORS)
async def test_two_runs_that_wait_for_each_other_are_told_so(
    first: Callable[[RunHandle], Awaitable[object]], second: Callable[[RunHandle], Awaitable[object]]
) -> None:
    """By whatever doors: the wait that closes the circle fails, and with it both runs end."""
    runs = Runs()
    runs.start("A", step(lambda: first(runs.handles["B"])))
    runs.start("B", step(lambda: second(runs.handles["A"])))
    ends = await runs.ends()

    texts = {told(DOORS[second], "A", "B"), told(DOORS[first], "B", "A")}
    assert [] != [end for end in ends if end in texts]


async def test_a_circle_of_three_names_all_of_it() -> None:
    """The text goes from the run that is waited for to the wait itself; who waits for the run that fails fails too."""
    runs = Runs()
    for name, other in (("A", "B"), ("B", "C"), ("C", "A")):
        runs.start(name, step(runs.waiting(other)))

    assert [told("await handle", "A", "B", "C")] * 3 == await runs.ends()


# -- where in a run


def in_a_tool(do: Do, *, together: int = 1) -> type:
    """An agent whose tool does this, beside others that do nothing."""

    @Tool(name="work", description="Work.")
    class Work:
        async def execute(self, does_it: bool = True) -> str:
            return str(await do()) if does_it else "nothing"

    calls = [tool_call("work", does_it=number == 0) for number in range(together)]

    @Agent(
        provider=ScriptedProvider([calls if together > 1 else calls[0]]),
        prompt=Prompt("p"),
        tools=[Work],
        tool_calls="all" if together > 1 else "first",
    )
    class Working:
        pass

    return Working


def in_a_nested_run(do: Do) -> type:
    """An agent whose tool starts a workflow that does this."""
    return in_a_tool(lambda: WorkflowRuntime().run(flow("Sub", step(do)), "x"))


def in_a_hook(do: Do) -> type:
    """An agent whose hook does this."""

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Hooked:
        async def after_response(self, response: str) -> str:
            return str(await do())

    return Hooked


async def nothing() -> str:
    """Do nothing, for a while."""
    for _ in range(20):
        await asyncio.sleep(0)
    return "nothing"


PLACES: dict[str, Callable[[Do], object]] = {
    "step": step,
    "tool": in_a_tool,
    "tools at the same time": lambda do: in_a_tool(do, together=3),
    "nested run": in_a_nested_run,
    "hook": in_a_hook,
    "workflow as a step": lambda do: flow("Inner", step(do)),
    "branch": lambda do: parallel([step(do), step(nothing)]),
    "each branch": lambda do: parallel([step(do), step(do)]),
    "branch of a branch": lambda do: parallel([parallel([step(nothing), step(do)]), step(nothing)]),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("order", ["AB", "BA"])
async def test_a_circle_is_seen_wherever_the_run_waits(place: str, order: str) -> None:
    """Where something else of the run goes on, the wait fails once that is over."""
    runs = Runs()
    steps = {"A": PLACES[place](runs.waiting("B")), "B": step(runs.waiting("A"))}
    for name in order:
        runs.start(name, steps[name])
    ends = await runs.ends()

    texts = {told("await handle", "A", "B"), told("await handle", "B", "A")}
    assert [True, True] == [end in texts for end in ends]


async def test_a_task_that_is_awaited_late_is_seen_too() -> None:
    """When the run begins to wait for it, it waits already for a run that waits for that run."""
    runs = Runs()

    async def begin_then_wait() -> object:
        task = asyncio.ensure_future(runs.waiting("B")())
        await nothing()
        return await task

    runs.start("A", step(begin_then_wait))
    runs.start("B", step(runs.waiting("A")))
    ends = await runs.ends()

    assert ends[0] in (told("await handle", "A", "B"), told("await handle", "B", "A"))
    assert ends[0] == ends[1]


async def test_a_run_and_a_task_outside_that_wait_for_each_other_are_told_so() -> None:
    """The task isn't part of any run, and is stuck all the same."""
    runs = Runs()
    task = asyncio.ensure_future(runs.waiting("A")())
    runs.start("A", step(lambda: task))

    assert [told("await handle", "A")] == await runs.ends()


async def test_a_branch_that_watches_its_own_run_is_told_where_nothing_more_comes() -> None:
    """As long as another branch goes on it gets what that one does."""
    runs = Runs()
    seen: list[str] = []

    async def watch() -> None:
        async for event in runs.handles["A"].event_stream():
            seen.append(f"{event.phase} {event.name}")

    runs.start("A", parallel([step(watch), in_a_hook(nothing)]))

    assert [told("handle.event_stream()", "A")] == await runs.ends()
    assert "end Hooked" == seen[-1]


# -- what may still end


@pytest.mark.parametrize("order", ["AB", "BA"])
async def test_a_wait_with_a_time_limit_is_no_circle(order: str) -> None:
    """The run that gives up goes on, and who waits for it gets its output, whoever came first."""
    runs = Runs()

    async def wait_a_while() -> object:
        try:
            async with asyncio.timeout(0.05):
                return await runs.handles["B"]
        except TimeoutError:
            return "gave up"

    steps = {"A": step(wait_a_while), "B": step(runs.waiting("A"))}
    for name in order:
        runs.start(name, steps[name])

    assert ["gave up", "gave up"] == await runs.ends()


@pytest.mark.parametrize("order", ["AB", "BA"])
async def test_a_run_with_a_deadline_is_no_circle(order: str) -> None:
    """Its budget ends it, and with it the wait for it."""
    runs = Runs()
    budgets = {"A": Budget(max_duration=0.05), "B": None}
    for name, other in zip(order, reversed(order), strict=True):
        runs.start(name, step(runs.waiting(other)), budget=budgets[name])
    ends = dict(zip(runs.handles, await runs.ends(), strict=True))

    assert {"A": None, "B": "None"} == ends
    assert "budget" == runs.handles["A"].stopped_by


async def test_a_task_that_nobody_awaits_may_wait_for_anything() -> None:
    """The run ends without it, and then it goes on."""
    runs = Runs()
    tasks: list[asyncio.Future[object]] = []

    async def leave() -> str:
        tasks.append(asyncio.ensure_future(runs.waiting("B")()))
        for _ in range(10):
            await asyncio.sleep(0)
        return "done"

    runs.start("A", step(leave))
    runs.start("B", step(runs.waiting("A")))

    assert ["done", "done"] == await runs.ends()
    assert "done" == await tasks[0]


async def test_a_branch_that_fails_ends_its_run_and_every_wait_for_it() -> None:
    """The wait beside it was never in vain."""
    runs = Runs()

    async def fail() -> None:
        await nothing()
        raise LookupError("not there")

    runs.start("A", parallel([step(runs.waiting("B")), step(fail)]))
    runs.start("B", step(runs.waiting("A")))

    assert ["LookupError('not there')"] * 2 == await runs.ends()


async def test_an_abort_from_outside_ends_waits_that_are_no_circle() -> None:
    """A run that waits for one that waits for something else is left alone until then."""
    runs = Runs()
    runs.start("A", step(runs.waiting("B")))
    runs.start("B", step(lambda: asyncio.sleep(600)))
    for _ in range(20):
        await asyncio.sleep(0)
    runs.handles["B"].abort("enough")

    assert ["RunAborted('enough')"] * 2 == await runs.ends()


async def test_runs_may_wait_for_others_in_any_other_figure() -> None:
    """A chain, two that wait for the same one, and one that waits for all of them."""
    runs = Runs()

    async def all_of_them() -> object:
        return await asyncio.gather(*(runs.handles[name] for name in "BCD"))

    runs.start("A", step(all_of_them))
    runs.start("B", step(runs.waiting("D")))
    runs.start("C", step(runs.waiting("B")))
    runs.start("D", step(nothing))

    assert ["['nothing', 'nothing', 'nothing']", *["nothing"] * 3] == await runs.ends()


async def test_one_event_may_be_waited_for_by_a_run_that_is_waited_for() -> None:
    """The other run gives it before it waits."""
    runs = Runs()

    async def first_chat() -> object:
        async for event in runs.handles["B"].event_stream():
            if event.kind == "tool":
                return event.name
        return None

    runs.start("A", step(first_chat))
    runs.start("B", in_a_tool(runs.waiting("A")))

    assert ["work", "work"] == await runs.ends()


async def test_a_wait_that_was_given_up_is_forgotten() -> None:
    """Two runs may wait for each other one after the other."""
    runs = Runs()

    async def look_in() -> str:
        for _ in range(3):
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.001):
                    await runs.handles["B"]
        return "looked in"

    async def then_wait() -> object:
        await nothing()
        return await runs.handles["A"]

    runs.start("A", step(look_in))
    runs.start("B", step(then_wait))

    assert ["looked in", "looked in"] == await runs.ends()


async def test_a_run_that_is_aborted_while_it_closes_a_circle_is_aborted() -> None:
    """Nothing is left over of the error that it would have been told."""
    reported: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    runs = Runs()

    async def abort_then_wait() -> object:
        runs.handles["B"].abort("enough")
        return await runs.handles["A"]

    runs.start("A", step(runs.waiting("B")))
    runs.start("B", step(abort_then_wait))
    ends = await runs.ends()

    assert ["RunAborted('enough')"] * 2 == ends
    assert [] == reported

"""Rows of the behaviour list about turns: tools that fail, loops that are stuck, branches, and the helpers."""

import asyncio
import re

import pytest

from tests.support.loopback import Answer, serving
from thena_runtime import (
    Agent,
    Context,
    LoopFailure,
    Message,
    OpenAIProvider,
    Prompt,
    ScriptedProvider,
    State,
    Thena,
    Tool,
    ToolOutput,
    Turn,
    Workflow,
    called_tool,
    loop,
    parallel,
    tool_call,
    turn_of,
    until_answered,
    was_exhausted,
)
from thena_runtime.steps import Step
from thena_runtime.testing import FakeClock, Recorded, record, recorded


@Tool(name="work", description="Work, or fail where `well` is false.")
class Work:
    """A tool that fails on demand."""

    async def execute(self, well: bool = True, round: int = 0) -> str:
        """Work."""
        if not well:
            raise ValueError("broken")
        return f"worked {round}"


@Tool(name="refuse", description="Refuse.")
class Refuse:
    """A tool that answers with a marked output."""

    async def execute(self) -> ToolOutput:
        """Refuse."""
        return ToolOutput("not today", is_error=True)


FAIL = tool_call("work", well=False)
WELL = tool_call("work")


def flow(*steps: Step, state: type | None = None) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps, state=state)
    class Flow:
        pass

    return Flow


def worker(*turns: object) -> type:
    """An agent that plays these turns and has both tools."""

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=[Work, Refuse])  # type: ignore[arg-type]
    class Worker:
        pass

    return Worker


def calls_of(run: Recorded) -> int:
    """How often a model was called."""
    return len(run.root.all("chat"))


# -- falhas-de-tool


@pytest.mark.behaviour("T194")
async def test_an_output_that_is_marked_as_an_error_is_an_observation() -> None:
    """The model is told its text, and the run goes on."""
    run = await record(flow(worker(tool_call("refuse"))))

    last = run.conversation.history[-1]
    assert ("not today", True) == (last.content, last.is_error)
    assert "not today" == run.output


@pytest.mark.behaviour("T197", "T383")
@pytest.mark.parametrize(
    ("well", "text", "status"),
    [
        ("true", r"worked 0", "ok"),
        (
            '"maybe"',
            r"invalid arguments for tool `work`: well: .* \(the call was found in the text of the answer\)",
            "error",
        ),
    ],
)
async def test_a_call_that_was_found_in_the_text_says_so(well: str, text: str, status: str) -> None:
    """The turn's source is `rescued`, and arguments that don't fit are told with a remark."""
    content = f'{{"name": "work", "arguments": {{"well": {well}}}}}'
    seen: list[Turn | None] = []
    async with serving(Answer(body={"choices": [{"message": {"content": content}}]})) as server:

        @Agent(provider=OpenAIProvider("m", base_url=server.url, api_key="k"), prompt=Prompt("p"), tools=[Work])
        class Small:
            pass

        run = await record(flow(Small, looking(lambda ctx: seen.append(turn_of(ctx)))))

    [turn] = seen
    assert turn is not None
    assert ("work", "rescued") == (turn.tool_name, turn.tool_call_source)
    assert re.fullmatch(text, turn.response)
    assert status == run.root.only("tool").status


@pytest.mark.behaviour("T200")
async def test_an_agent_in_a_loop_corrects_itself() -> None:
    """It fails once, corrects the call, and answers."""
    run = await record(flow(loop([worker(FAIL, WELL, "done")], until=until_answered)))

    assert ("done", 3) == (run.output, calls_of(run))
    assert ["error", "ok"] == [node.status for node in run.root.all("tool")]


# -- loop-com-tool-quebrada


@pytest.mark.behaviour("T248")
async def test_five_failures_in_a_row_end_a_loop_without_any_setting() -> None:
    """`max_fails` is 5."""
    turns = [tool_call("work", well=False, round=number) for number in range(9)]
    run = await record(flow(loop([worker(*turns)], until=until_answered)))

    assert 5 == calls_of(run)
    assert "fails" == run.root.only("loop").data["stopped_by"]


@pytest.mark.behaviour("T249")
async def test_ten_iterations_end_a_loop_without_any_setting() -> None:
    """`max_iterations` is 10."""
    turns = [tool_call("work", round=number) for number in range(20)]
    run = await record(flow(loop([worker(*turns)], until=until_answered)))

    assert 10 == calls_of(run)
    assert "exhausted" == run.root.only("loop").data["stopped_by"]


@pytest.mark.behaviour("T250")
async def test_only_failures_in_a_row_count() -> None:
    """Four failures, never three in a row, pass `max_fails=3`."""
    run = await record(flow(loop([worker(FAIL, FAIL, WELL, FAIL, FAIL, "done")], until=until_answered, max_fails=3)))

    assert ("done", 6) == (run.output, calls_of(run))


@pytest.mark.behaviour("T251", "T252")
async def test_a_success_begins_the_row_again_and_not_the_total() -> None:
    """`on_fail` is told of each failure before any cut: how many in a row, how many in all, the tool and its text."""
    told: list[LoopFailure] = []
    body = worker(FAIL, WELL, FAIL, FAIL, "never")
    steps = loop([body], until=until_answered, max_fails=2, on_fail=lambda ctx, failure: told.append(failure))
    run = await record(flow(steps))

    assert [
        LoopFailure(consecutive=1, total=1, tool_name="work", message="broken"),
        LoopFailure(consecutive=1, total=2, tool_name="work", message="broken"),
        LoopFailure(consecutive=2, total=3, tool_name="work", message="broken"),
    ] == told
    assert "fails" == run.root.only("loop").data["stopped_by"]


@pytest.mark.behaviour("T253", "T337")
async def test_the_loops_node_says_why_it_ended_and_how_often_it_failed() -> None:
    """A loop that failures end isn't exhausted."""
    seen: list[bool] = []
    after = looking(lambda ctx: seen.append(was_exhausted(ctx)))
    run = await record(flow(loop([worker(FAIL)], until=until_answered, max_fails=3), after))

    data = run.root.only("loop").data
    assert ("fails", 3, 3) == (data["stopped_by"], data["fails"], data["iterations"])
    assert [False] == seen


def looking(look: object) -> type:
    """An agent whose first hook does this with the context."""

    @Agent(provider=ScriptedProvider(["looked"]), prompt=Prompt("p"))
    class Looking:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            look(ctx)  # type: ignore[operator]

    return Looking


@pytest.mark.behaviour("T255")
async def test_an_inner_loop_begins_to_count_anew_each_time() -> None:
    """Three failures in each of two outer rounds: six calls, where one count for both would stop at three."""
    turns = [tool_call("work", well=False, round=number) for number in range(9)]
    inner = loop([worker(*turns)], until=until_answered, max_fails=3)
    run = await record(flow(loop([inner], until=lambda ctx: False, max_iterations=2, max_repeats=None)))

    assert 6 == calls_of(run)
    assert ["exhausted", "fails", "fails"] == [node.data["stopped_by"] for node in run.root.all("loop")]


# -- contexto-de-execucao, a stop inside a loop


@pytest.mark.behaviour("T174")
async def test_a_stop_inside_a_loop_ends_it_after_the_turn() -> None:
    """The loop's node says so."""

    @Agent(provider=ScriptedProvider(["once", "never"]), prompt=Prompt("p"))
    class Stopping:
        def after_response(self, response: str, ctx: Context) -> None:
            ctx.stop()

    run = await record(flow(loop([Stopping], until=lambda ctx: False)))

    assert ("once", "stop") == (run.output, run.root.only("loop").data["stopped_by"])


# -- parallel


def branch(name: str, seconds: float, clock: FakeClock) -> tuple[type, ScriptedProvider]:
    """An agent that answers with its name after some seconds, and its model."""
    provider = ScriptedProvider([name], seconds, clock=clock)

    @Agent(provider=provider, prompt=Prompt(name))
    class Branch:
        def after_response(self, response: str, ctx: Context) -> None:
            ctx.data.append(response)

    return Branch, provider


@pytest.mark.behaviour("T294", "T295", "T296", "T297", "T298")
async def test_branches_go_at_the_same_time_and_the_chain_goes_on() -> None:
    """The faster one ends first, each reads the same input, and who comes after sees both in their declared order."""
    clock = FakeClock()
    slow, slow_model = branch("slow", 2, clock)
    fast, fast_model = branch("fast", 1, clock)
    before, after = ScriptedProvider(["before"]), ScriptedProvider(["after"])

    @Agent(provider=before, prompt=Prompt("p"))
    class Before:
        pass

    outputs: list[str | None] = []

    @Agent(provider=after, prompt=Prompt("p"))
    class After:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            outputs.append(ctx.output)

    ended: list[str] = []
    handle = Thena(flow(Before, parallel([slow, fast]), After)).run("go", data=ended)
    await clock.advance(2)
    run = await recorded(handle)

    assert ["fast", "slow"] == ended
    assert [message.content for message in slow_model.calls[0].messages[1:]] == ["go", "before"]
    assert [message.content for message in fast_model.calls[0].messages[1:]] == ["go", "before"]
    assert ["go", "before", "slow", "fast"] == [message.content for message in after.calls[0].messages[1:]]
    assert ["fast"] == outputs
    assert "after" == run.output
    assert [1, 1] == [len(model.calls) for model in (before, after)]


@pytest.mark.behaviour("T299")
async def test_an_error_in_any_branch_fails_the_block() -> None:
    """The very error is raised."""
    raised = ConnectionError("gone")
    run = await record(flow(parallel([worker("fine"), worker(raised)])), raises=ConnectionError)

    assert run.error is raised
    assert "error" == run.root.only("parallel").status


# -- steps-helpers


async def turn_after(*turns: object) -> tuple[Turn | None, bool]:
    """What the helpers say after one turn."""
    seen: list[tuple[Turn | None, bool]] = []
    await record(flow(worker(*turns), looking(lambda ctx: seen.append((turn_of(ctx), called_tool(ctx))))))
    return seen[0]


@pytest.mark.behaviour("T380", "T381", "T382")
@pytest.mark.parametrize(
    ("said", "turn"),
    [
        ("hello", Turn(called_tool=False, response="hello")),
        (WELL, Turn(called_tool=True, tool_name="work", tool_call_source="native", response="worked 0")),
        (
            FAIL,
            Turn(called_tool=True, tool_name="work", tool_error=True, tool_call_source="native", response="broken"),
        ),
    ],
    ids=["answer", "tool", "failing tool"],
)
async def test_the_helpers_tell_of_the_last_turn(said: object, turn: Turn) -> None:
    """An answer, a tool's result, a tool's failure."""
    assert (turn, turn.called_tool) == await turn_after(said)


@pytest.mark.behaviour("T384")
async def test_before_any_turn_there_is_none() -> None:
    """`turn_of` is `None`, and nothing was called."""
    seen: list[object] = []
    await record(flow(looking(lambda ctx: seen.extend([turn_of(ctx), called_tool(ctx), was_exhausted(ctx)]))))

    assert [None, False, False] == seen


@pytest.mark.behaviour("T385")
async def test_until_answered_goes_on_while_tools_are_called() -> None:
    """Two tools and an answer are three calls."""
    run = await record(flow(loop([worker(WELL, tool_call("work", round=1), "done")], until=until_answered)))

    assert ("done", 3) == (run.output, calls_of(run))


@pytest.mark.behaviour("T386", "W24")
async def test_an_empty_answer_is_an_answer() -> None:
    """One call, and the output is the empty text."""
    run = await record(flow(loop([worker("", "never")], until=until_answered)))

    assert ("", 1) == (run.output, calls_of(run))


@pytest.mark.behaviour("T387", "T388", "T389")
@pytest.mark.parametrize(("turns", "exhausted"), [((WELL, "done"), False), ((WELL,), True)])
async def test_was_exhausted_tells_later_how_the_loop_ended(turns: tuple[object, ...], exhausted: bool) -> None:
    """True after a loop that its ceiling ended, false after one that `until` ended; `on_exhausted` gets the number."""
    seen: list[bool] = []
    told: list[int] = []
    steps = loop(
        [worker(*turns)], until=until_answered, max_iterations=3, on_exhausted=lambda ctx, count: told.append(count)
    )
    await record(flow(steps, looking(lambda ctx: seen.append(was_exhausted(ctx)))))

    assert ([exhausted], [3] if exhausted else []) == (seen, told)


@pytest.mark.behaviour("T390")
async def test_the_prompt_is_the_first_message_of_the_user() -> None:
    """What `run` is given is what the model reads."""
    run = await record(flow(worker("hello")), "Good morning")

    assert Message("user", "Good morning") == run.conversation.history[0]


# -- inject


@pytest.mark.behaviour("T224")
async def test_states_of_runs_at_once_are_apart() -> None:
    """Two runs that interleave count each for itself."""

    class Count:
        turns = 0

    @Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("p"))
    class Counting:
        def __init__(self, s: State[Count]) -> None:
            self.s = s

        async def after_response(self, response: str) -> str:
            self.s.turns += 1
            await asyncio.sleep(0)
            return str(self.s.turns)

    app = Thena(flow(loop([Counting], until=lambda ctx: False, max_iterations=3, max_repeats=None), state=Count))

    assert ["3", "3"] == list(await asyncio.gather(app.run("a"), app.run("b")))

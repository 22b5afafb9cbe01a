"""Rows of the behaviour list about apps: what they are, and how their runs stand beside each other."""

import asyncio
from contextlib import suppress

import pytest

from thena_runtime import (
    Agent,
    Budget,
    Context,
    ContractError,
    Event,
    Prompt,
    RunAborted,
    ScriptedProvider,
    Thena,
    ThenaConfig,
    Tool,
    Workflow,
    current_context,
    tool_call,
)
from thena_runtime.steps import Step
from thena_runtime.testing import FakeClock, record, recorded


def flow(*steps: Step) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps)
    class Flow:
        pass

    return Flow


def speaker(*turns: object) -> type:
    """An agent that plays these turns."""

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("You speak."))  # type: ignore[arg-type]
    class Speaker:
        pass

    return Speaker


# -- smoke


@pytest.mark.behaviour("T378", "T379")
async def test_one_agent_answers_with_one_call_and_its_prompt_is_the_system_message() -> None:
    """The smallest workflow there is."""
    provider = ScriptedProvider(["hello"])

    @Agent(provider=provider, prompt=Prompt("You greet."))
    class Greeter:
        pass

    assert "hello" == (await record(flow(Greeter))).output
    assert [("system", "You greet.")] == [(call.messages[0].role, call.messages[0].content) for call in provider.calls]


# -- app-run


@pytest.mark.behaviour("T131")
async def test_a_run_gives_its_output_and_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Without `log` nothing of a run reaches stdout or stderr."""
    assert "hello" == await Thena(flow(speaker("hello"))).run("go")
    assert ("", "") == capsys.readouterr()


@pytest.mark.behaviour("T132")
async def test_a_failing_run_raises_the_very_error_and_prints_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever awaits the handle gets the error that was raised; the process goes on."""
    raised = ConnectionError("gone")
    with pytest.raises(ConnectionError) as caught:
        await Thena(flow(speaker(raised))).run("go")

    assert caught.value is raised
    assert ("", "") == capsys.readouterr()


@pytest.mark.behaviour("T133")
async def test_an_app_goes_on_after_a_run_that_failed() -> None:
    """One run's failure is its own."""
    app = Thena(flow(speaker(ConnectionError("gone"), "hello", "again")))
    with pytest.raises(ConnectionError):
        await app.run("go")

    assert ("hello", "again") == (await app.run("go"), await app.run("go"))


@pytest.mark.behaviour("T134")
async def test_a_runs_own_log_takes_the_place_of_the_apps_for_that_run_alone() -> None:
    """The next run logs as the app says."""
    of_app: list[Event] = []
    of_run: list[Event] = []
    app = Thena(flow(speaker("hello")), ThenaConfig(log=of_app.append))
    first = app.run("go", log=of_run.append)
    await first
    second = app.run("go")
    await second

    assert {first.run_id} == {event.run_id for event in of_run}
    assert {second.run_id} == {event.run_id for event in of_app}


# -- thena-create


@pytest.mark.behaviour("T404")
def test_an_app_is_made_at_once_and_without_an_event_loop() -> None:
    """`Thena(...)` waits for nothing and returns the app."""
    app = Thena(flow(speaker("hello")))

    assert isinstance(app, Thena)
    assert "hello" == app.run_sync("go")


# -- isolation


@pytest.mark.behaviour("T228", "T277")
async def test_a_budget_of_one_app_does_not_cut_another() -> None:
    """Two apps that run at the same time spend what is theirs."""
    poor = Thena(flow(*[speaker("a")] * 3), ThenaConfig(budget=Budget(max_chat_calls=1)))
    rich = Thena(flow(*[speaker("b")] * 3))
    one, three = await asyncio.gather(recorded(poor.run("go")), recorded(rich.run("go")))

    assert (1, 3) == tuple(run.root.data["chat_calls"] for run in (one, three))


@pytest.mark.behaviour("T229")
async def test_logs_of_apps_that_run_at_the_same_time_stay_apart() -> None:
    """Each log has the events of one run, and they differ."""
    logs: list[list[Event]] = [[], []]
    apps = [Thena(flow(speaker("x")), ThenaConfig(log=log.append)) for log in logs]
    await asyncio.gather(*(app.run("go") for app in apps))

    [first], [second] = ({event.run_id for event in log} for log in logs)
    assert first != second
    assert [6, 6] == [len(log) for log in logs]


@pytest.mark.behaviour("T231")
async def test_closing_one_app_does_not_silence_another() -> None:
    """A run of the other one goes on and is told of."""
    clock = FakeClock()
    seen: list[Event] = []
    closing = Thena(flow(speaker("x")))
    going = Thena(flow(speaker_that_waits(clock)), ThenaConfig(log=seen.append))
    handle = going.run("go")
    await clock.advance(0)
    await closing.close()
    await clock.advance(1)

    assert "late" == await handle
    assert 6 == len(seen)


@pytest.mark.behaviour("W13")
async def test_closing_waits_no_longer_than_it_is_told_to() -> None:
    """A tool that hears nothing of an abort doesn't keep the app; nothing more can be started afterwards."""
    clock = FakeClock()
    release = asyncio.Event()

    @Tool(name="deaf", description="Hear nothing.")
    class Deaf:
        async def execute(self) -> str:
            while not release.is_set():
                with suppress(asyncio.CancelledError):
                    await release.wait()
            return "still here"

    app = Thena(flow(calling("deaf", Deaf)), ThenaConfig(clock=clock))
    handle = app.run("go")
    await clock.advance(0)
    closing = asyncio.create_task(app.close(timeout=5))
    await clock.advance(4.9)
    assert not closing.done()
    await clock.advance(0.1)
    assert closing.done()
    await closing
    assert not handle.done

    with pytest.raises(RuntimeError, match="the app was closed"):
        app.run("go")
    release.set()
    await recorded(handle, raises=RunAborted)


def speaker_that_waits(clock: FakeClock) -> type:
    """An agent whose model takes a second of this clock."""

    @Agent(provider=ScriptedProvider(["late"], 1, clock=clock), prompt=Prompt("p"))
    class Waiting:
        pass

    return Waiting


@pytest.mark.behaviour("T232", "T360")
async def test_two_runs_of_an_app_have_two_ids() -> None:
    """Neither is empty, and each is that of its own events."""
    app = Thena(flow(speaker("x")))
    first, second = await record(app), await record(app)

    ids = [{event.run_id for event in run.events} for run in (first, second)]
    assert [1, 1] == [len(each) for each in ids]
    assert 2 == len(ids[0] | ids[1])
    assert "" not in ids[0] | ids[1]


# -- context-duas-portas


@pytest.mark.behaviour("T160")
async def test_both_doors_lead_to_the_same_context_inside_a_tool() -> None:
    """What a parameter is given is what `current_context()` returns: the same state, the same run."""
    seen: list[bool] = []

    @Tool(name="look", description="Look.")
    class Look:
        async def execute(self, ctx: Context) -> None:
            seen.append(ctx is current_context())

    await record(flow(calling("look", Look)))

    assert [True] == seen


def calling(name: str, tool: object, *then: object, **args: object) -> type:
    """An agent that calls a tool, and then plays other turns."""
    turns = [tool_call(name, **args), *then]

    @Agent(provider=ScriptedProvider(turns), prompt=Prompt("p"), tools=[tool])  # type: ignore[list-item]
    class Caller:
        pass

    return Caller


@pytest.mark.behaviour("T161", "T153")
async def test_a_provider_factory_reads_the_runs_data() -> None:
    """It is called once for each run, inside the run, and may choose the model by its data."""

    def model() -> ScriptedProvider:
        return ScriptedProvider([f"of {current_context().data}"])

    @Agent(provider=model, prompt=Prompt("p"))
    class Tenant:
        pass

    app = Thena(flow(Tenant))

    assert ["of a", "of b"] == [await app.run("go", data="a"), await app.run("go", data="b")]


@pytest.mark.behaviour("T164", "T163")
async def test_a_context_is_nothing_to_wait_for() -> None:
    """Awaiting it by mistake raises at once, and it can be looked at."""
    seen: list[object] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Confused:
        async def before_prompt(self, prompt: str, ctx: Context) -> None:
            seen.append(repr(ctx))
            with pytest.raises(TypeError, match="await"):
                await ctx  # type: ignore[misc]

    run = await record(flow(Confused))

    assert [f"<Context of run {run.events[0].run_id}>"] == seen


@pytest.mark.behaviour("T165", "T166", "T154")
@pytest.mark.parametrize("together", [False, True])
async def test_each_run_reads_its_own_data_through_the_second_door(together: bool) -> None:
    """One after the other, or at the same time and across awaits: `current_context()` is that of the own run."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Reading:
        async def after_response(self, response: str) -> str:
            before = current_context().data
            for _ in range({"a": 5, "b": 1, "c": 3}[before]):
                await asyncio.sleep(0)
            return f"{before} {current_context().data}"

    app = Thena(flow(Reading))
    if together:
        outputs = list(await asyncio.gather(*(app.run("go", data=name) for name in "abc")))
    else:
        outputs = [await app.run("go", data=name) for name in "abc"]

    assert ["a a", "b b", "c c"] == outputs


# -- contexto-de-execucao


@pytest.mark.behaviour("T167", "T168", "T149")
async def test_a_tools_context_has_the_conversation_the_data_and_the_runs_id() -> None:
    """What a tool is given is the run's context."""
    seen: list[object] = []

    @Tool(name="look", description="Look.")
    class Look:
        async def execute(self, ctx: Context) -> None:
            seen.extend([[message.content for message in ctx.state.history], ctx.data, ctx.run_id])

    handle = Thena(flow(calling("look", Look))).run("hello", data={"account": "acme"})
    await handle

    assert [["hello"], {"account": "acme"}, handle.run_id] == seen


@pytest.mark.behaviour("T176")
async def test_clean_ups_of_a_tool_that_fails_are_done() -> None:
    """What was registered before the failure is done at the end of the run."""
    done: list[str] = []

    @Tool(name="open", description="Open.")
    class Open:
        async def execute(self, ctx: Context) -> None:
            ctx.on_dispose(lambda: done.append("closed"))
            raise OSError("broken")

    run = await record(flow(calling("open", Open)))

    assert (["closed"], "broken") == (done, run.output)


@pytest.mark.behaviour("T180")
def test_notes_cost_nothing_and_do_nothing_where_nobody_watches() -> None:
    """`ctx.meta` in a run without any listener is no error."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Noting:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            ctx.meta(mood="good")

    assert "ok" == Thena(flow(Noting)).run_sync("go")


@pytest.mark.behaviour("T152")
async def test_without_data_there_is_an_empty_dict() -> None:
    """`ctx.data` can always be read."""
    seen: list[object] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Reading:
        def before_prompt(self, prompt: str, ctx: Context) -> None:
            seen.append(ctx.data)

    await record(flow(Reading))

    assert [{}] == seen


@pytest.mark.behaviour("W12")
async def test_a_run_that_can_not_begin_raises_where_it_is_called() -> None:
    """No prompt, a misspelt option and a prompt that is no text are told at once, and the model is never asked."""
    provider = ScriptedProvider(["ok"])

    @Agent(provider=provider, prompt=Prompt("p"))
    class Asked:
        pass

    app = Thena(flow(Asked))
    with pytest.raises(TypeError, match="prompt"):
        app.run()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="promt"):
        app.run("go", promt="x")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"`prompt` is of type `dict`. Give a string"):
        app.run({"message": "go"})  # type: ignore[arg-type]
    await app.close()

    assert [] == provider.calls


# -- decorators


@pytest.mark.behaviour("T191")
def test_a_tool_that_is_no_tool_is_refused_by_name() -> None:
    """The class is named, and what it needs."""

    class Bare:
        def execute(self) -> None: ...

    with pytest.raises((ContractError, ValueError), match="Bare"):
        Thena(flow(calling("bare", Bare)))


@pytest.mark.behaviour("T192")
def test_a_tool_without_execute_is_refused_by_name() -> None:
    """The class is named, and the method that it lacks."""

    @Tool(name="empty", description="Do nothing.")
    class Empty:
        pass

    with pytest.raises((ContractError, ValueError), match=r"`Empty`.*execute"):
        Thena(flow(calling("empty", Empty)))


@pytest.mark.behaviour("T189", "T190", "W30")
def test_what_is_not_declared_is_refused_by_name() -> None:
    """A step that is no agent, and an app of what is no workflow."""

    class Bare:
        pass

    with pytest.raises(ContractError, match=r"THN101.*`Bare`"):
        Thena(flow(Bare))
    with pytest.raises(TypeError, match="`Bare` is no workflow"):
        Thena(Bare)

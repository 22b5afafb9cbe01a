"""What only a run can show: the texts of the errors, word for word, and what they carry."""

import copy
import pickle
from collections.abc import Awaitable

import pytest

from tests.support.paying import Paying
from thena_contract.catalogue import FAULTS
from thena_runtime import (
    Agent,
    Budget,
    BudgetExceededError,
    Context,
    FatalToolError,
    OutputError,
    OutsideRunError,
    Prompt,
    ProviderError,
    RunAborted,
    RunStoppedError,
    ScriptedProvider,
    Thena,
    Tool,
    Workflow,
    WorkflowRuntime,
    current_context,
    tool_call,
)
from thena_runtime.errors import RunFaultError


def flow(*agents: type) -> type:
    """A workflow `Flow` of these steps."""

    @Workflow(steps=list(agents))
    class Flow:
        pass

    return Flow


def agent(*turns: object, **options: object) -> type:
    """An agent `A` whose model answers with these turns."""
    options = {"provider": ScriptedProvider(turns or ["a"]), "prompt": Prompt("p"), **options}  # type: ignore[arg-type]
    return Agent(**options)(type("A", (), {}))  # type: ignore[call-overload, no-any-return]


async def raised(run: Awaitable[object]) -> RunFaultError:
    """What a run raises."""
    with pytest.raises(RunFaultError) as caught:
        await run
    return caught.value


async def test_a_spent_budget_says_which_limit_it_was() -> None:
    """The limit as it was written, what was spent of it, and the two ways out."""
    error = await raised(Thena(flow(agent("a"), agent("b"))).run("", budget=Budget(max_chat_calls=1, mode="raise")))
    text = (
        "[thena] THN701 `max_chat_calls=1` of the budget doesn't allow more (1 spent). "
        "Raise the limit, or let the run end where it is with `mode='stop'`."
    )
    assert (BudgetExceededError, "THN701", text) == (type(error), error.code, str(error))


@pytest.mark.parametrize(
    ("limits", "limit", "wanted"),
    [
        (Budget(max_tokens=10), "max_tokens=10", "its usage"),
        (Budget(max_cost_usd=0.5), "max_cost_usd=0.5", "its prices"),
    ],
)
async def test_a_limit_that_can_not_be_kept_has_a_code_of_its_own(limits: Budget, limit: str, wanted: str) -> None:
    """It is a mistake of another kind, with another repair, though whoever catches a spent budget catches it too."""
    error = await raised(Thena(flow(agent(provider=Paying(reports=False)))).run("", budget=limits))
    text = (
        f"[thena] THN707 `{limit}` of the budget can't be kept, because the provider doesn't say what a call takes. "
        f"Use a provider that tells {wanted}, or limit the calls with `max_chat_calls`."
    )
    assert isinstance(error, BudgetExceededError)
    assert ("THN707", text) == (error.code, str(error))


def test_outside_a_run_the_place_is_named() -> None:
    """What was used, and where it can be."""
    with pytest.raises(OutsideRunError) as caught:
        current_context()
    assert (
        "[thena] THN702 `current_context()` is used outside a run. "
        "Use it in an agent, a tool, a hook or a provider factory, while `app.run(...)` goes on."
    ) == str(caught.value)


async def test_outside_an_own_step_the_place_is_named() -> None:
    """A model is called by an agent that does the whole step itself, and by nobody else."""

    @Agent(provider=ScriptedProvider(["a"]), prompt=Prompt("p"))
    class Asking:
        async def before_prompt(self, prompt: str, ctx: Context) -> None:
            await ctx.chat()

    error = await raised(Thena(flow(Asking)).run(""))
    text = (
        "[thena] THN702 `ctx.chat` is used outside an agent's own `run`. "
        "Use it in the method `run(self, input, ctx)` of an agent, which then does the whole step."
    )
    assert ("THN702", text) == (error.code, str(error))


async def test_a_provider_speaks_for_itself() -> None:
    """Its text is shown as it is, behind the code."""
    failing = agent(ProviderError("`Model` is busy. Call again later.", status=503, retryable=True))
    error = await raised(Thena(flow(failing)).run(""))
    assert ("THN703", "[thena] THN703 `Model` is busy. Call again later.") == (error.code, str(error))


@Tool(name="save", description="Save.")
class Save:
    """A tool that ends every run."""

    async def execute(self) -> str:
        """Raise."""
        raise FatalToolError("the disk is full")


async def test_a_fatal_tool_is_named() -> None:
    """The tool that was called, and what it says."""
    run = Thena(flow(agent(tool_call("save"), tools=[Save]))).run("")
    error = await raised(run)
    assert isinstance(error, FatalToolError)
    assert ("THN704", "save", "the disk is full") == (error.code, error.tool, error.reason)
    assert "[thena] THN704 `save` ends the run: the disk is full" == str(error)
    seen = {event.kind: event.error async for event in run.event_stream() if event.phase == "end"}
    assert dict.fromkeys(["tool", "chat", "agent", "workflow"], f"FatalToolError: {error}") == seen


async def test_a_fatal_tool_of_a_nested_run_is_named_itself() -> None:
    """And not the tool that started the run in which it was called."""
    inner = flow(agent(tool_call("save"), tools=[Save]))

    @Tool(name="delegate", description="Delegate.")
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> object:
            return await self.runtime.run(inner, "go")

    error = await raised(Thena(flow(agent(tool_call("delegate"), tools=[Delegate]))).run(""))
    assert "[thena] THN704 `save` ends the run: the disk is full" == str(error)


async def test_a_tool_that_starts_what_can_not_be_is_named() -> None:
    """A wrong call of the nested runtime ends the run, with the tool that made it as the subject."""

    @Tool(name="delegate", description="Delegate.")
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self) -> object:
            return await self.runtime.run(flow(agent("a")), 3)  # type: ignore[arg-type]

    error = await raised(Thena(flow(agent(tool_call("delegate"), tools=[Delegate]))).run(""))
    assert (
        "[thena] THN704 `delegate` ends the run: the nested run of `Flow` got a prompt of type `int`. Give it a string."
    ) == str(error)


async def test_what_ends_the_run_outside_a_tool_names_itself() -> None:
    """A hook has no tool, and a subclass its own name."""

    class DiskError(FatalToolError):
        pass

    @Agent(provider=ScriptedProvider(["a"]), prompt=Prompt("p"))
    class Ending:
        def after_response(self, response: str) -> None:
            raise DiskError

    error = await raised(Thena(flow(Ending)).run(""))
    assert "[thena] THN704 `DiskError` ends the run: no reason is given" == str(error)


@pytest.mark.parametrize(
    ("reason", "text"),
    [("seen enough", "seen enough"), (None, "no reason is given"), (404, "404")],
)
async def test_an_abort_says_why(reason: object, text: str) -> None:
    """The reason as text, or that there is none."""
    handle = Thena(flow(agent("a"))).run("")
    handle.abort(reason)
    error = await raised(handle)
    assert isinstance(error, RunAborted)
    assert ("THN705", reason) == (error.code, error.reason)
    assert f"[thena] THN705 `app.run(...)` is aborted: {text}" == str(error)


async def test_an_output_of_another_type_names_who_gave_it() -> None:
    """The agent whose model was asked twice, what doesn't fit, and the repair."""
    from pydantic import BaseModel

    class Verdict(BaseModel):
        approved: bool

    error = await raised(Thena(flow(agent("yes", output=Verdict))).run(""))
    assert isinstance(error, OutputError)
    assert "THN706" == error.code
    before, after = str(error).split("the answer still doesn't fit: ")
    assert "[thena] THN706 `A` gives no `Verdict`: its model was asked twice, and " == before
    assert after.endswith("Say in the prompt what each field means, or use another model.")


async def test_an_error_outlives_the_process_that_raised_it() -> None:
    """Pickled and copied, each says the same and carries the same."""
    errors: list[Exception] = [
        await raised(Thena(flow(agent("a"))).run("", budget=Budget(max_chat_calls=0, mode="raise"))),
        await raised(Thena(flow(agent(provider=Paying(reports=False)))).run("", budget=Budget(max_tokens=1))),
        await raised(Thena(flow(agent(tool_call("save"), tools=[Save]))).run("")),
        ProviderError("`Model` is busy.", status=503, body="busy", retryable=True),
        RunAborted("seen enough"),
        RunStoppedError("Inner", "budget"),
    ]
    with pytest.raises(OutsideRunError) as caught:
        current_context()
    for error in [*errors, caught.value]:
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            assert (type(error), str(error), vars(error)) == (type(again), str(again), vars(again))


def test_every_error_of_a_run_has_the_code_of_its_fault() -> None:
    """An error is told apart by its class, or by a code that its fault has too."""

    def below(kind: type[RunFaultError]) -> set[type[RunFaultError]]:
        return {kind}.union(*(below(each) for each in kind.__subclasses__()))

    codes = {each.code for each in below(RunFaultError) - {RunFaultError}}
    assert {code for code in FAULTS if code.startswith("THN7")} == codes

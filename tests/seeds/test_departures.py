"""Where Thena deliberately departs from the seed pages, and from what on them: these and no others."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from thena_runtime import (
    Agent,
    Budget,
    BudgetExceededError,
    Context,
    ContractError,
    FatalToolError,
    Message,
    Prompt,
    RunAborted,
    ScriptedProvider,
    State,
    Thena,
    ThenaConfig,
    Tool,
    VectorMemory,
    Workflow,
    parallel,
    tool_call,
)
from thena_runtime.memory.store import Distance, Hit, Record, Search, Selection
from thena_runtime.steps import Step
from thena_runtime.testing import FakeClock, record, recorded


def flow(*steps: Step, state: type | None = None) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps, state=state)
    class Flow:
        pass

    return Flow


# -- O ciclo de uma execução, "qualquer throw acima → onError" (any throw above goes to `on_error`)


@pytest.mark.behaviour("T366")
async def test_on_error_never_sees_a_cancellation() -> None:
    """Departs from Hooks, "onError" ("Pega qualquer coisa lançada no turno", it catches anything): an aborted run can't
    be turned into a result."""
    clock = FakeClock()
    asked: list[Exception] = []

    @Agent(provider=ScriptedProvider(["never"], 60, clock=clock), prompt=Prompt("p"))
    class Recovering:
        def on_error(self, error: Exception) -> str:
            asked.append(error)
            return "all is well"

    handle = Thena(flow(Recovering)).run("go")
    await clock.advance(1)
    handle.abort("enough")
    await recorded(handle, raises=RunAborted)

    assert [] == asked


@pytest.mark.behaviour("T198", "W16")
async def test_on_error_never_sees_a_fatal_tool_error() -> None:
    """Departs from Hooks, "onError": a tool that ends the run ends it."""
    asked: list[Exception] = []

    @Tool(name="act", description="Act.")
    class Act:
        async def execute(self) -> None:
            raise FatalToolError("the disk is full")

    @Agent(provider=ScriptedProvider([tool_call("act")]), prompt=Prompt("p"), tools=[Act])
    class Recovering:
        def on_error(self, error: Exception) -> str:
            asked.append(error)
            return "all is well"

    await record(flow(Recovering), raises=FatalToolError)

    assert [] == asked


@pytest.mark.behaviour("W16")
async def test_on_error_never_sees_a_spent_budget() -> None:
    """Departs from Hooks, "onError": a budget that raises ends the run, wherever in the turn it does."""
    asked: list[Exception] = []

    @Tool(name="act", description="Act.")
    class Act:
        async def execute(self) -> None:
            pass

    @Agent(provider=ScriptedProvider([tool_call("act")]), prompt=Prompt("p"), tools=[Act])
    class Recovering:
        def on_error(self, error: Exception) -> str:
            asked.append(error)
            return "all is well"

    handle = Thena(flow(Recovering)).run("go", budget=Budget(max_tool_calls=0, mode="raise"))
    await recorded(handle, raises=BudgetExceededError)

    assert [] == asked


@pytest.mark.behaviour("T193", "T203")
async def test_an_exception_in_execute_is_an_observation_and_never_reaches_on_error() -> None:
    """Departs from "qualquer throw acima → onError": what a tool raises is told to the model instead."""
    asked: list[Exception] = []

    @Tool(name="act", description="Act.")
    class Act:
        async def execute(self) -> None:
            raise ValueError("try another way")

    @Agent(provider=ScriptedProvider([tool_call("act")]), prompt=Prompt("p"), tools=[Act])
    class Recovering:
        def on_error(self, error: Exception) -> str:
            asked.append(error)
            return "all is well"

    run = await record(flow(Recovering))

    last = run.conversation.history[-1]
    assert ("tool", "try another way", True) == (last.role, last.content, last.is_error)
    assert [] == asked


# -- O ciclo de uma execução, `parallel` "sobre o mesmo estado" (on the same state)


@pytest.mark.behaviour("W2")
async def test_branches_have_a_history_of_their_own() -> None:
    """Departs from "Todos os passos de um workflow compartilham o mesmo estado" (all steps share it): a branch
    of a `parallel` doesn't see what its sibling says meanwhile; afterwards everybody sees both, in their order."""
    clock = FakeClock()
    slow = ScriptedProvider(["slow"])

    @Agent(provider=ScriptedProvider(["fast"]), prompt=Prompt("p"))
    class Fast:
        pass

    @Agent(provider=slow, prompt=Prompt("p"))
    class Slow:
        async def before_prompt(self) -> None:
            await clock.sleep(1)

    handle = Thena(flow(parallel([Slow, Fast]))).run("go")
    await clock.advance(1)
    run = await recorded(handle)

    assert (Message("system", "p"), Message("user", "go")) == slow.calls[0].messages
    assert ["go", "slow", "fast"] == [message.content for message in run.conversation.history]


# -- Estado e contexto, `ctx.signal`


@pytest.mark.behaviour("T170")
async def test_the_signal_is_a_flag_and_a_wait() -> None:
    """Departs from Estado e contexto, controls: in the place of `ctx.signal` stand `ctx.cancelled` and
    `await ctx.wait_cancelled()`."""
    seen: list[object] = []
    waiting = asyncio.Event()

    @Tool(name="wait", description="Wait.")
    class Wait:
        async def execute(self, ctx: Context) -> None:
            seen.append(ctx.cancelled)
            waiting.set()
            try:
                await ctx.wait_cancelled()
            finally:
                seen.append(ctx.cancelled)

    @Agent(provider=ScriptedProvider([tool_call("wait")]), prompt=Prompt("p"), tools=[Wait])
    class Waiting:
        pass

    async with asyncio.timeout(10):
        handle = Thena(flow(Waiting)).run("go")
        await waiting.wait()
        handle.abort("enough")
        await recorded(handle, raises=RunAborted)

    assert [False, True] == seen


# -- Hooks, "afterResponse"


@pytest.mark.behaviour("W22")
async def test_a_replaced_response_is_replaced_in_the_history() -> None:
    """Departs from Hooks, "afterResponse" ("transforma a resposta do turno", it transforms the turn's response): the
    history changes with it, so that the next agent reads what the run gave."""
    following = ScriptedProvider(["ok"])

    @Agent(provider=ScriptedProvider(["draft"]), prompt=Prompt("p"))
    class Polishing:
        def after_response(self, response: str) -> str:
            return "polished"

    @Agent(provider=following, prompt=Prompt("p"))
    class Next:
        pass

    await record(flow(Polishing, Next))

    assert Message("assistant", "polished") == following.calls[0].messages[-1]


# -- Injeção, `prompt: "./a.agent.md"`


@pytest.mark.behaviour("T184")
async def test_the_prompt_file_is_read_when_the_app_is_made(tmp_path: Path) -> None:
    """Departs from Injeção, "Em agentes": the file that `prompt=` names is read when the app is made, and not when the
    agent's module is imported."""
    file = tmp_path / "late.agent.md"
    provider = ScriptedProvider(["ok"])

    @Agent(provider=provider, prompt=file)
    class Late:
        pass

    with pytest.raises(ContractError, match=re.escape('late.agent.md"`, and there is no such file')):
        Thena(flow(Late))

    file.write_text("Written after the class.\n", encoding="utf-8")
    app = Thena(flow(Late))
    file.write_text("Written after the app.\n", encoding="utf-8")
    await app.run("go")

    assert "Written after the class.\n" == provider.calls[0].messages[0].content


# -- Injeção, "Se você não declarar estado" (if you declare no state)


@pytest.mark.behaviour("W28")
def test_what_a_tool_asks_for_in_vain_is_an_error_at_the_start() -> None:
    """Departs from Injeção (where it falls at the tool's first call): nothing runs, and no model is ever told."""
    provider = ScriptedProvider([tool_call("note")])

    class Kept:
        pass

    @Tool(name="note", description="Note.")
    class Note:
        async def execute(self, s: State[Kept]) -> None:
            pass

    @Agent(provider=provider, prompt=Prompt("p"), tools=[Note])
    class Noting:
        pass

    with pytest.raises(ContractError, match="THN201"):
        Thena(flow(Noting))

    assert [] == provider.calls


# -- Injeção, "Por que não por tipo" (why not by type)


async def test_a_context_is_asked_for_by_its_type_alone() -> None:
    """Departs from Injeção, "Por que não por tipo": Python keeps types at run time, so that `Context` needs no
    marker."""
    seen: list[str] = []

    @Tool(name="note", description="Note.")
    class Note:
        async def execute(self, ctx: Context) -> None:
            seen.append(ctx.run_id)

    @Agent(provider=ScriptedProvider([tool_call("note")]), prompt=Prompt("p"), tools=[Note])
    class Noting:
        pass

    run = await record(flow(Noting))

    assert [run.events[0].run_id] == seen


async def test_a_memory_is_asked_for_by_its_type_alone() -> None:
    """Departs from Injeção, "Por que não por tipo": `VectorMemory` needs no marker either, and is filled by position
    among others of its type."""
    seen: list[object] = []

    class Shelf:
        async def ensure_collection(self, size: int, distance: Distance) -> None: ...
        async def upsert(self, records: Sequence[Record]) -> None: ...
        async def search(self, search: Search) -> Sequence[Hit]:
            return ()

        async def remove(self, selection: Selection) -> None: ...
        async def close(self) -> None: ...

    class Embedding(ScriptedProvider):
        async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
            return [[1.0] for _ in texts]

    @Agent(provider=Embedding(["ok"]), prompt=Prompt("p"))
    class Remembering:
        def __init__(self, vectors: VectorMemory) -> None:
            seen.append(type(vectors.store))

    async with Thena(flow(Remembering), ThenaConfig(memory=[Shelf])) as app:
        await app.run("go")

    assert [Shelf] == seen

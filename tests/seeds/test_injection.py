"""The seed page "Injeção" (injection), promise by promise: in Python a parameter's annotation says what it wants."""

from collections.abc import Sequence
from typing import Annotated

import pytest
from pydantic import BaseModel

from thena_runtime import (
    Agent,
    Context,
    ContractError,
    Input,
    Prompt,
    ScriptedProvider,
    State,
    Thena,
    ThenaConfig,
    Tool,
    VectorMemory,
    Workflow,
    context,
    input,
    loop,
    memory,
    state,
    tool_call,
    until_answered,
)
from thena_runtime.memory.store import Distance, Hit, Record, Search, Selection
from thena_runtime.steps import Step
from thena_runtime.testing import Recorded, record


class Review:
    """The workflow's state."""

    files_read: list[str] = []
    approved = False


class Path(BaseModel):
    """What the tool is asked for."""

    path: str


def flow(*steps: Step, state: type | None = Review) -> type:
    """A workflow of these steps."""

    @Workflow(steps=steps, state=state)
    class Flow:
        pass

    return Flow


async def reading(tool: object, *, state: type | None = Review) -> Recorded:
    """Run a workflow whose one agent calls a tool named `read`."""

    @Agent(provider=ScriptedProvider([tool_call("read", path="a.txt")]), prompt=Prompt("p"), tools=[tool])  # type: ignore[list-item]
    class Reader:
        pass

    return await record(flow(Reader, state=state))


def only_fault(workflow: type) -> str:
    """The one fault that making the app finds."""
    with pytest.raises(ContractError) as caught:
        Thena(workflow)
    [finding] = caught.value.findings
    return finding.fault.render()


# -- Injeção (injection)


@pytest.mark.behaviour("T220")
@pytest.mark.parametrize("order", ["input first", "state first"])
async def test_the_order_of_parameters_does_not_matter(order: str) -> None:
    """Injeção: "Como cada um se declara, a ordem não importa" (as each declares itself, the order doesn't matter)."""
    got: list[object] = []

    @Tool(name="read", description="Read.")
    class InputFirst:
        async def execute(self, args: Input[Path], ctx: Context, s: State[Review]) -> None:
            got.extend([args.path, ctx.run_id, s])

    @Tool(name="read", description="Read.")
    class StateFirst:
        async def execute(self, s: State[Review], ctx: Context, args: Input[Path]) -> None:
            got.extend([args.path, ctx.run_id, s])

    run = await reading(InputFirst if order == "input first" else StateFirst)

    path, run_id, given = got
    assert ("a.txt", run.events[0].run_id) == (path, run_id)
    assert isinstance(given, Review)


async def test_two_parameters_of_one_type_are_not_ambiguous() -> None:
    """Injeção: "dois parâmetros do mesmo tipo deixam de ser ambíguos" (two parameters of one type are no longer
    ambiguous): the marker decides, not the type."""
    got: list[tuple[object, object]] = []

    class Both(BaseModel):
        path: str = "the state's own"

    @Tool(name="read", description="Read.")
    class Read:
        async def execute(self, asked: Input[Both], kept: State[Both]) -> None:
            got.append((asked.path, kept.path))

    await reading(Read, state=Both)

    assert [("a.txt", "the state's own")] == got


async def test_input_delivers_the_validated_arguments() -> None:
    """Injeção, table: `@input()` in a tool's `execute` delivers the arguments "já validados pelo schema" (already
    validated by the schema)."""
    got: list[object] = []

    class Page(BaseModel):
        path: str
        lines: int = 10

    @Tool(name="read", description="Read.")
    class Read:
        async def execute(self, args: Annotated[Page, input()]) -> None:
            got.append(args)

    await reading(Read)

    assert [Page(path="a.txt", lines=10)] == got


async def test_context_delivers_the_context_of_the_run() -> None:
    """Injeção, table: `@context()` in a tool's `execute` delivers the run's context."""
    got: list[object] = []

    @Tool(name="read", description="Read.")
    class Read:
        async def execute(self, path: str, ctx: Annotated[Context, context()]) -> None:
            got.extend([ctx.run_id, [message.content for message in ctx.state.history]])

    run = await reading(Read)

    assert [run.events[0].run_id, ["go"]] == got


async def test_state_delivers_the_declared_state_in_constructors_and_tools() -> None:
    """Injeção, table: `@state()` in an agent's constructor and in a tool's `execute` delivers the state that
    `@Workflow(state=...)` declares."""
    got: list[object] = []

    @Tool(name="read", description="Read.")
    class Read:
        async def execute(self, path: str, s: Annotated[Review, state()]) -> None:
            got.append(s)

    @Agent(provider=ScriptedProvider([tool_call("read", path="a.txt")]), prompt=Prompt("p"), tools=[Read])
    class Reader:
        def __init__(self, s: Annotated[Review, state()]) -> None:
            got.append(s)

    await record(flow(Reader))

    of_agent, of_tool = got
    assert isinstance(of_agent, Review)
    assert of_agent is of_tool


# -- Em tools (in tools)


async def test_the_page_s_own_tool() -> None:
    """Injeção, "Em tools" (in tools): arguments, context and state together; what the tool writes is in the state."""
    states: list[Review] = []

    @Tool(name="read", description="Read a file.")
    class Read:
        async def execute(self, args: Input[Path], ctx: Context, s: State[Review]) -> str:
            s.files_read.append(args.path)
            states.append(s)
            return f"content of {args.path}"

    run = await reading(Read)

    assert "content of a.txt" == run.output
    assert ["a.txt"] == states[0].files_read


@pytest.mark.behaviour("T221")
async def test_without_a_marker_execute_gets_only_the_arguments() -> None:
    """Injeção, "Em tools": "Sem decorator nenhum, o `execute` recebe só os argumentos" (without any decorator
    `execute` gets only the arguments)."""
    got: list[object] = []

    @Tool(name="read", description="Read.")
    class Read:
        async def execute(self, path: str, lines: int = 3) -> None:
            got.append((path, lines))

    await reading(Read)

    assert [("a.txt", 3)] == got


# -- Em agentes (in agents)


class Shelf:
    """A store that can be registered, and does nothing."""

    async def ensure_collection(self, size: int, distance: Distance) -> None: ...
    async def upsert(self, records: Sequence[Record]) -> None: ...
    async def search(self, search: Search) -> Sequence[Hit]:
        return ()

    async def remove(self, selection: Selection) -> None: ...
    async def close(self) -> None: ...


class Cellar(Shelf):
    """Another one."""


class Embedding(ScriptedProvider):
    """A model that makes vectors too, as a memory needs."""

    def __init__(self) -> None:
        super().__init__(["ok"])

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[1.0] for _ in texts]


async def given(agent: type, *stores: type) -> None:
    """Make an agent once, in an app with these stores."""
    workflow = flow(Agent(provider=Embedding, prompt=Prompt("p"))(agent))
    async with Thena(workflow, ThenaConfig(memory=stores)) as app:
        await app.run("go")


@pytest.mark.behaviour("T410")
async def test_state_and_memory_in_one_constructor() -> None:
    """Injeção, "Em agentes": the page's agent asks for the state and, by `@memory(QdrantOpenAI)`, for the memory of one
    store, "o que dispensa depender da ordem" (whatever the order in which stores are registered)."""
    got: list[object] = []

    class Asking:
        def __init__(self, s: State[Review], vectors: Annotated[VectorMemory, memory(Cellar)]) -> None:
            got.extend([type(s), type(vectors), type(vectors.store)])

    await given(Asking, Shelf, Cellar)

    assert [Review, VectorMemory, Cellar] == got


@pytest.mark.behaviour("T411")
async def test_a_memory_without_a_store_is_the_first_one() -> None:
    """Injeção, "Em agentes": "Sem argumento, entrega a primeira registrada" (without an argument it delivers the first
    that was registered)."""
    got: list[object] = []

    class Asking:
        def __init__(self, vectors: Annotated[VectorMemory, memory()]) -> None:
            got.append(type(vectors.store))

    await given(Asking, Cellar, Shelf)

    assert [Cellar] == got


@pytest.mark.behaviour("T409")
async def test_without_a_marker_memories_come_by_position() -> None:
    """Injeção, "Em agentes": "Sem decorator, vale o contrato posicional: as memórias chegam na ordem em que os stores
    foram registrados" (without a decorator memories come in the order in which the stores were registered)."""
    got: list[object] = []

    class Asking:
        def __init__(self, first, second) -> None:  # type: ignore[no-untyped-def] # that is the point
            got.extend([type(first.store), type(second.store)])

    await given(Asking, Cellar, Shelf)

    assert [Cellar, Shelf] == got


# -- `@context()` não funciona em construtor (doesn't work in a constructor)


@pytest.mark.behaviour("T225")
def test_a_context_in_a_constructor_is_a_fault_that_explains_itself() -> None:
    """Injeção, "`@context()` não funciona em construtor": the agent is made before the run begins, and the runtime
    "falha com essa explicação" (fails with this explanation) instead of injecting nothing in silence."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Early:
        def __init__(self, ctx: Context) -> None:
            pass

    fault = only_fault(flow(Early))

    assert fault.startswith("[thena] THN202 `Early.__init__` parameter 0 `ctx`")
    assert "doesn't exist yet" in fault
    assert "`execute`" in fault
    assert "hook" in fault


async def test_the_context_reaches_a_hook_as_its_parameter() -> None:
    """Injeção, same heading: use it in a tool's `execute`, "ou receba o `ctx` como parâmetro do hook" (or take the
    `ctx` as the hook's parameter)."""
    got: list[str] = []

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Hooked:
        def after_response(self, response: str, ctx: Context) -> None:
            got.append(ctx.run_id)

    run = await record(flow(Hooked))

    assert [run.events[0].run_id] == got


# -- Se você não declarar estado (if you declare no state)


async def test_who_does_not_ask_needs_no_state() -> None:
    """Injeção, "Se você não declarar estado", row 1: "ninguém pede estado: funciona normal" (nobody asks: it works)."""

    @Tool(name="read", description="Read.")
    class Read:
        async def execute(self, path: str) -> str:
            return path

    assert "a.txt" == (await reading(Read, state=None)).output


@pytest.mark.behaviour("T226")
def test_an_agent_that_asks_is_told_class_and_parameter() -> None:
    """Injeção, same heading, row 2: "erro apontando a classe e o parâmetro" (an error that names both)."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Reviewer:
        def __init__(self, s: State[Review]) -> None:
            pass

    fault = only_fault(flow(Reviewer, state=None))

    assert "`Reviewer.__init__` parameter 0 `s`" in fault


def test_a_tool_that_asks_is_told_method_and_parameter() -> None:
    """Injeção, same heading, row 3: "erro apontando o método e o parâmetro" (an error that names method and
    parameter)."""

    @Tool(name="read", description="Read.")
    class Read:
        async def execute(self, path: str, s: State[Review]) -> None:
            pass

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"), tools=[Read])
    class Reader:
        pass

    fault = only_fault(flow(Reader, state=None))

    assert "`Read.execute` parameter 1 `s`" in fault


def test_an_until_that_asks_is_told_to_declare_the_state() -> None:
    """Injeção, same heading, row 4: an `until` with a second parameter gives an "erro dizendo para acrescentar
    `state`" (an error that says to add `state`), found before anything runs by the number of parameters."""
    provider = ScriptedProvider(["ok"])

    @Agent(provider=provider, prompt=Prompt("p"))
    class Reviewer:
        pass

    fault = only_fault(flow(loop([Reviewer], until=lambda ctx, s: s.approved), state=None))

    assert "THN301" in fault
    assert "Add `state=" in fault
    assert [] == provider.calls


@pytest.mark.parametrize("until", [until_answered, lambda ctx: True], ids=["until_answered", "lambda ctx"])
async def test_an_until_of_one_parameter_never_asks(until: object) -> None:
    """Injeção, same heading: "Um `until` de um parâmetro só nunca dispara essa checagem" (an `until` of one parameter
    never sets off this check)."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Speaker:
        pass

    assert "ok" == (await record(flow(loop([Speaker], until=until), state=None))).output  # type: ignore[arg-type]


# -- Erros (errors)


@pytest.mark.behaviour("T226")
def test_the_error_names_class_index_and_repair() -> None:
    """Injeção, "Erros": what can't be injected fails at once, "apontando a classe e o índice do parâmetro" (naming the
    class and the parameter's index), with "Acrescente `state: MinhaClasse` no @Workflow" (add it) as the repair."""

    @Agent(provider=ScriptedProvider(["ok"]), prompt=Prompt("p"))
    class Reviewer:
        def __init__(self, s: State[Review]) -> None:
            pass

    assert (
        "[thena] THN201 `Reviewer.__init__` parameter 0 `s` asks for the state, but workflow `Flow` declares none. "
        "Add `state=YourState` to `@Workflow` on `Flow`."
    ) == only_fault(flow(Reviewer, state=None))


@pytest.mark.behaviour("T227")
def test_a_store_that_is_not_registered_is_named() -> None:
    """Injeção, "Erros": a `@memory(QdrantOpenAI)` whose store "não está registrado em ThenaConfig.memory" (isn't
    registered) is an error that names the agent and the store."""

    @Agent(provider=Embedding, prompt=Prompt("p"))
    class Asking:
        def __init__(self, vectors: Annotated[VectorMemory, memory(Cellar)]) -> None:
            pass

    with pytest.raises((ContractError, ValueError), match=r"`Asking\.__init__`.*`Cellar`.*memory="):
        Thena(flow(Asking), ThenaConfig(memory=[Shelf]))

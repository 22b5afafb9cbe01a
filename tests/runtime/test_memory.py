"""Memories: which store a parameter gets, and what a memory does with its store and its provider."""

from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar

import pytest

from tests.support import refusals
from thena_runtime import (
    EVERY_DATASET,
    Agent,
    Memory,
    Prompt,
    ScriptedProvider,
    State,
    Thena,
    ThenaConfig,
    Tool,
    VectorMemory,
    Workflow,
    WorkflowRuntime,
    memory,
    tool_call,
)
from thena_runtime.memory.store import Distance, Hit, Record, Search, Selection


class Shelf:
    """A store that keeps what it is told, and finds everything in the order in which it came."""

    made: ClassVar[list["Shelf"]] = []

    def __init__(self) -> None:
        self.made.append(self)
        self.collections: list[tuple[int, Distance]] = []
        self.records: list[Record] = []
        self.searches: list[Search] = []
        self.removed: list[Selection] = []
        self.closed = 0

    async def ensure_collection(self, size: int, distance: Distance) -> None:
        self.collections.append((size, distance))

    async def upsert(self, records: Sequence[Record]) -> None:
        self.records.extend(records)

    async def search(self, search: Search) -> Sequence[Hit]:
        self.searches.append(search)
        return [Hit(id=each.id, score=1.0, payload=each.payload) for each in self.records[: search.limit]]

    async def remove(self, selection: Selection) -> None:
        self.removed.append(selection)

    async def close(self) -> None:
        self.closed += 1


class Cellar(Shelf):
    """Another store."""


class Attic(Shelf):
    """A third one."""


class Embedding(ScriptedProvider):
    """A scripted model that makes vectors too."""

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[float(len(text)), 1.0, 0.0] for text in texts]


@pytest.fixture(autouse=True)
def no_stores() -> Iterator[None]:
    """Each test begins without a store."""
    Shelf.made.clear()
    yield
    Shelf.made.clear()


def flow(agent: type) -> type:
    """A workflow of one agent."""

    @Workflow(steps=[agent], state=dict)
    class Flow:
        pass

    return Flow


def agent_of(base: type, *, tools: Sequence[object] = (), turns: Sequence[object] = ("ok",)) -> type:
    """An agent whose provider makes vectors."""

    @Agent(provider=Embedding(turns), prompt=Prompt("p"), tools=tools)  # type: ignore[arg-type]
    class Asking(base):  # type: ignore[misc] # a class that the caller chooses
        pass

    return Asking


async def run(base: type, *stores: type | Shelf) -> None:
    """Run an agent once in an app with these stores."""
    async with Thena(flow(agent_of(base)), ThenaConfig(memory=stores)) as app:
        await app.run("go")


@pytest.mark.behaviour("T409")
async def test_memories_come_in_the_order_of_the_stores() -> None:
    """Those without a marker are counted, among other parameters and beside one that names its store."""
    got: list[object] = []

    class Typed:
        def __init__(
            self,
            first: VectorMemory,
            s: State[dict[str, int]],
            named: Annotated[VectorMemory, memory(Cellar)],
            second: VectorMemory,
            other: int = 3,
        ) -> None:
            got.extend(type(each.store) for each in (first, named, second))
            got.append(other)

    await run(Typed, Attic, Shelf, Cellar)

    assert [Attic, Cellar, Shelf, 3] == got


@pytest.mark.behaviour("T409", "W29")
async def test_without_any_marker_parameters_without_annotation_are_memories_too() -> None:
    """Parameters with another annotation, or with a default, are never counted."""
    got: list[object] = []

    class Untyped:
        def __init__(self, first, second: VectorMemory, other=None, more: int = 1) -> None:  # type: ignore[no-untyped-def]
            got.extend([type(first.store), type(second.store), other, more])

    await run(Untyped, Attic, Cellar, Shelf)

    assert [Attic, Cellar, None, 1] == got


@pytest.mark.behaviour("T410", "T411")
async def test_a_marker_names_the_store_or_means_the_first() -> None:
    """A store is found by its class or a base of it, whatever its position."""
    got: list[object] = []

    class Marked:
        def __init__(
            self, named: Annotated[VectorMemory, memory(Cellar)], first: Annotated[VectorMemory, memory]
        ) -> None:
            got.extend([type(named.store), type(first.store)])

    class Base:
        def __init__(self, based: Annotated[VectorMemory, memory(Shelf)]) -> None:
            got.append(type(based.store))

    await run(Marked, Attic, Cellar)
    await run(Base, Attic)

    assert [Cellar, Attic, Attic] == got


async def test_a_tool_gets_the_first_store_or_the_one_it_names() -> None:
    """In `execute` nothing is counted: a memory without a marker is over the first store."""

    @Tool(name="look", description="Look it up.")
    class Look:
        async def execute(self, where: VectorMemory, named: Annotated[VectorMemory, memory(Cellar)], word: str) -> str:
            return f"{type(where.store).__name__} {type(named.store).__name__} {word}"

    asking = agent_of(object, tools=[Look], turns=[tool_call("look", word="x")])
    app = Thena(flow(asking), ThenaConfig(memory=[Attic, Cellar]))

    assert "Attic Cellar x" == await app.run("go")


@pytest.mark.behaviour("T412", "W62")
async def test_a_store_is_made_once_and_closed_with_the_app() -> None:
    """Agents and runs share it; a store that was made before is taken as it is; nothing is made before a run."""
    got: list[VectorMemory] = []

    class Keeping:
        def __init__(self, first: VectorMemory, second: VectorMemory) -> None:
            got.extend([first, second])

    own = Cellar()

    @Workflow(steps=[agent_of(Keeping), agent_of(Keeping)])
    class Flow:
        pass

    async with Thena(Flow, ThenaConfig(memory=[Attic, own])) as app:
        assert [own] == Shelf.made
        await app.run("go")
        await app.run("go")

    assert [own, Shelf.made[1]] == Shelf.made
    assert {id(Shelf.made[1]), id(own)} == {id(each.store) for each in got}
    assert 8 == len({id(each) for each in got})
    assert [1, 1] == [store.closed for store in Shelf.made]


async def test_no_store_is_made_where_no_memory_is_asked_for() -> None:
    """Registering a store costs a run nothing that doesn't use it."""
    await run(object, Attic)

    assert [] == Shelf.made


async def test_a_memory_with_a_default_is_optional() -> None:
    """Where its store isn't registered the parameter keeps its default."""
    got: list[object] = []

    class Optional:
        def __init__(
            self,
            missing: Annotated[VectorMemory, memory(Cellar)] | None = None,
            there: VectorMemory | None = None,
        ) -> None:
            got.extend([missing, None if there is None else type(there.store)])

    await run(Optional, Attic)
    await run(Optional)

    assert [None, Attic, None, None] == got


async def test_a_nested_run_has_the_stores_of_the_run_around_it() -> None:
    """A workflow that a tool starts is judged with the app's stores, and shares them."""
    got: list[object] = []

    class Inner:
        def __init__(self, there: VectorMemory) -> None:
            got.append(there.store)

    sub = flow(agent_of(Inner))

    @Tool(name="delegate", description="Have it done.")
    class Delegate:
        def __init__(self, runtime: WorkflowRuntime) -> None:
            self.runtime = runtime

        async def execute(self, there: VectorMemory) -> None:
            got.append(there.store)
            await self.runtime.run(sub, "x")

    asking = agent_of(object, tools=[Delegate], turns=[tool_call("delegate")])
    await Thena(flow(asking), ThenaConfig(memory=[Attic])).run("go")

    assert got[0] is got[1]


def problem(base: type, *stores: type, tools: Sequence[object] = ()) -> str:
    """What the making of an app says."""
    return refusals.problem(flow(agent_of(base, tools=tools)), ThenaConfig(memory=stores))


@pytest.mark.behaviour("T227", "W27", "W28")
def test_a_memory_that_is_not_there_is_refused_at_start() -> None:
    """The text names class, method, parameter and store, and says what to add."""

    class Named:
        def __init__(self, m: Annotated[VectorMemory, memory(Cellar)]) -> None: ...

    class First:
        def __init__(self, m: Annotated[VectorMemory, memory]) -> None: ...

    class TwoOfThem:
        def __init__(self, a: VectorMemory, b: VectorMemory) -> None: ...

    @Tool(name="look", description="Look it up.")
    class Look:
        async def execute(self, m: VectorMemory) -> None: ...

    @Tool(name="early", description="Ask early.")
    class Early:
        def __init__(self, m: VectorMemory) -> None: ...

        async def execute(self) -> None: ...

    assert (
        "THN204 `Asking.__init__` parameter 0 `m` asks for the memory over `Cellar`, "
        "and the app of workflow `Flow` doesn't register that store. Add it: `ThenaConfig(memory=[Cellar])`."
    ) == problem(Named, Attic)
    assert problem(First).startswith("THN205 `Asking.__init__` parameter 0 `m` asks for a memory, and the app")
    assert problem(TwoOfThem, Attic).startswith(
        "THN210 `Asking.__init__` parameter 1 `b` is memory number 2 by position, "
        "and the app of workflow `Flow` registers one store."
    )
    assert problem(object, tools=[Look]).startswith("THN205 `Look.execute` parameter 0 `m` asks for a memory,")
    assert problem(object, Attic, tools=[Early]).startswith("THN206 ")


@pytest.mark.parametrize(
    ("stores", "text"),
    [
        (Attic, "`memory` of `ThenaConfig` is of type `type`. Write"),
        ([str], "`memory` of `ThenaConfig` has `str`, which is no vector store"),
        ([Attic, 3], "`memory` of `ThenaConfig` has `int`, which is no vector store"),
    ],
)
def test_what_is_no_store_is_refused(stores: object, text: str) -> None:
    """The settings say so when they are made."""
    with pytest.raises(TypeError, match=text):
        ThenaConfig(memory=stores)  # type: ignore[arg-type]


def test_a_store_that_can_not_be_made_alone_is_refused() -> None:
    """The text says to make it and give the object."""

    class Remote(Shelf):
        def __init__(self, url: str) -> None:
            super().__init__()

    with pytest.raises(
        TypeError, match=r"`Remote` can't be made without arguments .* `ThenaConfig\(memory=\[Remote\(...\)"
    ):
        ThenaConfig(memory=[Remote])


# -- what a memory does


@pytest.mark.behaviour("T413")
async def test_what_is_remembered_is_kept_with_its_text_and_dataset() -> None:
    """The provider makes the vector, the collection has its size, and ids are made where none is given."""
    store = Shelf()
    kept = VectorMemory(store, Embedding(["ok"]))

    first = await kept.remember("abc")
    second, third = await kept.remember_many([Memory(text="de", dataset="d", payload={"n": 1}, id="mine"), "f"])

    assert [(3, "cosine"), (3, "cosine")] == store.collections
    assert [
        (first, [3.0, 1.0, 0.0], {"text": "abc", "dataset": "default"}),
        ("mine", [2.0, 1.0, 0.0], {"n": 1, "text": "de", "dataset": "d"}),
        (third, [1.0, 1.0, 0.0], {"text": "f", "dataset": "default"}),
    ] == [(record.id, list(record.vector), dict(record.payload)) for record in store.records]
    assert (3, "mine") == (len({first, second, third}), second)
    assert () == await kept.remember_many([])


@pytest.mark.behaviour("T414", "T415")
async def test_what_is_recalled_is_looked_for_in_one_set_or_in_all() -> None:
    """The default set without a name, every set with `EVERY_DATASET`; text and set come back apart from the payload."""
    store = Shelf()
    kept = VectorMemory(store, Embedding(["ok"]))
    await kept.remember("abc", payload={"n": 1})

    found = await kept.recall("abcd", limit=2, score_threshold=0.5)
    await kept.recall("x", dataset="d", where={"n": 1})
    await kept.recall("x", dataset=EVERY_DATASET)

    assert [("abc", "default", {"n": 1}, 1.0)] == [
        (each.text, each.dataset, each.payload, each.score) for each in found
    ]
    assert [
        ([4.0, 1.0, 0.0], 2, {"dataset": "default"}, 0.5),
        ([1.0, 1.0, 0.0], 5, {"dataset": "d", "n": 1}, None),
        ([1.0, 1.0, 0.0], 5, {}, None),
    ] == [(list(each.vector), each.limit, dict(each.where), each.score_threshold) for each in store.searches]


async def test_what_is_to_be_forgotten_must_be_said() -> None:
    """By id, by set or by values; nothing at all is refused, for it would be everything."""
    store = Shelf()
    kept = VectorMemory(store, Embedding(["ok"]))

    await kept.forget(ids=["a"], dataset="d")
    with pytest.raises(ValueError, match="`forget` was told nothing to forget"):
        await kept.forget()

    assert [Selection(ids=("a",), where={"dataset": "d"})] == store.removed


@pytest.mark.behaviour("W60")
async def test_vectors_that_can_not_be_kept_are_refused_before_anything_is_written() -> None:
    """A provider without vectors, with empty ones, or with several sizes in one go is named."""

    class Empty(ScriptedProvider):
        async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
            return [[] for _ in texts]

    class Uneven(ScriptedProvider):
        async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
            return [[0.0] * len(text) for text in texts]

    store = Shelf()
    with pytest.raises(TypeError, match="the provider `ScriptedProvider` makes no vectors"):
        await VectorMemory(store, ScriptedProvider(["ok"])).remember("a")
    with pytest.raises(ValueError, match=r"`Empty` made 1 vectors of the sizes \[0\] for 1 texts"):
        await VectorMemory(store, Empty(["ok"])).remember("a")
    with pytest.raises(ValueError, match=r"`Uneven` made 2 vectors of the sizes \[1, 2\] for 2 texts"):
        await VectorMemory(store, Uneven(["ok"])).remember_many(["a", "bb"])

    assert ([], []) == (store.records, store.collections)


@pytest.mark.behaviour("W59")
async def test_a_collection_that_could_not_be_made_is_asked_for_again() -> None:
    """A store that fails once keeps nobody from writing later."""

    class Waking(Shelf):
        async def ensure_collection(self, size: int, distance: Distance) -> None:
            await super().ensure_collection(size, distance)
            if len(self.collections) == 1:
                raise ConnectionError("not yet")

    store = Waking()
    kept = VectorMemory(store, Embedding(["ok"]))
    with pytest.raises(ConnectionError, match="not yet"):
        await kept.remember("abc")
    await kept.remember("de")

    assert (["de"], 2) == ([record.payload["text"] for record in store.records], len(store.collections))

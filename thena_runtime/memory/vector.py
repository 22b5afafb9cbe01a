"""A memory: a store, and the provider that turns texts into vectors.

Not to be confused with `ctx.state.memory`, the notes that every model call is told.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final
from uuid import uuid4

from thena_runtime.memory.store import Distance, Embedder, Payload, Record, Search, Selection, VectorStore

DATASET: Final = "dataset"
"""The field of a payload by which one store holds several sets of memories apart."""
_TEXT: Final = "text"


class Every(Enum):
    """The type of `EVERY_DATASET`."""

    DATASET = "every dataset"


EVERY_DATASET: Final = Every.DATASET
"""What `recall` is told to look in every set of memories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Something to be remembered. Without an `id` it gets a new one."""

    text: str
    dataset: str | None = None
    payload: Payload = field(default_factory=dict)
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """Something that was remembered; a higher score is nearer to what was asked."""

    id: str
    score: float
    text: str
    dataset: str
    payload: Payload


class VectorMemory:
    """What an agent or a tool asks for to remember texts and recall them by meaning."""

    def __init__(
        self, store: VectorStore, embedder: object, *, default_dataset: str = "default", distance: Distance = "cosine"
    ) -> None:
        self.store = store
        self._embedder = embedder
        self._dataset = default_dataset
        self._distance: Distance = distance

    async def remember(
        self, text: str, *, dataset: str | None = None, payload: Payload | None = None, id: str | None = None
    ) -> str:
        """Remember a text and return its id."""
        (made,) = await self.remember_many([Memory(text=text, dataset=dataset, payload=payload or {}, id=id)])
        return made

    async def remember_many(self, memories: Iterable[Memory | str]) -> tuple[str, ...]:
        """Remember texts in one go and return their ids, in order."""
        wanted = [Memory(text=each) if isinstance(each, str) else each for each in memories]
        if not wanted:
            return ()
        vectors = await self._embed([each.text for each in wanted])
        records = [self._record(each, vector) for each, vector in zip(wanted, vectors, strict=True)]
        await self.store.ensure_collection(len(vectors[0]), self._distance)
        await self.store.upsert(records)
        return tuple(record.id for record in records)

    async def recall(
        self,
        query: str,
        *,
        limit: int = 5,
        dataset: str | Every | None = None,
        where: Mapping[str, Any] | None = None,
        score_threshold: float | None = None,
    ) -> tuple[Recalled, ...]:
        """Recall what is nearest to a text, best first.

        Args:
            query: What to look for.
            limit: How many at most.
            dataset: Which set to look in; the default one without it, and every set with `EVERY_DATASET`.
            where: Values that the payload must have.
            score_threshold: How near it must be.
        """
        (vector,) = await self._embed([query])
        found = await self.store.search(
            Search(
                vector=vector,
                limit=limit,
                where=self._where(dataset or self._dataset, where),
                score_threshold=score_threshold,
            )
        )
        return tuple(
            Recalled(
                id=hit.id,
                score=hit.score,
                text=str(hit.payload.get(_TEXT, "")),
                dataset=str(hit.payload.get(DATASET, "")),
                payload={key: value for key, value in hit.payload.items() if key not in (_TEXT, DATASET)},
            )
            for hit in found
        )

    async def forget(
        self, *, ids: Sequence[str] = (), dataset: str | None = None, where: Mapping[str, Any] | None = None
    ) -> None:
        """Forget what is selected by id, by dataset, by values of the payload, or by several of them together."""
        selection = Selection(ids=tuple(ids), where=self._where(dataset, where))
        if not selection.ids and not selection.where:
            raise ValueError("[thena] `forget` was told nothing to forget. Give it `ids=`, `dataset=` or `where=`.")
        await self.store.remove(selection)

    def _record(self, memory: Memory, vector: Sequence[float]) -> Record:
        payload = {**memory.payload, _TEXT: memory.text, DATASET: memory.dataset or self._dataset}
        return Record(id=memory.id or str(uuid4()), vector=vector, payload=payload)

    def _where(self, dataset: str | Every | None, where: Mapping[str, Any] | None) -> Payload:
        return {**(where or {}), **({DATASET: dataset} if isinstance(dataset, str) else {})}

    async def _embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        embedder = self._embedder
        if not isinstance(embedder, Embedder):
            raise TypeError(
                f"[thena] the provider `{type(embedder).__name__}` makes no vectors, so nothing can be remembered with "
                "it. Give the agent a provider that has `embed`."
            )
        vectors = await embedder.embed(texts)
        sizes = {len(vector) for vector in vectors}
        if len(vectors) != len(texts) or len(sizes) != 1 or 0 in sizes:
            raise ValueError(
                f"[thena] the provider `{type(embedder).__name__}` made {len(vectors)} vectors of the sizes "
                f"{sorted(sizes)} for {len(texts)} texts. Use a model that makes one vector of one size for each text."
            )
        return vectors

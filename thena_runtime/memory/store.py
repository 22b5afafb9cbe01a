"""What a vector store has to do, and the values that go in and out of it.

A store needs no base class, only these methods; one instance serves all runs of an app. Left out on purpose: where
vectors come from, which is the memory's (`thena_runtime.memory.vector`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

Distance: TypeAlias = Literal["cosine", "euclid", "dot", "manhattan"]
Payload: TypeAlias = Mapping[str, Any]  # JSON values: a wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A vector to be kept. `payload` holds the text, the dataset and the caller's own values."""

    id: str
    vector: Sequence[float]
    payload: Payload = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A record that was found; a higher score is nearer."""

    id: str
    score: float
    payload: Payload = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for: the nearest vectors among the records whose payload has the values of `where`."""

    vector: Sequence[float]
    limit: int
    where: Payload = field(default_factory=dict)
    score_threshold: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which records are meant: those with one of the `ids`, if any are given, and with the values of `where`."""

    ids: tuple[str, ...] = ()
    where: Payload = field(default_factory=dict)


@runtime_checkable
class VectorStore(Protocol):
    """Keeps vectors and finds the nearest. Every method may be called by several runs at once."""

    async def ensure_collection(self, size: int, distance: Distance) -> None:
        """Have a collection for vectors of this size. Called before every write, so it must be cheap when it is there.

        Raises `ValueError` where the collection holds vectors of another size.
        """
        ...

    async def upsert(self, records: Sequence[Record]) -> None:
        """Keep the records; one whose id is there already is replaced."""
        ...

    async def search(self, search: Search) -> Sequence[Hit]:
        """Find the nearest records, best first; nothing where no collection is there yet."""
        ...

    async def remove(self, selection: Selection) -> None:
        """Forget the records that are selected."""
        ...

    async def close(self) -> None:
        """Release what the store holds; it may be used again afterwards."""
        ...


@runtime_checkable
class Embedder(Protocol):
    """A provider that can turn texts into vectors."""

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Return one vector for each text, in order."""
        ...

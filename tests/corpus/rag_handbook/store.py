"""A vector store in a list: enough for tests and for a handbook of one company."""

import math
from collections.abc import Sequence

from thena_runtime.memory.store import Distance, Hit, Record, Search, Selection


class ListStore:
    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        self.size: int | None = None

    async def ensure_collection(self, size: int, distance: Distance) -> None:
        if self.size not in (None, size):
            raise ValueError(f"vectors have {self.size} numbers, not {size}")
        self.size = size

    async def upsert(self, records: Sequence[Record]) -> None:
        self.records.update({record.id: record for record in records})

    async def search(self, search: Search) -> Sequence[Hit]:
        hits = [
            Hit(id=one.id, score=_cosine(one.vector, search.vector), payload=one.payload)
            for one in self.records.values()
            if all(one.payload.get(key) == value for key, value in search.where.items())
        ]
        hits.sort(key=lambda hit: -hit.score)
        return [hit for hit in hits if search.score_threshold is None or hit.score >= search.score_threshold][: search.limit]

    async def remove(self, selection: Selection) -> None:
        for id in selection.ids:
            self.records.pop(id, None)

    async def close(self) -> None:
        self.records.clear()


def _cosine(a: Sequence[float], b: Sequence[float]) -> float:
    norm = math.hypot(*a) * math.hypot(*b)
    return sum(x * y for x, y in zip(a, b)) / norm if norm else 0.0

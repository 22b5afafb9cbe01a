"""Two stores: facts about the user, and documents."""

from collections.abc import Sequence
from thena_runtime.memory.store import Distance, Hit, Record, Search, Selection


class BaseStore:
    records: list[Record]

    def __init__(self):
        self.records = []

    async def ensure_collection(self, size: int, distance: Distance) -> None: ...

    async def upsert(self, records: Sequence[Record]) -> None:
        self.records.extend(records)

    async def search(self, search: Search) -> Sequence[Hit]:
        return [Hit(id=record.id, score=1.0, payload=record.payload) for record in self.records[: search.limit]]

    async def remove(self, selection: Selection) -> None:
        self.records = [record for record in self.records if record.id not in selection.ids]

    async def close(self) -> None: ...


class FactStore(BaseStore):
    pass


class DocumentStore(BaseStore):
    def __init__(self, path: str = ":memory:"):
        super().__init__()
        self.path = path

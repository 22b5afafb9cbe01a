from abc import ABC

from thena_runtime import VectorStore


class Shelf:
    async def ensure_collection(self, size, distance): ...

    async def upsert(self, records): ...

    async def search(self, search):
        return []

    async def remove(self, selection): ...

    async def close(self): ...


class Attic(Shelf):
    def __init__(self, path: str = "attic") -> None:
        self.path = path


class Closed(ABC):
    pass


class Cellar(Attic, Closed):
    pass


class Loft(VectorStore):
    async def search(self, search):
        return []


ATTIC = Attic("here")
BOTH = [Shelf, ATTIC]

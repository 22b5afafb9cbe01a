"""The vector stores of an app: each is made once, when a run first needs it, and shared by all runs."""

from collections.abc import Sequence

from thena_runtime.memory.store import VectorStore
from thena_runtime.settings import StoreSource


class Stores:
    """The stores of `ThenaConfig(memory=[...])`, in their order. Owned by the app, which closes them."""

    def __init__(self, sources: Sequence[StoreSource] = ()) -> None:
        self._sources = tuple(sources)
        self._made: tuple[VectorStore, ...] | None = None

    @property
    def types(self) -> tuple[type, ...]:
        """The class of each, which is what parameters ask by."""
        return tuple(source if isinstance(source, type) else type(source) for source in self._sources)

    def all(self) -> tuple[VectorStore, ...]:
        """The stores themselves."""
        if self._made is None:
            self._made = tuple(source() if isinstance(source, type) else source for source in self._sources)
        return self._made

    @property
    def made(self) -> tuple[VectorStore, ...]:
        """Those that there are by now."""
        return self._made or ()

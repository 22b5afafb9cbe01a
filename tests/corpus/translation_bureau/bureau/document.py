from typing import Generic, TypeVar

from thena_runtime import Context, State

L = TypeVar("L", bound=str)


class Document(Generic[L]):
    text: str = ""
    glossary: dict[str, str] = {}
    translations: dict[str, str] = {}


Doc = State[Document[str]]
"""What agents and tools ask for."""

Ctx = Context[dict]

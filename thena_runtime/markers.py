"""What a parameter asks the runtime for, written in its annotation: `Annotated[T, state()]`, or `State[T]` for short.

Markers are inert values. Who reads them is `thena_runtime.build.describe`; who obeys is `thena_runtime.injection`.
"""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_origin

from thena_contract.vocabulary import RequestKind

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Marker:
    """The base of all markers."""

    kind: ClassVar[RequestKind]

    # Pydantic's hook has no type of its own that could be named without importing pydantic: a wire.
    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Let a pydantic model have a marked field: an instance of the annotated class, checked and never converted."""
        from pydantic_core import core_schema

        wanted = get_origin(source) or source
        return core_schema.is_instance_schema(wanted) if _can_be_checked(wanted) else core_schema.any_schema()


def _can_be_checked(wanted: object) -> bool:
    try:
        return isinstance(wanted, type) and isinstance(None, wanted) in (True, False)
    except TypeError:
        return False  # a `TypedDict`, or a `Protocol` that isn't checkable at run time


@dataclass(frozen=True, slots=True)
class StateMarker(Marker):
    """Asks for the workflow's state object."""

    kind = RequestKind.STATE

    def __call__(self) -> Self:
        """Mean the same as without a call."""
        return self


@dataclass(frozen=True, slots=True)
class ContextMarker(Marker):
    """Asks for the run's context."""

    kind = RequestKind.CONTEXT

    def __call__(self) -> Self:
        """Mean the same as without a call."""
        return self


@dataclass(frozen=True, slots=True)
class InputMarker(Marker):
    """Asks for the validated arguments of a tool call, whole."""

    kind = RequestKind.INPUT

    def __call__(self) -> Self:
        """Mean the same as without a call."""
        return self


@dataclass(frozen=True, slots=True)
class MemoryMarker(Marker):
    """Asks for a memory: the first one, or the one over `store`."""

    kind = RequestKind.MEMORY
    store: type | None = None

    def __call__(self, store: type | None = None) -> "MemoryMarker":
        """Name the store whose memory is asked for."""
        return MemoryMarker(store)


state = StateMarker()
context = ContextMarker()
input = InputMarker()
memory = MemoryMarker()

State = Annotated[T, state()]
Input = Annotated[T, input()]

"""Parameters and sources in, arguments out. What can't be filled was refused when the app was made."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, cast

from thena_contract.declarations import ParamKind
from thena_contract.vocabulary import RequestKind
from thena_runtime.build.plan import MISSING_STORE, Slot

Filled = tuple[list[Any], dict[str, Any]]  # of whatever types the callee declares


_NONE: Final[Mapping[str, object]] = MappingProxyType({})
_MISSING: Final = object()


def fill(
    slots: Sequence[Slot],
    sources: Mapping[RequestKind, object],
    arguments: Mapping[str, object] = _NONE,
) -> Filled:
    """Give each parameter its source or its argument; one that has neither keeps its default."""
    positional: list[object] = []
    named: dict[str, object] = {}
    for slot in slots:
        value = arguments.get(slot.name, _MISSING) if slot.request is None else _requested(slot, slot.request, sources)
        if slot.kind is ParamKind.POSITIONAL_ONLY:
            # Those that follow would shift if this one were left out.
            positional.append(slot.default if value is _MISSING else value)
        elif value is not _MISSING:
            named[slot.name] = value
    return positional, named


def _requested(slot: Slot, request: RequestKind, sources: Mapping[RequestKind, object]) -> object:
    source = sources.get(request, _MISSING)
    if request is not RequestKind.MEMORY or source is _MISSING:
        return source
    # Of memories there are several, and the plan says which one is meant.
    return _MISSING if slot.store == MISSING_STORE else cast(tuple[object, ...], source)[slot.store]

"""Parameters and sources in, arguments out. What can't be filled was refused when the app was made."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from thena_contract.declarations import ParamKind
from thena_contract.vocabulary import RequestKind
from thena_runtime.build.plan import MISSING_STORE, Slot

Filled = tuple[list[Any], dict[str, Any]]  # of whatever types the callee declares


def fill(
    slots: Sequence[Slot],
    sources: Mapping[RequestKind, object],
    arguments: Mapping[str, object] | None = None,
) -> Filled:
    """Give each parameter its source or its argument; one that has neither keeps its default."""
    positional: list[object] = []
    named: dict[str, object] = {}
    given = arguments or {}
    for slot in slots:
        is_known = _is_known(slot, sources, given)
        if slot.kind is ParamKind.POSITIONAL_ONLY:
            # Those that follow would shift if this one were left out.
            positional.append(_value(slot, sources, given) if is_known else slot.default)
        elif is_known:
            named[slot.name] = _value(slot, sources, given)
    return positional, named


def _is_known(slot: Slot, sources: Mapping[RequestKind, object], given: Mapping[str, object]) -> bool:
    if slot.request is None:
        return slot.name in given
    return slot.request in sources and slot.store != MISSING_STORE


def _value(slot: Slot, sources: Mapping[RequestKind, object], given: Mapping[str, object]) -> object:
    if slot.request is None:
        return given[slot.name]
    source = sources[slot.request]
    # Of memories there are several, and the plan says which one is meant.
    return cast(tuple[object, ...], source)[slot.store] if slot.request is RequestKind.MEMORY else source

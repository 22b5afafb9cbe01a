"""Parameters and sources in, arguments out. What can't be filled was refused when the app was made."""

from collections.abc import Mapping, Sequence
from typing import Any

from thena_contract.declarations import ParamKind
from thena_contract.vocabulary import RequestKind
from thena_runtime.build.plan import Slot

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
        is_known = slot.name in given if slot.request is None else slot.request in sources
        if slot.kind is ParamKind.POSITIONAL_ONLY:
            # Those that follow would shift if this one were left out.
            positional.append(_value(slot, sources, given) if is_known else slot.default)
        elif is_known:
            named[slot.name] = _value(slot, sources, given)
    return positional, named


def _value(slot: Slot, sources: Mapping[RequestKind, object], given: Mapping[str, object]) -> object:
    return given[slot.name] if slot.request is None else sources[slot.request]

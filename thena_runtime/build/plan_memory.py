"""Memories, planned: which of the registered stores a parameter is about.

A marker names the store, or means the first. In an agent's constructor memories without a marker are counted: the
first that asks gets the first store. Where nothing at all is marked, parameters without annotation are counted too.
"""

import inspect
from collections.abc import Mapping
from dataclasses import replace

from thena_contract.declarations import UNKNOWN, ParamDecl, ParamKind
from thena_contract.vocabulary import RequestKind
from thena_runtime.build.draft import Draft, slot
from thena_runtime.build.plan import MISSING_STORE, Slot
from thena_runtime.build.signatures import Callee
from thena_runtime.markers import MemoryMarker


def count_memories(draft: Draft, callee: Callee) -> Mapping[str, int]:
    """The position of each parameter of an agent's constructor that is filled by position."""
    is_marked = any(callee.annotations[param.name].markers for param in callee.params)
    counts = [param for param in callee.params if _is_bare(callee, param)]
    if not is_marked and draft.stores:
        counts = [param for param in callee.params if _is_bare(callee, param) or _is_untyped(callee, param)]
    return {param.name: position for position, param in enumerate(counts)}


def memory_slot(draft: Draft, text: str, callee: Callee, param: ParamDecl, position: int | None = None) -> Slot:
    """Plan a memory. One that isn't there is a problem, unless the parameter has a default, which it then keeps."""
    store = _find_store(draft, text, callee, param, position)
    # A request that no source answers keeps the default.
    return replace(slot(param, RequestKind.MEMORY, callee), store=MISSING_STORE if store is None else store)


def _find_store(draft: Draft, text: str, callee: Callee, param: ParamDecl, position: int | None) -> int | None:
    marker = next((each for each in callee.annotations[param.name].markers if isinstance(each, MemoryMarker)), None)
    wanted = None if marker is None else marker.store
    if wanted is not None:
        index = next((index for index, store in enumerate(draft.stores) if issubclass(store, wanted)), None)
        problem = (
            f"{text} asks for the memory over `{wanted.__name__}`, which isn't registered. "
            f"Add it: `ThenaConfig(memory=[{wanted.__name__}])`."
        )
    else:
        index = position or 0
        problem = f"{text} asks for a memory, and the app registers no store. Add one: `ThenaConfig(memory=[...])`."
        if index >= len(draft.stores):
            if draft.stores:
                problem = (
                    f"{text} is memory number {index + 1} by position, and the app registers {len(draft.stores)}. "
                    "Add a store to `ThenaConfig(memory=[...])`, or name the one that is meant with `memory(Store)`."
                )
            index = None
    if index is None and not param.has_default:
        draft.problem(problem, param.anchor)
    return index


def _is_bare(callee: Callee, param: ParamDecl) -> bool:
    asks = param.requests is not UNKNOWN and param.asks_for(RequestKind.MEMORY)
    return asks and not callee.annotations[param.name].markers


def _is_untyped(callee: Callee, param: ParamDecl) -> bool:
    return (
        callee.annotations[param.name].value is inspect.Parameter.empty
        and not param.has_default
        and param.kind not in (ParamKind.VAR_POSITIONAL, ParamKind.VAR_KEYWORD)
    )

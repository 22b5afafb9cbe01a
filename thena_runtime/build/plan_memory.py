"""Memories, planned: which of the app's stores a parameter is about.

The contract says which parameters are filled by position (`thena_contract.memories`), and whether all that is asked for
is there.
"""

from dataclasses import replace

from thena_contract.declarations import ParamDecl
from thena_contract.vocabulary import RequestKind
from thena_runtime.build.draft import Draft, slot, what
from thena_runtime.build.identity import is_derived
from thena_runtime.build.plan import MISSING_STORE, Slot
from thena_runtime.build.signatures import Callee
from thena_runtime.markers import MemoryMarker


def memory_slot(draft: Draft, callee: Callee, param: ParamDecl, position: int = 0) -> Slot:
    """Plan a memory. A parameter whose store isn't there keeps its default."""
    stores = draft.description.app.stores
    markers = callee.annotations[param.name].markers
    wanted = next((each.store for each in markers if isinstance(each, MemoryMarker)), None)
    if wanted is not None and not isinstance(wanted, type):
        draft.problem(
            f"`memory(...)` at parameter {param.index} `{param.name}` names {what(wanted)}, which is no class. "
            "Name the class of a store.",
            param.anchor,
        )
    elif wanted is not None:
        position = next((index for index, store in enumerate(stores) if is_derived(store, wanted)), len(stores))
    found = position if position < len(stores) else MISSING_STORE
    return replace(slot(param, RequestKind.MEMORY, callee), store=found)

"""What an app gives to the runs of its workflow, described: its stores, the type of its data, its settings.

Left out on purpose: the stores themselves, which runs share, and what the settings mean.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Final

from thena_contract.declarations import AppDecl, ClassDecl
from thena_contract.frozen import frozen
from thena_runtime.build.describe_state import bases_of
from thena_runtime.build.identity import is_derived, ref_of
from thena_runtime.build.things import given_to


@frozen(kw_only=True)
class AppParts:
    """What `Thena(...)` was given beside its workflow. `stores` are the classes of the stores, in their order."""

    stores: tuple[type, ...] = ()
    data: type | None = None
    settings: Mapping[str, object] = field(default_factory=dict)


NO_PARTS: Final = AppParts()
"""What `Thena(Flow)` gives: nothing."""


def describe_app(parts: AppParts, asked: Iterable[type]) -> AppDecl:
    """Describe an app. `asked` are the classes that somebody wants a store to be."""
    wanted = set(asked)
    return AppDecl(
        stores=tuple(_class(store, {one for one in wanted if is_derived(store, one)}) for store in parts.stores),
        data=None if parts.data is None else _class(parts.data, set()),
        config=given_to(parts.settings),
    )


def _class(cls: type, registered: set[type]) -> ClassDecl:
    """A class with all above it; what it counts as derived from without being so, as of a `Protocol`, is among them."""
    above = {*bases_of(cls), *(ref_of(one) for one in registered if one is not cls)}
    return ClassDecl(ref=ref_of(cls), bases=tuple(sorted(above)))

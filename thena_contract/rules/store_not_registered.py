"""THN204: a memory over a store that the app doesn't register."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.anchor import Ref
from thena_contract.assembly import Assembly
from thena_contract.declarations import ClassDecl
from thena_contract.fault import Fault, Finding


@final
class StoreNotRegistered(Fault):
    """`memory(Store)` names a store that isn't among those of the app."""

    code: ClassVar[str] = "THN204"
    name: ClassVar[str] = "store-not-registered"
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` asks for the memory over `{store}`, "
        "and the app of workflow `{workflow}` doesn't register that store."
    )
    hint: ClassVar[str] = "Add it: `ThenaConfig(memory=[{store}])`."

    subject: str
    index: int
    parameter: str
    store: str
    workflow: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every required memory over a store that is certainly not there."""
    for asked in assembly.memories():
        if isinstance(asked.store, Ref) and _is_missing(asked.store, assembly):
            fault = StoreNotRegistered(
                subject=asked.subject,
                index=asked.param.index,
                parameter=asked.param.name,
                store=asked.store.name,
                workflow=asked.workflow,
            )
            yield Finding(fault, asked.param.anchor, asked.chain)


def _is_missing(wanted: Ref, assembly: Assembly) -> bool:
    return all(isinstance(store, ClassDecl) and store.is_a(wanted) is False for store in assembly.stores or ())

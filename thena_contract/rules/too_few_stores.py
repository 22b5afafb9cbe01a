"""THN210: a constructor takes more memories by position than there are stores."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding


@final
class TooFewStores(Fault):
    """The n-th memory by position gets the n-th store, which the app doesn't have."""

    code: ClassVar[str] = "THN210"
    name: ClassVar[str] = "too-few-stores"
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` is memory number {number} by position, "
        "and the app of workflow `{workflow}` registers {stores}."
    )
    hint: ClassVar[str] = (
        "Add a store to `ThenaConfig(memory=[...])`, or name the one that is meant: "
        "`{parameter}: Annotated[VectorMemory, memory(YourStore)]`."
    )

    subject: str
    index: int
    parameter: str
    number: int
    workflow: str
    stores: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every required memory whose position is beyond the stores of the app."""
    count = len(assembly.stores or ())
    count = len(assembly.stores or ())
    for asked in assembly.memories():
        if asked.store is None and 0 < count <= asked.position:
            fault = TooFewStores(
                subject=asked.subject,
                index=asked.param.index,
                parameter=asked.param.name,
                number=asked.position + 1,
                workflow=asked.workflow,
                stores="one store" if count == 1 else f"{count} stores",
            )
            yield Finding(fault, asked.param.anchor, asked.chain)

"""THN205: a memory is asked for in an app without any store."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding


@final
class NoStoreRegistered(Fault):
    """A memory needs a store, and the app registers none."""

    code: ClassVar[str] = "THN205"
    name: ClassVar[str] = "no-store-registered"
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` asks for a memory, "
        "and the app of workflow `{workflow}` registers no store."
    )
    hint: ClassVar[str] = "Add one: `ThenaConfig(memory=[YourStore])`."

    subject: str
    index: int
    parameter: str
    workflow: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every required memory that names no store, where there is none at all."""
    for asked in assembly.memories():
        if asked.store is None and assembly.stores == ():
            fault = NoStoreRegistered(
                subject=asked.subject, index=asked.param.index, parameter=asked.param.name, workflow=asked.workflow
            )
            yield Finding(fault, asked.param.anchor, asked.chain)

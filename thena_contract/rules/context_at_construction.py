"""THN202: the context is asked for before it exists."""

from collections.abc import Iterator
from itertools import chain
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding
from thena_contract.vocabulary import RequestKind


@final
class ContextAtConstruction(Fault):
    """A constructor asks for the context, which exists only once a run has begun."""

    code: ClassVar[str] = "THN202"
    name: ClassVar[str] = "context-at-construction"
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` asks for the context, "
        "which doesn't exist yet when the object is made."
    )
    hint: ClassVar[str] = "Take the context in a tool's `execute`, or as the last parameter of a hook."

    subject: str
    index: int
    parameter: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every constructor parameter that asks for the context, with or without a default."""
    for consumer in chain(assembly.constructors(), assembly.tool_constructors()):
        for param in consumer.signature.params:
            if param.asks_for(RequestKind.CONTEXT):
                fault = ContextAtConstruction(
                    subject=consumer.signature.subject, index=param.index, parameter=param.name
                )
                yield Finding(fault, param.anchor)

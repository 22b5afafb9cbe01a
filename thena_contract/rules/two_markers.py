"""THN213: one parameter asks for two things."""

from collections.abc import Iterator
from itertools import chain
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding


@final
class TwoMarkers(Fault):
    """Two markers stand on one parameter, or one on a type that asks for something else by itself."""

    code: ClassVar[str] = "THN213"
    name: ClassVar[str] = "two-markers"
    text: ClassVar[str] = "`{subject}` parameter {index} `{parameter}` asks for {first} and for {second} at once."
    hint: ClassVar[str] = "Keep the one that is meant, and take the other in a parameter of its own."

    subject: str
    index: int
    parameter: str
    first: str
    second: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every parameter that asks for more than one thing."""
    for consumer in chain(assembly.constructors(), assembly.tool_constructors(), assembly.executes()):
        for param in consumer.signature.params:
            # Nested annotations are flattened in an order of their own, which says nothing to their author.
            asked = sorted(request.text for request in param.asked())
            if len(asked) > 1:
                fault = TwoMarkers(
                    subject=consumer.signature.subject,
                    index=param.index,
                    parameter=param.name,
                    first=asked[0],
                    second=asked[1],
                )
                yield Finding(fault, param.anchor)

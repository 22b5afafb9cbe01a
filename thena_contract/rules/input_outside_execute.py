"""THN203: the input of a tool call is asked for where there is none."""

from collections.abc import Iterator
from itertools import chain
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding
from thena_contract.vocabulary import RequestKind


@final
class InputOutsideExecute(Fault):
    """A constructor asks for the arguments of a tool call."""

    code: ClassVar[str] = "THN203"
    name: ClassVar[str] = "input-outside-execute"
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` asks for the input of a tool call, "
        "and when the object is made there is no call."
    )
    hint: ClassVar[str] = "Take `Input[...]` in a tool's `execute`."

    subject: str
    index: int
    parameter: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every constructor parameter that asks for the input, with or without a default."""
    for consumer in chain(assembly.constructors(), assembly.tool_constructors()):
        for param in consumer.signature.params:
            if param.asks_for(RequestKind.INPUT):
                fault = InputOutsideExecute(subject=consumer.signature.subject, index=param.index, parameter=param.name)
                yield Finding(fault, param.anchor)

"""THN401: the input is asked for as something that holds no arguments."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding
from thena_contract.vocabulary import RequestKind


@final
class InputNotAModel(Fault):
    """`Input[T]` where `T` has no JSON schema of an object."""

    code: ClassVar[str] = "THN401"
    name: ClassVar[str] = "input-not-a-model"
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` asks for the input, "
        "and its type is no model that could hold a tool's arguments."
    )
    hint: ClassVar[str] = "Give `Input[...]` a pydantic model, a dataclass or a `TypedDict` of plain values."

    subject: str
    index: int
    parameter: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every `Input[T]` that a model can't be told about."""
    for subject, param in assembly.arguments():
        if param.asks_for(RequestKind.INPUT) and param.has_schema is False:
            fault = InputNotAModel(subject=subject, index=param.index, parameter=param.name)
            yield Finding(fault, param.anchor)

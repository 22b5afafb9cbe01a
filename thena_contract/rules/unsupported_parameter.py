"""THN212: `*args` or `**kwargs` that asks for something."""

from collections.abc import Iterator
from itertools import chain
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import ParamKind
from thena_contract.fault import Fault, Finding


@final
class UnsupportedParameter(Fault):
    """A marker stands on a parameter that takes any number of arguments."""

    code: ClassVar[str] = "THN212"
    name: ClassVar[str] = "unsupported-parameter"
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` asks for {asked}, but takes any number of arguments."
    )
    hint: ClassVar[str] = "Ask in a parameter of its own, without a star."

    subject: str
    index: int
    parameter: str
    asked: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every `*args` and `**kwargs` that asks for something."""
    for consumer in chain(assembly.constructors(), assembly.tool_constructors(), assembly.executes()):
        for param in consumer.signature.params:
            if param.is_variadic and param.asked():
                star = "*" if param.kind is ParamKind.VAR_POSITIONAL else "**"
                fault = UnsupportedParameter(
                    subject=consumer.signature.subject,
                    index=param.index,
                    parameter=f"{star}{param.name}",
                    asked=param.asked()[0].text,
                )
                yield Finding(fault, param.anchor)

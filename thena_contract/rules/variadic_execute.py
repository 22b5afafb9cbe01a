"""THN404: any number of arguments, which a model can't be told about."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import ParamDecl, ParamKind
from thena_contract.fault import Fault, Finding


@final
class VariadicExecute(Fault):
    """A tool takes `*args` or `**kwargs`."""

    code: ClassVar[str] = "THN404"
    name: ClassVar[str] = "variadic-execute"
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` takes any number of arguments, which a model can't be told about."
    )
    hint: ClassVar[str] = "Give each argument a parameter of its own, or take {instead}."

    subject: str
    index: int
    parameter: str
    instead: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every `*args` and `**kwargs` of a tool."""
    for consumer in assembly.executes():
        for param in consumer.signature.params:
            if param.is_variadic and param.requests == ():
                yield Finding(_fault(consumer.signature.subject, param), param.anchor)


def _fault(subject: str, param: ParamDecl) -> VariadicExecute:
    stars, instead = ("**", "a dict") if param.kind is ParamKind.VAR_KEYWORD else ("*", "a list")
    return VariadicExecute(subject=subject, index=param.index, parameter=f"{stars}{param.name}", instead=instead)

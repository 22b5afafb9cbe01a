"""THN207: the model's arguments would go to two places."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import ParamDecl, StrayMarker
from thena_contract.fault import Fault, Finding
from thena_contract.vocabulary import RequestKind


@final
class TwoInputs(Fault):
    """An `execute` has two `Input[...]`, or one beside arguments that the model fills in one by one."""

    code: ClassVar[str] = "THN207"
    name: ClassVar[str] = "two-inputs"
    text: ClassVar[str] = (
        "`{subject}` takes the whole input as `{whole}`, and parameter {index} `{parameter}` beside it "
        "would be filled from the same arguments."
    )
    hint: ClassVar[str] = "Move `{parameter}` into the model of `{whole}`, or take every argument by itself."

    subject: str
    whole: str
    index: int
    parameter: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report the first argument of every `execute` that stands beside its whole input."""
    for consumer in assembly.executes():
        params = consumer.signature.params
        whole = next((param for param in params if param.asks_for(RequestKind.INPUT)), None)
        beside = next((param for param in params if param is not whole and _is_argument(param)), None)
        if whole is not None and beside is not None:
            fault = TwoInputs(
                subject=consumer.signature.subject, whole=whole.name, index=beside.index, parameter=beside.name
            )
            yield Finding(fault, beside.anchor)


def _is_argument(param: ParamDecl) -> bool:
    is_plain = param.requests == () and not param.is_variadic and not isinstance(param.stray, StrayMarker)
    return is_plain or param.asks_for(RequestKind.INPUT)

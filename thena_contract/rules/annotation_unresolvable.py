"""THN211: an annotation that decides something can't be evaluated."""

from collections.abc import Iterator
from itertools import chain
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import UNKNOWN, AnnotationDecl, ParamDecl, Signature
from thena_contract.fault import Fault, Finding
from thena_contract.vocabulary import RequestKind


@final
class AnnotationUnresolvable(Fault):
    """A name in an annotation isn't there when the app is made, so nobody knows what the parameter is for."""

    code: ClassVar[str] = "THN211"
    name: ClassVar[str] = "annotation-unresolvable"
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` is annotated with `{missing}`, "
        "which can't be evaluated when the app is made."
    )
    hint: ClassVar[str] = "Import it at run time: at the top of the module, outside of `if TYPE_CHECKING`."

    subject: str
    index: int
    parameter: str
    missing: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every parameter that must be filled, and whose annotation doesn't say with what."""
    for consumer in chain(assembly.constructors(), assembly.tool_constructors()):
        for param in consumer.signature.params:
            if param.is_required and not param.asked():
                yield from _found(consumer.signature, param)
    for consumer in assembly.executes():
        for param in consumer.signature.params:
            # The model is told of the type of what it fills in.
            if not param.asked() or param.asks_for(RequestKind.INPUT):
                yield from _found(consumer.signature, param)


def _found(signature: Signature, param: ParamDecl) -> Iterator[Finding]:
    if isinstance(param.annotation, AnnotationDecl) and param.annotation.missing is not UNKNOWN:
        for missing in param.annotation.missing[:1]:
            fault = AnnotationUnresolvable(
                subject=signature.subject, index=param.index, parameter=param.name, missing=missing
            )
            yield Finding(fault, param.anchor)

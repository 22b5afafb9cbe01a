"""THN402: an argument of which the model isn't told what to send."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding, Severity


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterWithoutType(Fault):
    """A parameter that the model fills in has no annotation."""

    code: ClassVar[str] = "THN402"
    name: ClassVar[str] = "parameter-without-type"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` has no annotation, so the model isn't told what to send."
    )
    hint: ClassVar[str] = "Add its type, such as `{parameter}: str`."

    subject: str
    index: int
    parameter: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every argument without an annotation."""
    for subject, param in assembly.arguments():
        if param.annotation is None and not param.is_variadic:
            fault = ParameterWithoutType(subject=subject, index=param.index, parameter=param.name)
            yield Finding(fault, param.anchor)

"""THN402: an argument of which the model isn't told what to send."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import UNKNOWN, ParamDecl
from thena_contract.fault import Fault, Finding, Severity

_TYPES: Final[Mapping[str | None, str]] = {
    None: "str",
    "NoneType": "str | None",
    "list": "list[str]",
    "dict": "dict[str, str]",
    **{name: name for name in ("bool", "int", "float", "str")},
}
"""What to write for a default of a type; without a default, something to begin with."""


@final
class ParameterWithoutType(Fault):
    """A parameter that the model fills in has no annotation."""

    code: ClassVar[str] = "THN402"
    name: ClassVar[str] = "parameter-without-type"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` has no annotation, so the model isn't told what to send."
    )
    hint: ClassVar[str] = "Add its type, {such}."

    subject: str
    index: int
    parameter: str
    such: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every argument without an annotation."""
    for subject, param in assembly.arguments():
        if param.annotation is None and not param.is_variadic:
            fault = ParameterWithoutType(subject=subject, index=param.index, parameter=param.name, such=_such(param))
            yield Finding(fault, param.anchor)


def _such(param: ParamDecl) -> str:
    """A type to begin with: that of the default, if there is one."""
    if param.default is UNKNOWN:
        return "that of its default"
    return f"such as `{param.name}: {_TYPES[param.default]}`"

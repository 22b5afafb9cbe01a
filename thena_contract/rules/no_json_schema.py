"""THN403: an argument of a type that a model can't be told about."""

from collections.abc import Iterator
from typing import ClassVar, Final, final

from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding

_TYPES: Final = (
    "a plain value, a list, a dict, a dataclass or a pydantic model as its type; "
    "what the program itself has belongs on the tool"
)


@final
class NoJsonSchema(Fault):
    """A parameter that the model fills in has a type without a JSON schema."""

    code: ClassVar[str] = "THN403"
    name: ClassVar[str] = "no-json-schema"
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` is filled in by the model, "
        "which can't be told about its type: it has no JSON schema."
    )
    hint: ClassVar[str] = "Give it {instead}."

    subject: str
    index: int
    parameter: str
    instead: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every unmarked argument whose type has no JSON schema."""
    for subject, param in assembly.untellable():
        state = assembly.unasked_state(param)
        instead = _TYPES if state is None else f"the marker of the state: `{param.name}: State[{state.name}]`"
        fault = NoJsonSchema(subject=subject, index=param.index, parameter=param.name, instead=instead)
        yield Finding(fault, param.anchor, () if state is None else assembly.declared_here())

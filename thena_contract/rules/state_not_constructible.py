"""THN601: a state of which no run can make an object."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import ParamDecl, Shape, Signature, StateDecl, Thing, Unknown
from thena_contract.fault import Fault, Finding, Related


@final
class StateNotConstructible(Fault):
    """The state is no class, or one that can't be made without arguments."""

    code: ClassVar[str] = "THN601"
    name: ClassVar[str] = "state-not-constructible"
    text: ClassVar[str] = "`state=` of workflow `{workflow}` is {what}, and every run makes an object of it."
    hint: ClassVar[str] = "Give it a class that can be made without arguments."

    workflow: str
    what: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report a state that certainly can't be made."""
    if assembly.workflow is None:
        return
    what, needed = _why_not(assembly.workflow.state)
    if what is not None:
        needs = () if needed is None else (Related(f"`{needed.name}` is needed here", needed.anchor),)
        fault = StateNotConstructible(workflow=assembly.workflow.ref.name, what=what)
        anchor = assembly.workflow.anchor.at("option", "state")
        yield Finding(fault, anchor, (*needs, *assembly.declared_here()))


def _why_not(state: StateDecl | Thing | Unknown | None) -> tuple[str | None, ParamDecl | None]:
    """What the state is that can't be made, and the parameter that stands in the way."""
    match state:
        case Thing():
            return f"{state.text}, which is no class", None
        case StateDecl(shape=Shape() as shape) if (reason := _reason(shape)) is not None:
            return f"`{state.ref.name}`, {reason}", None
        case StateDecl():
            called = (state.shape.new if isinstance(state.shape, Shape) else None, state.constructor)
            needed = next((param for each in called if isinstance(each, Signature) for param in _required(each)), None)
            if needed is not None:
                return f"`{state.ref.name}`, which can't be made without `{needed.name}`", needed
    return None, None


def _reason(shape: Shape) -> str | None:
    match shape.kind:
        case "abstract":
            return f"which is abstract: it leaves `{shape.missing}` to its subclasses"
        case "enum":
            return "an `Enum`, which has its members and no other objects"
        case "protocol":
            return "a `Protocol`, which only describes other classes"
        case "typed_dict":
            return "a `TypedDict`, which only describes dicts"
    return None


def _required(signature: Signature) -> Iterator[ParamDecl]:
    return (param for param in signature.params if param.is_required)

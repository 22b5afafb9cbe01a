"""THN304: a loop that counts on another class of state than its workflow has."""

from collections.abc import Iterator
from typing import ClassVar, Final, final

from thena_contract.anchor import Anchor, Ref
from thena_contract.assembly import Assembly
from thena_contract.declarations import (
    AnnotationDecl,
    ClassDecl,
    LoopStep,
    ParamDecl,
    Signature,
    StateDecl,
    Thing,
    WorkflowDecl,
)
from thena_contract.fault import Fault, Finding, Related

_WITH_STATE: Final = 2


@final
class UntilStateMismatch(Fault):
    """The second parameter of `until`, or `loop(state=)`, names another class than the workflow's state."""

    code: ClassVar[str] = "THN304"
    name: ClassVar[str] = "until-state-mismatch"
    text: ClassVar[str] = "`{position}` {wants}, but workflow `{workflow}` declares {declared} as its state."
    hint: ClassVar[str] = "Name the same class there and as `state=` of `@Workflow` on `{workflow}`."

    position: str
    wants: str
    workflow: str
    declared: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every loop that names a class which the workflow's state certainly isn't."""
    if assembly.workflow is None:
        return
    for loop in assembly.loops():
        for anchor, wants in _mismatches(loop, assembly.workflow):
            state = assembly.workflow.state
            fault = UntilStateMismatch(
                position=anchor.label,
                wants=wants,
                workflow=assembly.workflow.ref.name,
                declared=f"`{state.ref.name}`" if isinstance(state, StateDecl) else "none",
            )
            yield Finding(fault, anchor, (*_declared(assembly.workflow), *assembly.declared_here()))


def _mismatches(loop: LoopStep, workflow: WorkflowDecl) -> Iterator[tuple[Anchor, str]]:
    match loop.state:
        case Thing():
            yield loop.anchor.at("state"), f"is {loop.state.text}"
        case ClassDecl(ref=wanted) if workflow.state is None or _is_other(workflow, wanted):
            yield loop.anchor.at("state"), f"names `{wanted.name}`"
    param = _second(loop)
    match param:
        case ParamDecl(annotation=AnnotationDecl(of=Ref() as wanted)) if _is_other(workflow, wanted):
            yield loop.anchor.at("until"), f"takes `{wanted.name}` as its second parameter `{param.name}`"


def _second(loop: LoopStep) -> ParamDecl | None:
    """The parameter of `until` that is given the state."""
    positional = loop.until.positional if isinstance(loop.until, Signature) else ()
    return positional[1] if len(positional) >= _WITH_STATE else None


def _is_other(workflow: WorkflowDecl, wanted: Ref) -> bool:
    return isinstance(workflow.state, StateDecl) and workflow.state.is_a(wanted) is False


def _declared(workflow: WorkflowDecl) -> tuple[Related, ...]:
    if not isinstance(workflow.state, StateDecl):
        return ()
    return (Related(f"the state of `{workflow.ref.name}` is named here", workflow.anchor.at("option", "state")),)

"""THN111: a workflow that is run inside itself, without an end."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import NestedStep
from thena_contract.fault import Fault, Finding


@final
class WorkflowRecursion(Fault):
    """A workflow contains itself as a step, directly or inside another workflow."""

    code: ClassVar[str] = "THN111"
    name: ClassVar[str] = "workflow-recursion"
    text: ClassVar[str] = "`{position}` of workflow `{workflow}` is {what}, so a run of it would never end."
    hint: ClassVar[str] = "Take `{nested}` out of these steps, and repeat steps with `loop`."

    position: str
    workflow: str
    nested: str
    what: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every step through which the workflow comes back to itself."""
    if assembly.workflow is None:
        return
    own = assembly.workflow.ref
    for step in assembly.steps():
        if isinstance(step, NestedStep) and own in step.reaches:
            nested = step.workflow.name
            what = "that workflow itself" if step.workflow == own else f"`{nested}`, which contains `{own.name}` again"
            fault = WorkflowRecursion(position=step.anchor.label, workflow=own.name, nested=nested, what=what)
            yield Finding(fault, step.anchor, assembly.declared_here())

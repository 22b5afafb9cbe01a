"""THN101: a step that no workflow can run."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import OtherStep
from thena_contract.fault import Fault, Finding


@final
class StepNotAgent(Fault):
    """A step is no `@Agent` or `@Workflow` class and no `loop` or `parallel`."""

    code: ClassVar[str] = "THN101"
    name: ClassVar[str] = "step-not-agent"
    text: ClassVar[str] = "`{workflow}` has {what} as `{position}`, which is no step."
    hint: ClassVar[str] = "Put an `@Agent` or `@Workflow` class, a `loop` or a `parallel` there."

    workflow: str
    position: str
    what: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every entry of a list of steps that is certainly none."""
    for step in assembly.steps():
        if isinstance(step, OtherStep) and assembly.workflow is not None:
            fault = StepNotAgent(
                workflow=assembly.workflow.ref.name, position=step.anchor.label, what=step.thing.text_as_entry
            )
            yield Finding(fault, step.anchor, assembly.declared_here())

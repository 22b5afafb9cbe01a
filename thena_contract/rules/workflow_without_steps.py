"""THN107: a workflow, loop or parallel in which there is nothing to run."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract import vocabulary
from thena_contract.anchor import Anchor
from thena_contract.assembly import Assembly
from thena_contract.declarations import UNKNOWN, Given, LoopStep, ParallelStep, Steps, Unknown
from thena_contract.fault import Fault, Finding
from thena_contract.frozen import frozen


@final
class WorkflowWithoutSteps(Fault):
    """The steps of a workflow, `loop` or `parallel` are missing or empty."""

    code: ClassVar[str] = "THN107"
    name: ClassVar[str] = "workflow-without-steps"
    text: ClassVar[str] = "`{position}` of workflow `{workflow}` {problem}, so there is nothing to run."
    hint: ClassVar[str] = "Put at least one agent there: `steps=[YourAgent]`."

    position: str
    workflow: str
    problem: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every list of steps that has none, or that isn't there."""
    if assembly.workflow is None:
        return
    name = assembly.workflow.ref.name
    for one in _lists(assembly):
        if one.steps == ():
            fault = WorkflowWithoutSteps(position=one.anchor.label, workflow=name, problem="is empty")
            yield Finding(fault, one.anchor, assembly.declared_here())
        elif one.steps is None and one.given is not UNKNOWN and one.given.has_only(one.options):
            # Otherwise they may be what was given without a name, or by a name that is misspelt.
            fault = WorkflowWithoutSteps(position=one.anchor.label, workflow=name, problem="is missing")
            yield Finding(fault, one.owner, assembly.declared_here())


@frozen
class _List:
    steps: Steps
    given: Given | Unknown
    options: tuple[str, ...]
    owner: Anchor
    anchor: Anchor


def _lists(assembly: Assembly) -> Iterator[_List]:
    workflow = assembly.workflow
    if workflow is not None:
        options = vocabulary.DECORATORS[vocabulary.WORKFLOW]
        yield _List(workflow.steps, workflow.given, options, workflow.anchor, workflow.anchor.at("option", "steps"))
    for step in assembly.steps():
        if isinstance(step, LoopStep | ParallelStep):
            builder = vocabulary.LOOP if isinstance(step, LoopStep) else vocabulary.PARALLEL
            options = vocabulary.STEP_BUILDERS[builder]
            yield _List(step.steps, step.given, options, step.anchor, step.anchor.at("steps"))

"""THN214: the state's class without a marker, where a model fills in the arguments."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding, Severity


@final
class StateWithoutMarker(Fault):
    """An `execute` takes the class of the workflow's state as an argument, which the model would make up."""

    code: ClassVar[str] = "THN214"
    name: ClassVar[str] = "state-without-marker"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` is a `{state}`, the state of workflow `{workflow}`, "
        "and without a marker the model fills it in."
    )
    hint: ClassVar[str] = "Write `{parameter}: State[{state}]` to be given the workflow's own object."

    subject: str
    index: int
    parameter: str
    state: str
    workflow: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every argument of a tool that has the class of the workflow's state, and that a model could fill in."""
    # What no model can be told about is at fault for that, and THN403 says what to write instead.
    untellable = {param.anchor for _, param in assembly.untellable()}
    for consumer in assembly.executes():
        for param in consumer.signature.params:
            state = assembly.unasked_state(param)
            if assembly.workflow is not None and state is not None and param.anchor not in untellable:
                fault = StateWithoutMarker(
                    subject=consumer.signature.subject,
                    index=param.index,
                    parameter=param.name,
                    state=state.name,
                    workflow=assembly.workflow.ref.name,
                )
                yield Finding(fault, param.anchor, (*consumer.chain, *assembly.declared_here()))

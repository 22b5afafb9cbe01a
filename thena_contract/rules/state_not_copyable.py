"""THN603: a state with a class attribute that runs would have to share."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import StateDecl
from thena_contract.fault import Fault, Finding


@final
class StateNotCopyable(Fault):
    """A class attribute of the state can't be copied for each run, or has no place in an object."""

    code: ClassVar[str] = "THN603"
    name: ClassVar[str] = "state-not-copyable"
    text: ClassVar[str] = (
        "`{state}.{attribute}` belongs to the state of workflow `{workflow}`, and can't be copied for each run."
    )
    hint: ClassVar[str] = "Set it in `__init__` of `{state}`, or annotate it as `ClassVar` for all runs to share it."

    state: str
    attribute: str
    workflow: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report the first initial value that a run can't be given a copy of."""
    if assembly.workflow is not None and isinstance(assembly.workflow.state, StateDecl):
        state = assembly.workflow.state
        if isinstance(state.uncopied, str):
            fault = StateNotCopyable(
                state=state.ref.name, attribute=state.uncopied, workflow=assembly.workflow.ref.name
            )
            yield Finding(fault, assembly.workflow.anchor.at("option", "state"), assembly.declared_here())

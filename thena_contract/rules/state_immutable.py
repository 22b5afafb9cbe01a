"""THN604: a state whose fields nobody can set."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import StateDecl
from thena_contract.fault import Fault, Finding, Severity


@final
class StateImmutable(Fault):
    """The state is a frozen dataclass or model, or a `NamedTuple`."""

    code: ClassVar[str] = "THN604"
    name: ClassVar[str] = "state-immutable"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = "`{state}`, the state of workflow `{workflow}`, is frozen, so no step can set its fields."
    hint: ClassVar[str] = (
        "Give `{workflow}` a state whose fields can be set, such as a dataclass without `frozen=True`."
    )

    state: str
    workflow: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report a state that is certainly frozen."""
    if assembly.workflow is not None and isinstance(assembly.workflow.state, StateDecl):
        state = assembly.workflow.state
        if state.is_frozen is True:
            fault = StateImmutable(state=state.ref.name, workflow=assembly.workflow.ref.name)
            yield Finding(fault, assembly.workflow.anchor.at("option", "state"), assembly.declared_here())

"""THN201: the state is asked for where none is declared."""

from collections.abc import Iterator
from itertools import chain
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.fault import Fault, Finding
from thena_contract.vocabulary import RequestKind


@final
class StateNotDeclared(Fault):
    """An agent's constructor or a tool's `execute` asks for the state of a workflow that declares none."""

    code: ClassVar[str] = "THN201"
    name: ClassVar[str] = "state-not-declared"
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` asks for the state, but workflow `{workflow}` declares none."
    )
    hint: ClassVar[str] = "Add `state=YourState` to `@Workflow` on `{workflow}`."

    subject: str
    index: int
    parameter: str
    workflow: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every required request for the state that this workflow can't satisfy."""
    if assembly.workflow is None or assembly.workflow.state is not None:
        return
    for consumer in chain(assembly.constructors(), assembly.executes()):
        for param in consumer.signature.params:
            if param.asks_for(RequestKind.STATE) and param.is_required:
                fault = StateNotDeclared(
                    subject=consumer.signature.subject,
                    index=param.index,
                    parameter=param.name,
                    workflow=assembly.workflow.ref.name,
                )
                yield Finding(fault, param.anchor, (*consumer.chain, *assembly.declared_here()))

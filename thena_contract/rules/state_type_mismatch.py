"""THN209: the state is asked for as a class that it isn't."""

from collections.abc import Iterator
from itertools import chain
from typing import ClassVar, final

from thena_contract.assembly import Assembly, classes_asked, told_apart
from thena_contract.declarations import StateDecl
from thena_contract.fault import Fault, Finding
from thena_contract.vocabulary import RequestKind


@final
class StateTypeMismatch(Fault):
    """`State[Other]` in a workflow whose state is neither that class nor derived from it."""

    code: ClassVar[str] = "THN209"
    name: ClassVar[str] = "state-type-mismatch"
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` asks for the state as `{wanted}`, "
        "but workflow `{workflow}` declares `state={declared}`."
    )
    hint: ClassVar[str] = "Name the same class in both places, or a base of the declared one in `State[...]`."

    subject: str
    index: int
    parameter: str
    wanted: str
    workflow: str
    declared: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every request for the state whose class certainly isn't the declared one's."""
    if assembly.workflow is None or not isinstance(assembly.workflow.state, StateDecl):
        return
    state = assembly.workflow.state
    asking = chain(assembly.constructors(), assembly.executes())
    for consumer, param, wanted in classes_asked(asking, RequestKind.STATE):
        if state.is_a(wanted) is False:
            expected, declared = told_apart(wanted, state.ref)
            fault = StateTypeMismatch(
                subject=consumer.signature.subject,
                index=param.index,
                parameter=param.name,
                wanted=expected,
                workflow=assembly.workflow.ref.name,
                declared=declared,
            )
            yield Finding(fault, param.anchor, (*consumer.chain, *assembly.declared_here()))

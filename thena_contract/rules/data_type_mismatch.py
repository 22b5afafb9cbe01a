"""THN215: the run's data is expected to be of a class that it isn't."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly, Consumer, classes_asked, told_apart
from thena_contract.declarations import UNKNOWN, ClassDecl, Signature
from thena_contract.fault import Fault, Finding
from thena_contract.vocabulary import RequestKind


@final
class DataTypeMismatch(Fault):
    """`Context[Other]` in an app whose data is neither of that class nor of one derived from it."""

    code: ClassVar[str] = "THN215"
    name: ClassVar[str] = "data-type-mismatch"
    text: ClassVar[str] = (
        "`{subject}` parameter {index} `{parameter}` is a `Context[{wanted}]`, "
        "but the app of workflow `{workflow}` has `data={declared}`."
    )
    hint: ClassVar[str] = "Name the same class in both places."

    subject: str
    index: int
    parameter: str
    wanted: str
    workflow: str
    declared: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every context whose data certainly isn't of the app's class."""
    if assembly.workflow is None or assembly.app is UNKNOWN or not isinstance(assembly.app.data, ClassDecl):
        return
    data = assembly.app.data
    end = (*assembly.declared_here(), *assembly.made_here())
    for consumer, param, wanted in classes_asked((*assembly.executes(), *_hooks(assembly)), RequestKind.CONTEXT):
        if data.is_a(wanted) is False:
            expected, declared = told_apart(wanted, data.ref)
            fault = DataTypeMismatch(
                subject=consumer.signature.subject,
                index=param.index,
                parameter=param.name,
                wanted=expected,
                workflow=assembly.workflow.ref.name,
                declared=declared,
            )
            yield Finding(fault, param.anchor, (*consumer.chain, *end))


def _hooks(assembly: Assembly) -> Iterator[Consumer]:
    for agent, chain in assembly.all_agents():
        for method in () if agent.methods is UNKNOWN else agent.methods:
            if method.name in vocabulary.CALLED and isinstance(method.called, Signature):
                yield Consumer(method.called, chain)

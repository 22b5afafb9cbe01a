"""THN301: `until` takes the state where none is declared."""

from collections.abc import Iterator
from typing import ClassVar, Final, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import Signature
from thena_contract.fault import Fault, Finding

_WITH_STATE: Final = 2


@final
class UntilNeedsState(Fault):
    """`until` has a required second parameter, which is the state, and the workflow declares none."""

    code: ClassVar[str] = "THN301"
    name: ClassVar[str] = "until-needs-state"
    text: ClassVar[str] = (
        "`{position}` takes the state as its second parameter `{parameter}`, but workflow `{workflow}` declares none."
    )
    hint: ClassVar[str] = (
        "Add `state=YourState` to `@Workflow` on `{workflow}`, or use an `until` that takes only `ctx`."
    )

    position: str
    parameter: str
    workflow: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every loop whose `until` can't be called without a state."""
    if assembly.workflow is None or assembly.workflow.state is not None:
        return
    for loop in assembly.loops():
        if not isinstance(loop.until, Signature):
            continue
        required = loop.until.required_positional
        if len(required) == _WITH_STATE and not loop.until.required_keyword:
            anchor = loop.anchor.at("until")
            fault = UntilNeedsState(
                position=anchor.label, parameter=required[1].name, workflow=assembly.workflow.ref.name
            )
            yield Finding(fault, anchor, assembly.declared_here())

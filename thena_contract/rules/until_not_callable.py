"""THN303: a loop without an `until` that can be asked."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly
from thena_contract.declarations import UNKNOWN, LoopStep, Thing
from thena_contract.fault import Fault, Finding


@final
class UntilNotCallable(Fault):
    """`until` is missing, or nothing that can be called."""

    code: ClassVar[str] = "THN303"
    name: ClassVar[str] = "until-not-callable"
    text: ClassVar[str] = "`{position}` of workflow `{workflow}` {problem}, so the loop can't ask whether it is done."
    hint: ClassVar[str] = "Give it a function of `(ctx)` or `(ctx, state)`, such as `until=until_answered`."

    position: str
    workflow: str
    problem: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every loop that has no `until`, or one that is no callable."""
    for loop in assembly.loops():
        problem = _problem(loop)
        if assembly.workflow is not None and problem is not None:
            anchor = loop.anchor.at("until")
            fault = UntilNotCallable(position=anchor.label, workflow=assembly.workflow.ref.name, problem=problem)
            yield Finding(fault, loop.anchor if loop.until is None else anchor, assembly.declared_here())


def _problem(loop: LoopStep) -> str | None:
    match loop.until:
        case Thing():
            return f"is {loop.until.text}, which can't be called"
        case None if loop.given is not UNKNOWN and loop.given.has_only(vocabulary.STEP_BUILDERS[vocabulary.LOOP]):
            # Otherwise it may be what was given without a name, or by a name that is misspelt.
            return "is missing"
    return None

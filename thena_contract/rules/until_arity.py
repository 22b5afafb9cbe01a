"""THN302: an `until` that can't be called with `(ctx)` or `(ctx, state)`."""

from collections.abc import Iterator
from typing import ClassVar, Final, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import Signature
from thena_contract.fault import Fault, Finding

_MOST: Final = 2


@final
class UntilArity(Fault):
    """`until` can't be called with one or two positional arguments."""

    code: ClassVar[str] = "THN302"
    name: ClassVar[str] = "until-arity"
    text: ClassVar[str] = (
        "`{position}` of workflow `{workflow}` {needs}, but it is called with `(ctx)` or `(ctx, state)`."
    )
    hint: ClassVar[str] = "Give `until` one parameter `ctx`, or two parameters `ctx` and `state`."

    position: str
    workflow: str
    needs: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every loop whose `until` could never be called."""
    for loop in assembly.loops():
        if not isinstance(loop.until, Signature) or assembly.workflow is None:
            continue
        needs = _needs(loop.until)
        if needs is not None:
            anchor = loop.anchor.at("until")
            fault = UntilArity(position=anchor.label, workflow=assembly.workflow.ref.name, needs=needs)
            yield Finding(fault, anchor, assembly.declared_here())


def _needs(until: Signature) -> str | None:
    """What makes a call impossible, or `None`."""
    if until.required_keyword:
        return f"has a required keyword-only parameter `{until.required_keyword[0].name}`"
    if len(until.required_positional) > _MOST:
        return f"needs {len(until.required_positional)} arguments"
    if not until.positional and not until.takes_any_positional:
        return "takes no argument"
    return None

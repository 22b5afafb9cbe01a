"""THN309: an `until` that makes an object, which is always true."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import Signature
from thena_contract.fault import Fault, Finding


@final
class UntilIsAClass(Fault):
    """`until` is a class, so that what it gives is an object of it, which counts as true."""

    code: ClassVar[str] = "THN309"
    name: ClassVar[str] = "until-is-a-class"
    text: ClassVar[str] = (
        "`{position}` of workflow `{workflow}` is a class, and each object that is made of it counts as true, "
        "so the loop ends after its first iteration."
    )
    hint: ClassVar[str] = "Give it a function of `(ctx)` or `(ctx, state)`, or an object that can be called."

    position: str
    workflow: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every `until` that is a class; one that takes no argument can't be called at all, which is THN302."""
    for loop in assembly.loops():
        until = loop.until
        if not isinstance(until, Signature) or until.makes_object is not True or assembly.workflow is None:
            continue
        if until.positional or until.takes_any_positional:
            anchor = loop.anchor.at("until")
            fault = UntilIsAClass(position=anchor.label, workflow=assembly.workflow.ref.name)
            yield Finding(fault, anchor, assembly.declared_here())

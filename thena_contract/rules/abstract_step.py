"""THN115: an agent or tool of which no object can be made."""

from collections.abc import Iterator
from typing import ClassVar, final

from thena_contract.assembly import Assembly
from thena_contract.declarations import Shape
from thena_contract.fault import Fault, Finding


@final
class AbstractStep(Fault):
    """An agent that is a step, or a tool of one, is an abstract class, a `Protocol` or the like."""

    code: ClassVar[str] = "THN115"
    name: ClassVar[str] = "abstract-step"
    text: ClassVar[str] = "`{declared}` is {what}, so a run can't make an object of it."
    hint: ClassVar[str] = "Use a class that is complete."

    declared: str
    what: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every class that a run of the workflow couldn't make an object of."""
    if assembly.workflow is None:
        return
    declared = ((one, used) for every in (assembly.all_agents(), assembly.all_tools()) for one, used in every)
    for one, used in declared:
        if isinstance(one.shape, Shape) and one.shape.kind != "plain":
            fault = AbstractStep(declared=one.ref.name, what=one.shape.text)
            yield Finding(fault, one.anchor, (*used, *assembly.declared_here()))

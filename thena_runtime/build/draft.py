"""An app in the making: what was described, and the problems that came up while it was planned.

A problem is a fault that the contract has no rule for yet. Each is a sentence with subject, fact and repair.
"""

import inspect
from dataclasses import field, replace
from typing import Final

from thena_contract.anchor import Anchor, Ref
from thena_contract.declarations import ParamDecl
from thena_contract.frozen import frozen
from thena_contract.vocabulary import RequestKind
from thena_runtime.build.describe import Description
from thena_runtime.build.identity import ref_of
from thena_runtime.build.plan import Slot
from thena_runtime.build.signatures import Callee

NOWHERE: Final = Anchor(Ref("", ""))
"""The anchor of a signature that is read only to be counted."""


@frozen
class Draft:
    """What is being planned. Owned by the making of one app."""

    description: Description
    refused: frozenset[Anchor] = frozenset()
    """Where the contract has found an error."""
    here: Anchor = NOWHERE
    """The class or function that is being planned: where a problem stands that says no better."""
    problems: list[tuple[str, Anchor]] = field(default_factory=list)

    def inside(self, thing: object) -> "Draft":
        """The same draft, while this class or function is planned."""
        return replace(self, here=Anchor(ref_of(thing)))

    def problem(self, text: str, at: Anchor | None = None) -> None:
        """Keep a problem, and where it stands."""
        self.problems.append((text, at or self.here))

    def is_refused(self, callee: Callee) -> bool:
        """Say whether the contract has found an error at a parameter."""
        return any(param.anchor in self.refused for param in callee.params)


def slot(param: ParamDecl, request: RequestKind | None, callee: Callee) -> Slot:
    """The parameter as a run fills it."""
    return Slot(param.name, param.kind, request, param.has_default, callee.defaults.get(param.name))


def what(value: object) -> str:
    """A value as texts call it, by what its author would recognise."""
    if isinstance(value, type):
        return f"the class `{value.__name__}`"
    if inspect.isroutine(value):
        return f"the function `{getattr(value, '__name__', '?')}`"
    return f"a value of type `{type(value).__name__}`"

"""THN306: an `on_fail` or `on_exhausted` that can't be called with what it is given."""

from collections.abc import Iterator, Sequence
from typing import ClassVar, final

from thena_contract import vocabulary
from thena_contract.assembly import Assembly
from thena_contract.declarations import Called, LoopStep, Signature, Thing
from thena_contract.fault import Fault, Finding


@final
class CallbackArity(Fault):
    """A callback of a loop needs more than it is given, or can't be called at all."""

    code: ClassVar[str] = "THN306"
    name: ClassVar[str] = "callback-arity"
    text: ClassVar[str] = "`{position}` of workflow `{workflow}` {problem}."
    hint: ClassVar[str] = "Give it a function of `({given})`, which may leave out the last ones."

    position: str
    workflow: str
    problem: str
    given: str


def check(assembly: Assembly) -> Iterator[Finding]:
    """Report every callback of a loop whose call would fail."""
    for loop in assembly.loops():
        for name, given in vocabulary.CALLBACKS.items():
            problem = _problem(_callback(loop, name), given)
            if problem is not None and assembly.workflow is not None:
                anchor = loop.anchor.at(name)
                fault = CallbackArity(
                    position=anchor.label,
                    workflow=assembly.workflow.ref.name,
                    problem=problem,
                    given=", ".join(given),
                )
                yield Finding(fault, anchor, assembly.declared_here())


def _callback(loop: LoopStep, name: str) -> Called:
    return loop.on_fail if name == vocabulary.ON_FAIL else loop.on_exhausted


def _problem(callback: Called, given: Sequence[str]) -> str | None:
    """What makes a call impossible, or `None`."""
    called = f"but it is called with `({', '.join(given)})`"
    match callback:
        case Thing():
            return f"is {callback.text}, which can't be called"
        case Signature(required_keyword=[first, *_]):
            return f"has a required keyword-only parameter `{first.name}`, {called}"
        case Signature(required_positional=required) if len(required) > len(given):
            return f"needs {len(required)} arguments, {called}"
    return None

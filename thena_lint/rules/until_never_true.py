"""THN307: `until` rests on fields of the state that nothing in the workflow writes, or returns nothing at all."""

from collections.abc import Iterator

from thena_contract.source_faults.until_never_true import UntilNeverTrue
from thena_lint.bodies.acts import Act
from thena_lint.bodies.flows import Flow, Loop
from thena_lint.bodies.meanings import Known
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.outcome import fields_read, outcome
from thena_lint.bodies.spotted import Spotted
from thena_lint.bodies.unwritten import unwritten_fields


def check(index: BodyIndex, flow: Flow) -> Iterator[Spotted]:
    """Report every `until` that is false whatever the loop does."""
    for loop in flow.loops:
        reason = _reason(index, flow, loop)
        if reason is not None:
            yield Spotted(UntilNeverTrue(workflow=flow.workflow.ref.name, reason=reason), loop.site)


def _reason(index: BodyIndex, flow: Flow, loop: Loop) -> str | None:
    until = loop.until
    if until is None:
        return None
    if _returns_nothing(until):
        return f"`{until.subject}` returns nothing"
    fields = fields_read(until, loop.state)
    if not fields or outcome(until, loop.state, unwritten_fields(index, flow, fields)) is not False:
        return None
    return f"nothing in the workflow writes {_listed(fields)}"


def _returns_nothing(until: Act) -> bool:
    """Say whether a function does something and never gives a value, nor ends the run through the context."""
    through_context = (
        use
        for _, use, count in until.uses_of(Known.CONTEXT)
        if use.how == "called" or count == len(use.chain.attributes)
    )
    return not (until.body.returns or until.body.raises) and until.body.does_something and not any(through_context)


def _listed(names: tuple[str, ...]) -> str:
    *first, last = (f"`{name}`" for name in names)
    return f"{', '.join(first)} or {last}" if first else last

"""THN308: `until` is a constant, or rests on fields that nothing ever writes."""

from collections.abc import Iterator

from thena_contract.source_faults.until_always_true import UntilAlwaysTrue
from thena_lint.bodies.flows import Flow
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.outcome import fields_read, outcome
from thena_lint.bodies.spotted import Spotted
from thena_lint.bodies.unwritten import unwritten_fields


def check(index: BodyIndex, flow: Flow) -> Iterator[Spotted]:
    """Report every `until` that is true whatever the loop does."""
    for loop in flow.loops:
        if loop.until is None:
            continue
        fields = fields_read(loop.until, loop.state)
        if outcome(loop.until, loop.state, unwritten_fields(index, flow, fields)) is True:
            yield Spotted(UntilAlwaysTrue(workflow=flow.workflow.ref.name), loop.site)

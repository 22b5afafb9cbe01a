"""THN805: a name of the context is set that the runtime owns."""

from collections.abc import Iterator

from thena_contract import vocabulary
from thena_contract.source_faults.reserved_context_name import ReservedContextName
from thena_lint.bodies.acts import Act
from thena_lint.bodies.meanings import Known
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.spotted import Spotted


def check(index: BodyIndex, act: Act) -> Iterator[Spotted]:
    """Report every assignment to such a name, or deletion of it."""
    for number, use, count in act.uses_of(Known.CONTEXT):
        rest = use.chain.attributes[count:]
        is_changed = len(rest) == 1 and use.how in ("set", "augmented", "deleted") and not use.may_fail
        if is_changed and rest[0] in vocabulary.OWNED_BY_CONTEXT:
            fault = ReservedContextName(subject=act.subject, field=rest[0])
            yield Spotted(fault, act.site.doing(number, attribute=count))

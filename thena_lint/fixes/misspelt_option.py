"""THN110: an option that nothing reads, where another one is meant."""

from collections.abc import Iterator

import libcst

from thena_contract.rules.unknown_option import UnknownOption
from thena_contract.spelling import nearest
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Fix
from thena_lint.rewrite.context import FixContext


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Spell the option as it is."""
    found = context.anchored(one, libcst.Arg)
    meant = _meant(context, one)
    if found is None or meant is None or found[1].keyword is None:
        return
    region, _ = found
    yield Fix(title=f"Write `{meant}`", applicability=Applicability.SAFE, edits=(region.swap(found[1].keyword, meant),))


def _meant(context: FixContext, one: Diagnostic) -> str | None:
    """The option that is meant, if its giver doesn't have it already."""
    linked = context.linked(one)
    if linked is None or one.finding is None or not isinstance(one.fault, UnknownOption):
        return None
    option = one.fault.option
    for giver in linked.assembly.givers():
        if giver.anchor.at(option) == one.finding.anchor:
            meant = nearest(option, giver.accepts)
            return None if meant in giver.given.names else meant
    return None

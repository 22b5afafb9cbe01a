"""THN602: a field that the state's class doesn't have, where another one is meant, or one that was to be declared."""

import re
from collections.abc import Iterator
from typing import Final

import libcst

from thena_contract.source_faults.unknown_state_field import UnknownStateField
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Fix
from thena_lint.rewrite.context import FixContext

_MEANT: Final = re.compile(r", or use `(\w+)`")


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Use the field whose name is nearest."""
    found = context.nodes(one)
    if found is None or not isinstance(one.fault, UnknownStateField):
        return
    region, nodes = found
    meant = _MEANT.fullmatch(one.fault.instead)
    for node in reversed(nodes.path):
        if meant is not None and isinstance(node, libcst.Attribute) and node.attr.value == one.fault.field:
            edits = (region.swap(node.attr, meant[1]),)
            yield Fix(title=f"Use `{meant[1]}`", applicability=Applicability.UNSAFE, edits=edits)
            return

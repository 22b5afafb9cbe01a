"""THN809: nobody awaits a run."""

from collections.abc import Iterator

import libcst

from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Fix
from thena_lint.rewrite.context import FixContext


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Await it, where that can be done."""
    found = context.nodes(one)
    if found is None:
        return
    region, nodes = found
    around = next((node for node in reversed(nodes.path) if isinstance(node, libcst.FunctionDef | libcst.Lambda)), None)
    statement = nodes.last(libcst.Expr)
    if isinstance(around, libcst.FunctionDef) and around.asynchronous is not None and statement is not None:
        yield Fix(
            title="Await it",
            applicability=Applicability.UNSAFE,
            edits=(region.insert(region.start(statement.value), "await "),),
        )

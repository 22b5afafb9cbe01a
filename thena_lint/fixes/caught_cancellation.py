"""THN808: a handler that also catches the cancellation of its own run."""

from collections.abc import Iterator

import libcst

from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Edit, Fix
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.region import Region, nodes_in

_EXCEPT = "except"
_ALL = "BaseException"
_ERRORS = "Exception"


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Catch errors alone."""
    found = context.nodes(one)
    if found is None:
        return
    region, nodes = found
    handler = nodes.last(libcst.ExceptHandler)
    around = handler or nodes.last(libcst.Call)
    edit = None if around is None else _only_errors(region, around)
    if edit is not None:
        yield Fix(title=f"Catch `{_ERRORS}`", applicability=Applicability.UNSAFE, edits=(edit,))


def _only_errors(region: Region, around: libcst.ExceptHandler | libcst.Call) -> Edit | None:
    if isinstance(around, libcst.ExceptHandler) and around.type is None:
        return region.insert(region.start(around) + len(_EXCEPT), f" {_ERRORS}")
    caught = around.type if isinstance(around, libcst.ExceptHandler) else around
    names = [] if caught is None else [node for node in nodes_in(caught) if isinstance(node, libcst.Name)]
    named = [node for node in names if node.value == _ALL]
    return region.swap(named[0], _ERRORS) if len(named) == 1 else None

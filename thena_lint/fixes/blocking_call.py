"""THN801: async code calls what blocks every run."""

from collections.abc import Iterator
from typing import Final

import libcst

from thena_contract.source_faults.blocking_call import BlockingCall
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Edit, Fix
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.imports import name_of_module
from thena_lint.rewrite.region import Region, has_newline

_ASYNCIO: Final = "asyncio"
_SLEEP: Final = "time.sleep"
_NOT_A_FUNCTION: Final = frozenset({"httpx.stream"})
"""What gives a context manager, which blocks as soon as it is entered."""

_ALONE: Final = (
    *(libcst.Expr, libcst.Assign, libcst.AnnAssign, libcst.Return, libcst.Arg, libcst.WithItem),
    *(libcst.AugAssign, libcst.NamedExpr, libcst.Element),
)
"""Where an `await` needs no brackets."""


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Sleep without blocking; call anything else in a thread."""
    found = context.nodes(one)
    if found is None or not isinstance(one.fault, BlockingCall) or one.fault.call in _NOT_A_FUNCTION:
        return
    region, nodes = found
    end = region.source.offset(one.place.end_line, one.place.end_column)
    number = next(
        (n for n, node in enumerate(nodes.path) if isinstance(node, libcst.Call) and region.bare_end(node) == end), None
    )
    if number is None or _is_inside_a_comprehension(nodes.path[: number + 1]):
        return
    call, around = nodes.path[number], nodes.path[number - 1]
    named = name_of_module(context, region, _ASYNCIO)
    if named is None or not isinstance(call, libcst.Call) or call.lpar:
        return
    needs_brackets = not isinstance(around, _ALONE)
    sleeps = one.fault.call == _SLEEP
    instead = f"{named.name}.sleep" if sleeps else f"{named.name}.to_thread"
    edits = _slept(region, call, instead) if sleeps else _in_thread(region, call, instead)
    brackets = (region.insert(region.bare_end(call), ")"),) if needs_brackets else ()
    first = Edit(edits[0].path, edits[0].start, edits[0].end, ("(" if needs_brackets else "") + edits[0].text)
    yield Fix(
        title=f"Write `await {instead}(...)`",
        applicability=Applicability.UNSAFE,
        edits=(*named.edits, first, *edits[1:], *brackets),
    )


def _is_inside_a_comprehension(path: tuple[libcst.CSTNode, ...]) -> bool:
    """Say whether a comprehension or lambda stands between a call and its function."""
    for node in reversed(path):
        if isinstance(node, libcst.FunctionDef):
            return False
        if isinstance(node, libcst.BaseComp | libcst.Lambda):
            return True
    return True


def _slept(region: Region, call: libcst.Call, sleep: str) -> tuple[Edit, ...]:
    return (region.swap(call.func, f"await {sleep}"),)


def _in_thread(region: Region, call: libcst.Call, thread: str) -> tuple[Edit, ...]:
    """The function becomes the first argument of another call."""
    begins = region.insert(region.start(call.func), f"await {thread}(")
    if not call.args:
        return begins, region.edit(region.end(call.func), region.bare_end(call) - 1, "")
    text = region.source.text
    bracket = text.index("(", region.end(call.func))
    is_below = has_newline(text[bracket : region.start(call.args[0])])
    return begins, region.edit(region.end(call.func), bracket + 1, "," if is_below else ", ")

"""THN902: a comment ignores what isn't found there."""

from collections.abc import Callable, Iterator, Set
from typing import Final

from thena_contract.codes import NAMES
from thena_contract.source_faults.unused_suppression import UnusedSuppression
from thena_lint.bodies.remarks import Remark
from thena_lint.source.suppress import Comment, Ignored

_OF_LINE: Final = "on this line"
_OF_FILE: Final = "in this file"


def check(comment: Comment, used: Set[Ignored], is_told: Callable[[str], bool]) -> Iterator[Remark]:
    """Report every known code in a comment that nothing was found for, or a comment without codes."""
    where = _OF_FILE if comment.is_of_file else _OF_LINE
    at = (comment.line, comment.column)
    if not comment.codes:
        if (*at, None) not in used:
            fault = UnusedSuppression(comment=comment.text, where=where)
            yield Remark(fault, comment.line, comment.column, len(comment.text))
        return
    if any(one.text == UnusedSuppression.code for one in comment.ours):
        return
    for one in comment.ours:
        if one.text in NAMES and is_told(one.text) and (*at, one.text) not in used:
            fault = UnusedSuppression(comment=comment.naming(one.text), where=where)
            yield Remark(fault, comment.line, one.column, len(one.text))

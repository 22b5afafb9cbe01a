"""THN902: a comment ignores what isn't found there."""

from collections.abc import Callable, Iterator, Set

from thena_contract.codes import NAMES
from thena_contract.source_faults.unused_suppression import UnusedSuppression
from thena_lint.bodies.remarks import Remark
from thena_lint.source.suppress import Comment, Ignored


def check(comment: Comment, used: Set[Ignored], is_told: Callable[[str], bool]) -> Iterator[Remark]:
    """Report every known code in a comment that nothing was found for, or a comment without codes."""
    if not comment.codes:
        if (comment.line, None) not in used:
            yield Remark(UnusedSuppression(comment=comment.text), comment.line, comment.column, len(comment.text))
        return
    if any(one.text == UnusedSuppression.code for one in comment.codes):
        return
    for one in comment.codes:
        if one.text in NAMES and is_told(one.text) and (comment.line, one.text) not in used:
            fault = UnusedSuppression(comment=f"# thena: ignore[{one.text}]")
            yield Remark(fault, comment.line, one.column, len(one.text))

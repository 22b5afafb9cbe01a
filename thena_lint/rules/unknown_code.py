"""THN903: a comment ignores a code that no fault has."""

from collections.abc import Iterator
from typing import Final

from thena_contract.catalogue import FAULTS
from thena_contract.source_faults.unknown_code import UnknownCode
from thena_lint.bodies.remarks import Remark
from thena_lint.source.faults import FileUnreadable, LinterFailed, SyntaxFault, TooDeeplyNested
from thena_lint.source.suppress import Comment

_CODES: Final = frozenset(
    {*FAULTS, *(one.code for one in (SyntaxFault, FileUnreadable, LinterFailed, TooDeeplyNested))}
)
_BY_NAME: Final = {fault.name: code for code, fault in FAULTS.items()}


def check(comment: Comment) -> Iterator[Remark]:
    """Report every code in a comment that no fault has."""
    for one in comment.codes or ():
        if one.text not in _CODES:
            yield Remark(
                UnknownCode(given=one.text, instead=_instead(one.text)), comment.line, one.column, len(one.text)
            )


def _instead(given: str) -> str:
    """What was most likely meant."""
    code = _BY_NAME.get(given.lower().replace("_", "-"), given.upper())
    return f"`{code}`" if code in _CODES else "the code as the finding shows it"

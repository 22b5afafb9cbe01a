"""THN903: a comment ignores a code that no fault has."""

from collections.abc import Iterator
from typing import Final

from thena_contract.codes import NAMES
from thena_contract.source_faults.unknown_code import UnknownCode
from thena_lint.bodies.remarks import Remark
from thena_lint.source.suppress import Comment

_BY_NAME: Final = {name: code for code, name in NAMES.items()}


def check(comment: Comment) -> Iterator[Remark]:
    """Report every code in a comment that no fault has."""
    for one in comment.ours:
        if one.text not in NAMES:
            yield Remark(
                UnknownCode(given=one.text, instead=_instead(one.text)), comment.line, one.column, len(one.text)
            )


def _instead(given: str) -> str:
    """What was most likely meant."""
    code = _BY_NAME.get(given.lower().replace("_", "-"), given.upper())
    return f"`{code}`" if code in NAMES else "the code as the finding shows it"

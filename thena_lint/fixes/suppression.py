"""THN902 and THN903: a comment that silences nothing, or names a code that no fault has."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from thena_contract.source_faults.unknown_code import UnknownCode
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability, Edit, Fix
from thena_lint.rewrite.context import FixContext
from thena_lint.rewrite.region import line_end, line_start, next_line
from thena_lint.source.suppress import Comment, suppressions_in
from thena_lint.source.text import SourceText

_BETWEEN: Final = " \t:-"
"""What may stand between a comment that silences something and the reason for it."""

_INSTEAD: Final = re.compile(r"`(THN\d+)`")


def fixes(context: FixContext, one: Diagnostic) -> Iterator[Fix]:
    """Delete what silences nothing; write the code that is meant."""
    source = context.source(Path(one.place.path))
    comment = None if source is None else suppressions_in(source).at(one.place.line, one.place.column)
    if source is None or comment is None:
        return
    start = source.offset(one.place.line, one.place.column)
    end = source.offset(one.place.end_line, one.place.end_column)
    if isinstance(one.fault, UnknownCode):
        meant = _INSTEAD.fullmatch(one.fault.instead)
        if meant is not None:
            edit = Edit(source.path, start, end, meant[1])
            yield Fix(title=f"Write `{meant[1]}`", applicability=Applicability.SAFE, edits=(edit,))
        return
    yield Fix(
        title=f"Delete `{source.text[start:end]}`",
        applicability=Applicability.SAFE,
        edits=(_without(source, comment, start, end),),
    )


def _without(source: SourceText, comment: Comment, start: int, end: int) -> Edit:
    """The comment without a code; without the last one the whole of it."""
    text = source.text
    if comment.codes is not None and len(comment.codes) > 1:
        number = next(n for n, code in enumerate(comment.codes) if source.offset(comment.line, code.column) == start)
        if number:
            before = comment.codes[number - 1]
            start = source.offset(comment.line, before.column) + len(before.text)
        else:
            end = source.offset(comment.line, comment.codes[1].column)
        return Edit(source.path, start, end, "")
    start = source.offset(comment.line, comment.column)
    end = start + len(comment.text)
    rest = text[end : line_end(text, end)]
    if rest.strip():
        # What else the comment says stays a comment.
        said = rest.lstrip(_BETWEEN)
        return Edit(source.path, start, end + len(rest) - len(said), "" if said.startswith("#") else "# ")
    code = text[line_start(text, start) : start].rstrip()
    if not code:
        return Edit(source.path, line_start(text, start), next_line(text, end), "")
    return Edit(source.path, line_start(text, start) + len(code), line_end(text, end), "")

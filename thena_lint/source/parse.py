"""Text -> libcst tree, remembered by text. Never raises: a text that is no Python gives a `SyntaxProblem`.

libcst knows newer grammar than the interpreter that runs it, so it is the authority on what is Python. Where both
reject a text, Python's own words are used, since they are the better ones.
"""

import ast
import io
import re
import tokenize
import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import libcst

_REMEMBERED: Final = 64
_DEEPEST: Final = 200
"""Python's own limit for nested brackets. libcst has none, and ends the process when its stack is full."""

_BRACKET: Final = re.compile(r"[()\[\]{}]")
_PLACE: Final = re.compile(r"error at (\d+):\d+")
_SURE: Final = ("was never closed", "unterminated", "unindent", "expected an indented block", "expected ':'")


@dataclass(frozen=True, slots=True)
class SyntaxProblem:
    """Why a text isn't Python, and where (line and column from 1)."""

    reason: str
    line: int
    column: int


@lru_cache(maxsize=_REMEMBERED)
def parse(text: str) -> libcst.Module | SyntaxProblem:
    """Parse a whole file."""
    if (null := text.find("\0")) >= 0:
        line = 1 + len(re.findall(r"\r\n|\n|\r", text[:null]))
        return SyntaxProblem("source code cannot contain null bytes", line, 1)
    if (deep := _too_deep(text)) is not None:
        return SyntaxProblem("too many nested parentheses", deep, 1)
    try:
        return libcst.parse_module(text)
    except libcst.ParserSyntaxError as error:
        return _explain(text, error)
    except (RecursionError, ValueError) as error:
        return SyntaxProblem(str(error) or type(error).__name__, 1, 1)


def parses(text: str) -> bool:
    """Say whether a text is Python, without a word about why not, and remembering nothing."""
    if "\0" in text or _too_deep(text) is not None:
        return False
    try:
        libcst.parse_module(text)
    except (libcst.ParserSyntaxError, RecursionError, ValueError):
        return False
    return True


def parse_expression(text: str) -> libcst.BaseExpression | None:
    """Parse one expression, such as an annotation written as a string."""
    if "\0" in text or _too_deep(text) is not None:
        return None
    try:
        return libcst.parse_expression(text.strip())
    except (libcst.ParserSyntaxError, RecursionError, ValueError):
        return None


def _explain(text: str, error: libcst.ParserSyntaxError) -> SyntaxProblem:
    ours = _PLACE.search(error.message)
    line = 0 if ours is None else int(ours[1])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as theirs:
        # An older Python stops at newer syntax, which is no fault. Ours stops at the next token, maybe a line below.
        is_same = ours is None or (theirs.lineno or 1) in (line, line - 1)
        if is_same or any(phrase in theirs.msg for phrase in _SURE):
            return SyntaxProblem(theirs.msg, theirs.lineno or 1, max(theirs.offset or 1, 1))
    except (RecursionError, ValueError, MemoryError):
        pass
    return SyntaxProblem("unexpected syntax", max(line, 1), 1)


def _too_deep(text: str) -> int | None:
    """The line on which brackets are nested deeper than Python allows, or `None`."""
    depth = deepest = 0
    for bracket in _BRACKET.findall(text):
        depth = max(depth + (1 if bracket in "([{" else -1), 0)
        deepest = max(deepest, depth)
    if deepest <= _DEEPEST:
        return None
    depth = 0
    # Brackets in strings and comments don't count, which only the tokens can tell.
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.OP:
                depth += (token.string in "([{") - (token.string in ")]}")
                if depth > _DEEPEST:
                    return token.start[0]
    except (tokenize.TokenError, SyntaxError):
        pass
    return None

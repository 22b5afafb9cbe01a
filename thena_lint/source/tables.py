"""Large tables of constants, as data are written down: nothing in their rows says how anything is wired.

A tree of them takes hundreds of times the memory of their text, and as long to make. So their rows are left out before
a text is parsed, and something that isn't known stands in their place; all else stays where it was.
"""

import ast
from collections.abc import Iterator
from typing import Final

from thena_lint.source.pieces import end_of, lines_of

_LARGE: Final = 4_000
"""Characters from which on it is worth looking for a table."""

_CHARACTERS_A_COMMA: Final = 24
"""A table has a comma for so few characters; code hasn't."""

_EXPORTS: Final = "__all__"
"""What a module exports is a table that counts."""

_Display = ast.Dict | ast.List | ast.Set
_NOT_KNOWN: Final = {ast.Dict: "**-", ast.List: "*-", ast.Set: "*-"}
"""What a display is made of then, together with a string below it: something that no reader can tell the items of."""

_QUOTES: Final = '"' * 3


def without_rows(text: str) -> str:
    """The text without the rows of its large tables; all lines are there, and all else is where it was."""
    if len(text) < _LARGE or text.count(",") * _CHARACTERS_A_COMMA < len(text) or _EXPORTS in text:
        return text
    lines = lines_of(text)
    try:
        tables = list(_tables(ast.parse(text), lines))
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        return text
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    for table in reversed(tables):
        first, last = (starts[row] + _column(lines[row], byte) for row, byte in _ends(table))
        if last - first >= _LARGE:
            text = f"{text[: first + 1]}{_blank(text[first + 1 : last - 1], _NOT_KNOWN[type(table)])}{text[last - 1 :]}"
    return text


def _tables(tree: ast.AST, lines: list[str]) -> Iterator[_Display]:
    """The outermost displays that may be large and hold nothing but constants, from first to last."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _Display) and _is_large(node, lines) and _is_constant(node):
            yield node
        else:
            waiting += reversed([one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.Constant)])


def _is_large(node: _Display, lines: list[str]) -> bool:
    (first, _), (last, _) = _ends(node)
    return sum(map(len, lines[first : last + 1])) >= _LARGE


def _is_constant(node: ast.AST | None) -> bool:
    """Say whether there is nothing but constants in it. A table has so many that each is asked for its type alone."""
    kind = type(node)
    if kind is ast.Constant:
        return True
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(map(_is_constant, node.elts))
    if isinstance(node, ast.Dict):
        return all(map(_is_constant, node.keys)) and all(map(_is_constant, node.values))
    return isinstance(node, ast.UnaryOp) and _is_constant(node.operand)


def _ends(node: _Display) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where it begins and where it ends: the index of the line, and how many bytes of that are before."""
    assert node.end_lineno is not None and node.end_col_offset is not None
    return (node.lineno - 1, node.col_offset), (node.end_lineno - 1, node.end_col_offset)


def _column(line: str, byte: int) -> int:
    return byte if line.isascii() else len(line.encode()[:byte].decode())


def _blank(rows: str, instead: str) -> str:
    """As many lines, the last as long as it was, and from the first on what stands for them all: a single string."""
    *above, last = lines_of(rows + "|")
    ends = list(map(end_of, above))
    left = " " * (len(last) - 1)
    if not ends:
        return f"{instead}{_QUOTES}{_QUOTES}{left[len(instead) + 2 * len(_QUOTES) :]}"
    return f"{instead}{_QUOTES}{''.join(ends[:-1])}{_QUOTES}{ends[-1]}{left}"

"""A file that is parsed piece by piece is the file that is parsed at once."""

import libcst
import pytest
from hypothesis import given
from hypothesis import strategies as st

from thena_lint.source.parse import SyntaxProblem, parse, pieces_of

PARTS = (
    "import a\n",
    "@d(\n    1,\n)\n",
    "class A:\n",
    "    x = 1\n",
    "\n",
    "# comment\n",
    "    # comment inside\n",
    "if a:\n",
    "    pass\n",
    "else:\n",
    "try:\n",
    "except E:\n",
    "finally:\n",
    'x = """\n',
    '"""\n',
    "text: of a string\n",
    "f(\n",
    "1,\n",
    ")\n",
    "y = 1 + \\\n",
    "y = 1 \\\n",
    "2\n",
    "async def f():\n",
    "match a:\n",
    "    case 1: pass\n",
    "\f\n",
    "a = 1; b = 2\n",
    "type T = int\n",
    "\ufeff",
    "a = '😀'",
    "\r\n",
    "\r",
)


def at_once(text: str) -> libcst.Module | None:
    """Parse without pieces."""
    try:
        return libcst.parse_module(text)
    except (libcst.ParserSyntaxError, ValueError):
        return None


@given(st.lists(st.sampled_from(PARTS), max_size=12))
def test_pieces_give_the_tree_of_the_whole(parts: list[str]) -> None:
    """Whatever is cut, the same texts are Python, and the statements are the same."""
    text = "".join(parts)
    whole, found = at_once(text), parse(text)
    if whole is None:
        assert isinstance(found, SyntaxProblem)
        return
    assert isinstance(found, libcst.Module)
    expected = [type(statement) for statement in whole.body]
    assert expected == [type(statement) for statement in found.body]
    without = whole.with_changes(header=[], footer=[])
    assert _code(without) == _code(found)


def _code(tree: libcst.Module) -> list[str]:
    """The code of each statement, without the comments above it, which may belong to a piece's end."""
    empty = libcst.Module(body=[])
    return [empty.code_for_node(one.with_changes(leading_lines=[])).strip() for one in tree.body]  # type: ignore[arg-type]


def test_an_edit_keeps_the_trees_of_everything_else() -> None:
    """After a keystroke only the statement it stands in has a new tree."""
    before = pieces_of("import a\n\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n")
    after = pieces_of("import a\n\n\ndef f():\n    return 11\n\n\ndef g():\n    return 2\n")
    assert not isinstance(before, SyntaxProblem)
    assert not isinstance(after, SyntaxProblem)
    assert [True, False, True] == [one.tree is other.tree for (_, one), (_, other) in zip(before, after, strict=True)]


@pytest.mark.parametrize("count", [3, 30])
def test_a_string_that_looks_like_code_is_one_piece(count: int) -> None:
    """However many lines of a string look like statements, they aren't."""
    text = 'x = """\n' + "y = 1\n" * count + '"""\nz = 1\n'
    tree = parse(text)
    assert isinstance(tree, libcst.Module)
    assert 2 == len(tree.body)

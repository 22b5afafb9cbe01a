"""Half-typed code hides nothing but the statement it stands in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thena_lint.source.mend import Mended, mend
from thena_lint.source.parse import SyntaxProblem, parse

FIRST = "import a\n\n\n"
SECOND = '@d\nclass B:\n    """Text.\n\nMore text: in the first column.\n    """\n\n    x = 1\n\n\n'
THIRD = "def c():\n    return [\n        1,\n]\n"


def mended(text: str) -> Mended | None:
    """Mend a text that doesn't parse."""
    problem = parse(text)
    assert isinstance(problem, SyntaxProblem)
    return mend(text, problem)


@pytest.mark.parametrize(
    ("broken", "lost"),
    [
        ("def half(a, b:\n    return a\n", {"half"}),
        ("async def half(a, b:\n    pass\n", {"half"}),
        ("@Workflow(steps=[A, \nclass Flow:\n    pass\n", {"Flow"}),
        ("class Half(:\n    x = 1\n", {"Half"}),
        ("from m import A, B as\n", {"A", "B", "as"}),
        ("from m import (\n    A,\n    B B,\n)\n", {"A", "B"}),
        ("import m.n as\n", {"m", "n", "as"}),
        ("x, y = = 1\n", {"x", "y"}),
        ("x: int = \n", {"x"}),
        ("if True\n    y = 1\n", {"y"}),
        ("f(\n", set()),
    ],
)
def test_a_broken_statement_is_blanked_and_its_names_are_told(broken: str, lost: set[str]) -> None:
    """Only the broken lines go, and the lines around them keep their numbers."""
    blank = "\n" * broken.count("\n")
    assert Mended(FIRST + blank + SECOND + THIRD, frozenset(lost)) == mended(FIRST + broken + SECOND + THIRD)


def test_a_string_that_is_never_closed_takes_the_rest_with_it() -> None:
    """Below an open triple quote all is text, and what looks like code there declares nothing."""
    found = mended(FIRST + 'x = """\n' + THIRD)
    assert Mended(FIRST + "\n" * 5, frozenset({"x", "c"})) == found


def test_several_broken_statements_are_all_blanked() -> None:
    """Each piece is judged alone."""
    found = mended("x = (\n" + SECOND + "y = )\n" + THIRD)
    assert Mended("\n" + SECOND + "\n" + THIRD, frozenset({"x", "y"})) == found


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_stay_as_they_are(end: str) -> None:
    """A blanked line keeps its own end."""
    assert Mended(end + "y = 1" + end, frozenset({"x"})) == mended("x = (" + end + "y = 1" + end)


@pytest.mark.parametrize("text", ["x = 1\0\ny = 2\n", "(" * 300 + "\ny = 2\n"])
def test_what_no_parser_survives_is_blanked_too(text: str) -> None:
    """A null and far too many brackets cost their own line only."""
    found = mended(text)
    assert found is not None
    assert "\ny = 2\n" == found.text


PARTS = (
    "import a\n",
    SECOND,
    THIRD,
    "x = (\n",
    '"""',
    "def half(a, b:\n",
    "    y = 1\n",
    ")\n",
    "\f\n",
    "@d\n",
    "é = '😀'\n",
)


@given(st.lists(st.sampled_from(PARTS), max_size=8))
def test_mended_text_parses_and_has_the_same_lines(parts: list[str]) -> None:
    """Whatever is typed, every line is either untouched or blank, and the result parses."""
    text = "".join(parts)
    problem = parse(text)
    if not isinstance(problem, SyntaxProblem):
        return
    found = mend(text, problem)
    if found is None:
        return
    assert not isinstance(parse(found.text), SyntaxProblem)
    before, after = text.split("\n"), found.text.split("\n")
    assert len(before) == len(after)
    assert [] == [pair for pair in zip(before, after, strict=True) if pair[1] not in ("", pair[0])]

"""Any text gives a tree or one problem, and never an exception or the end of the process."""

import subprocess
import sys

import libcst
import pytest

from thena_lint.source.parse import SyntaxProblem, parse, parse_expression


@pytest.mark.parametrize(
    "text",
    [
        "type Alias[T: int = int] = list[T]\n",
        'f"{"nested"!r:{"width"}}"\n',
        "try:\n    pass\nexcept A, B:\n    pass\n",
        "",
        "\f\nx = 1\r\ny = 2\rz = 3",
        "x = " + "(" * 150 + ")" * 150 + "\n",
        "x = '" + "(" * 500 + "'\n",
    ],
    ids=["type statement", "nested quotes", "except without parentheses", "empty", "newlines", "deep", "in a string"],
)
def test_python_is_parsed(text: str) -> None:
    """Syntax newer than this interpreter, odd newlines and brackets in strings are no problem."""
    assert isinstance(parse(text), libcst.Module)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x = (\ny = 1\n", SyntaxProblem("'(' was never closed", 1, 5)),
        ("a = 1\nx = = 2\n", SyntaxProblem("invalid syntax", 2, 5)),
        ("a = 1\rx = = 2\r", SyntaxProblem("invalid syntax", 2, 5)),
        ("class A\n    b = 1\n", SyntaxProblem("expected ':'", 1, 8)),
        ("type X = int\na = 1\nx = = 2\n", SyntaxProblem("invalid syntax", 3, 5)),
        ("class A:\n    type X = int\n    a = 1\n    x = = 2\n", SyntaxProblem("unexpected syntax", 4, 1)),
        ("a = 1\nb = '\0'\n", SyntaxProblem("source code cannot contain null bytes", 2, 1)),
        ("a = 1\nb = " + "[" * 5000 + "]" * 5000, SyntaxProblem("too many nested parentheses", 2, 205)),
    ],
    ids=[
        "open bracket",
        "two signs",
        "with CR",
        "missing colon",
        "below newer syntax",
        "inside newer syntax",
        "null",
        "too deep",
    ],
)
def test_problems_are_told_at_their_place(text: str, problem: SyntaxProblem) -> None:
    """Python's own words are used where they are about the same line; the place is right even below newer syntax."""
    if sys.version_info >= (3, 12) and text.startswith("class A:"):
        problem = SyntaxProblem("invalid syntax", 4, 9)

    assert parse(text) == problem


@pytest.mark.parametrize("text", ["State[", "a b", "\0", "(" * 5000], ids=["open", "two names", "null", "deep"])
def test_an_expression_that_is_none(text: str) -> None:
    """A string that is no expression gives nothing."""
    assert parse_expression(text) is None


@pytest.mark.parametrize("opened", ["(", "[", "{", "f("])
def test_deep_nesting_does_not_end_the_process(opened: str) -> None:
    """Thousands of open brackets, closed or not, are one problem, even though the parser's stack couldn't hold them."""
    code = f"from thena_lint.source.parse import parse; print(parse('x = ' + {opened!r} * 20000).reason)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (0, "too many nested parentheses\n") == (done.returncode, done.stdout)

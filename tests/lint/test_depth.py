"""What is nested too deeply is never shown to the parser, whose stack it would fill."""

import subprocess
import sys
from collections.abc import Callable

import libcst
import pytest

from thena_lint.source.depth import LIMIT, too_deep
from thena_lint.source.mend import mend
from thena_lint.source.parse import SyntaxProblem, TooDeep, parse, parse_expression

NESTED: dict[str, Callable[[int], str]] = {
    "sum": lambda n: "x = 1" + "+1" * n,
    "minus": lambda n: "x = " + "-" * n + "1",
    "not": lambda n: "x = " + "not " * n + "1",
    "and": lambda n: "x = 1" + " and 1" * n,
    "power": lambda n: "x = 1" + "**1" * n,
    "if": lambda n: "x = " + "1 if 1 else " * n + "1",
    "lambda": lambda n: "x = " + "lambda: " * n + "1",
    "lambdas in lambdas": lambda n: "x = " + "lambda a, b=" * n + "1" + ": 1" * n,
    "calls": lambda n: "x = a" + ".b()" * n,
    "calls over lines": lambda n: "x = (a" + "\n    .b()" * n + ")",
    "attributes": lambda n: "x = a" + ".b" * n,
    "subscripts": lambda n: "x = a" + "[0]" * n,
    "brackets": lambda n: "x = " + "[" * n + "]" * n,
    "comprehension": lambda n: "x = [1 " + "for a in b " * n + "]",
    "strings": lambda n: "x = (" + ' "a"' * n + ")",
    "strings over lines": lambda n: "x = (\n" + "    'a'  # b\n" * n + ")",
    "formatted strings": lambda n: "x = (" + ' f"{a}"' * n + ")",
    "inside a formatted string": lambda n: 'x = f"a {1' + "+1" * n + '} b"',
    "below a formatted string": lambda n: 'x = f"{a["b"]:{c}}" + 1' + "+1" * n,
    "formats": lambda n: "x = f'" + "{a:" * n + "}" * n + "'",
    "formatted in formatted": lambda n: "x = " + 'f"{' * n + "1" + '}"' * n,
    "elif": lambda n: "if 1: pass\n" + "elif 1: pass\n" * n,
    "elif in a function": lambda n: "def f():\n    if 1:\n        pass\n" + "    elif 1:\n        pass\n" * n,
    "annotation": lambda n: "x: a" + " | a" * n,
    "decorator": lambda n: "@a" + ".b" * n + "\ndef f(): pass",
    "pattern": lambda n: "match x:\n    case a" + ".b" * n + ": pass\n",
    "in a class": lambda n: "class A:\n    def f(self):\n        return 1" + "+1" * n,
}

each_kind = pytest.mark.parametrize("nested", NESTED.values(), ids=NESTED)


@each_kind
def test_deep_nesting_is_told(nested: Callable[[int], str]) -> None:
    """Thousands of levels of any kind are either too deep or no Python, with a line, and never an exception."""
    assert isinstance(parse(nested(3000)), TooDeep | SyntaxProblem)


@each_kind
def test_ordinary_nesting_is_parsed(nested: Callable[[int], str]) -> None:
    """What people write is never too deep."""
    assert too_deep(nested(40)) is None


@pytest.mark.parametrize("end", ["", "\n", ")", '"', "'''"])
def test_deep_nesting_does_not_end_the_process(end: str) -> None:
    """A hundred thousand levels of every kind, closed or not, leave the process as it is."""
    texts = [nested(100_000) + end for nested in NESTED.values()]
    code = (
        "import sys; from thena_lint.source.parse import parse\nfor text in sys.stdin.read().split('\\1'): parse(text)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input="\1".join(texts), capture_output=True, text=True, check=False
    )

    assert (0, "") == (done.returncode, done.stderr)


@pytest.mark.parametrize(
    "text",
    [
        "x = [\n" + "    {'a': b.c(d) + 1, 'e': -f},\n" * 500 + "]\n",
        "x = [" + "lambda a: a.b, " * 300 + "]\n",
        "def f():\n" + "    a.b(c.d, e[0]).f(-1)\n" * 500,
        "if a:\n    pass\n" * 500,
        "def f():\n" + "    if a:\n        pass\n    elif b:\n        pass\n" * 300,
        "x = '" + "(" * 500 + "'\n",
        "x = f'''" + "Use {a} and {b.c!r:>{width}}. (Or {{not}}.)\n" * 150 + "'''\n",
        "x = 1  # " + "(" * 500 + "\n",
        'x = """' + "+1" * 500 + '"""\n',
    ],
    ids=["rows", "lambdas", "lines", "ifs", "elifs", "string", "formatted", "comment", "long string"],
)
def test_long_is_not_deep(text: str) -> None:
    """Many entries, lines and branches beside each other, and whatever stands in strings, are no nesting."""
    assert isinstance(parse(text), libcst.Module)


def test_the_line_is_told() -> None:
    """The line is the one that goes too deep; the rest of the file is known."""
    text = "a = 1\n\nx = (1\n" + "   + 1\n" * 300 + ")\nb = 2\n"
    problem = parse(text)
    assert problem == TooDeep(LIMIT + 2)
    found = mend(text, problem)

    assert found is not None
    assert ("a = 1\n" + "\n" * 303 + "b = 2\n", frozenset({"x"})) == (found.text, found.lost)


def test_a_mistake_beside_it_is_told() -> None:
    """Where the file is wrong as well, that is what is said."""
    assert parse("x = 1" + "+1" * 500 + "\ny = = 2\n") == SyntaxProblem("invalid syntax", 2, 5)


def test_an_expression_that_is_too_deep() -> None:
    """An annotation written as a string is bounded too."""
    assert parse_expression("a" + " | a" * 5000) is None

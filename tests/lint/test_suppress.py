"""`# thena: ignore` counts in comments only, for its line and for the logical line that it begins."""

from pathlib import Path

import pytest

from thena_lint.source.suppress import suppressions_in
from thena_lint.source.text import SourceText


@pytest.mark.parametrize(
    ("text", "line", "covered"),
    [
        ("a = 1  # thena: ignore[THN201]", 1, True),
        ("a = 1  # thena: ignore[THN101, THN201]", 1, True),
        ("a = 1  # thena: ignore", 1, True),
        ("a = 1  #thena:ignore[ THN201 ] since it is a test", 1, True),
        ("a = 1  # noqa  # thena: ignore[THN201]", 1, True),
        ("a = 1  # thena: ignore[THN202]", 1, False),
        ("a = 1  # thena: ignore[]", 1, False),
        ("a = 1  # thena: ignored", 1, False),
        ("a = '# thena: ignore'", 1, False),
        ("# thena: ignore\na = 1", 2, False),
        ("f(  # thena: ignore\n    a,\n    b,\n)", 3, True),
        ("f(\n    a,  # thena: ignore\n    b,\n)", 3, False),
        ("f(\n    a,\n    b,  # thena: ignore\n)", 3, True),
        ("a = 1\r\rf(  # thena: ignore\r    a,\r)\r", 4, True),
        ("f(  # thena: ignore\n    a)\nb = 2\n", 3, False),
        ("class A:\n    def f(  # thena: ignore\n        self,\n        s,\n    ): pass\n", 4, True),
        ("a = 1  # thena: ignore\nb = (", 1, True),
    ],
)
def test_what_is_covered(text: str, line: int, covered: bool) -> None:
    """The comment names codes or none, stands on the finding's line or on the first of its logical line."""
    assert covered == suppressions_in(SourceText(Path("a.py"), text)).cover("THN201", line)

"""`# thena: ignore` and `# noqa` count in comments only, for their line and for the logical line that it begins;
`# thena: ignore-file` for the file. What they say in vain is told.
"""

from pathlib import Path

import pytest

from tests.lint.test_cli import CLEAN, FAULTY
from tests.support.linting import lint, write_files
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
        ("a = 1\nb = 2  # thena: ignore-file[THN201]", 1, True),
        ("# thena: ignore-file\na = 1", 2, True),
        ("a = 1  # thena: ignore-file[THN202]", 1, False),
        ("a = '# thena: ignore-file'", 1, False),
        ("a = 1  # thena: ignore-all", 1, False),
        ("a = 1  # noqa: THN201", 1, True),
        ("a = 1  #NOQA:E501,THN201 since it is a test", 1, True),
        ("a = 1  # noqa: E501 THN201", 1, True),
        ("f(  # noqa: THN201\n    a)", 2, True),
        ("a = 1  # noqa", 1, False),
        ("a = 1  # noqa: E501", 1, False),
        ("a = 1  # noqa: THN202", 1, False),
        ("a = 1  # noqa: THN2013", 1, False),
        ("a = 1  # noqa: THN101  # thena: ignore[THN201]", 1, True),
        ("a = 1  # thena: ignore[THN101]  # thena: ignore[THN201]", 1, True),
    ],
)
def test_what_is_covered(text: str, line: int, covered: bool) -> None:
    """The comment names codes or none, stands on the finding's line or on the first of its logical line."""
    assert covered == suppressions_in(SourceText(Path("a.py"), text)).cover("THN201", line)


CODE = "def __init__(self, s: State[int]) -> None:"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (FAULTY.replace(CODE, f"{CODE}  # noqa: E501, THN201"), ""),
        (f"# thena: ignore-file[THN201]\n{FAULTY}", ""),
        (f"# thena: ignore-file\n{FAULTY}", ""),
        (
            CLEAN.replace(CODE, f"{CODE}  # noqa: E501, THN201"),
            "flow.py:5:63: THN902 [*] `# noqa: THN201` silences nothing on this line. Delete it.\n",
        ),
        (
            f"# thena: ignore-file[THN201, THN202]\n{FAULTY}",
            "flow.py:1:30: THN902 [*] `# thena: ignore-file[THN202]` silences nothing in this file. Delete it.\n",
        ),
        (
            f"{CLEAN}\n# thena: ignore-file",
            "flow.py:12:1: THN902 [*] `# thena: ignore-file` silences nothing in this file. Delete it.\n",
        ),
        (
            CLEAN.replace(CODE, f"{CODE}  # noqa: E501, THN299"),
            (
                "flow.py:5:63: THN903 `THN299` is no code of a fault, so it silences nothing. "
                "Write the code as the finding shows it.\n"
            ),
        ),
        (f"# thena: ignore-file[THN902]\n{CLEAN}x = 1  # thena: ignore[THN201]\n", ""),
        (f"# thena: ignore-file\n{CLEAN}x = 1  # thena: ignore[THN999]\n", ""),
    ],
)
def test_what_silences_nothing_is_told(tmp_path: Path, text: str, expected: str) -> None:
    """Of each code of ours, with how far the comment reaches; a comment for the file silences those remarks too."""
    write_files(tmp_path, {"flow.py": text})
    told = lint(tmp_path, "--output-format", "concise").stdout.splitlines(keepends=True)

    assert expected == "".join(line for line in told if line.startswith("flow.py:"))

"""`--add-ignore`: comments are written where they hold, and nothing else of a file changes."""

from pathlib import Path

import pytest

from tests.lint.test_cli import FAULTY
from tests.support.linting import lint, write_files
from thena_lint.source.ignoring import ignoring
from thena_lint.source.suppress import suppressions_in
from thena_lint.source.text import SourceText


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("a = 1\nb = 2\n", 1, "a = 1  # thena: ignore[THN201]\nb = 2\n"),
        ("a = 1", 1, "a = 1  # thena: ignore[THN201]"),
        ("a = 1 \t\r\nb = 2", 1, "a = 1  # thena: ignore[THN201]\r\nb = 2"),
        ("a = 1\rb = 2\r", 2, "a = 1\rb = 2  # thena: ignore[THN201]\r"),
        ("a = 1  # why\n", 1, "a = 1  # why  # thena: ignore[THN201]\n"),
        ("a = 1  # thena: ignore[THN101] why\n", 1, "a = 1  # thena: ignore[THN101, THN201] why\n"),
        ("a = 1  # noqa: THN101\n", 1, "a = 1  # noqa: THN101  # thena: ignore[THN201]\n"),
        ("f(\n    a,\n    b,\n)\n", 2, "f(\n    a,  # thena: ignore[THN201]\n    b,\n)\n"),
        ('f(a, """\nx\n""")\n', 1, None),
        ('f(\n    """\nx\n""", b)\n', 3, 'f(  # thena: ignore[THN201]\n    """\nx\n""", b)\n'),
        ("a = \\\n    b\n", 2, "a = \\\n    b  # thena: ignore[THN201]\n"),
        ("a = \\\n    b\n", 1, None),
        ("é = '日本'\n", 1, "é = '日本'  # thena: ignore[THN201]\n"),
    ],
)
def test_where_a_comment_is_put(text: str, line: int, expected: str | None) -> None:
    """On the line, or on the first of its statement, where that holds; nowhere if neither can take one."""
    source = SourceText(Path("a.py"), text)
    after, held = ignoring(source, {line: {"THN201"}})

    assert (text if expected is None else expected, set() if expected is None else {line}) == (after, held)
    if expected is not None:
        assert suppressions_in(SourceText(Path("a.py"), after)).cover("THN201", line)
        assert not suppressions_in(source).cover("THN201", line)


def test_a_project_is_clean_afterwards(tmp_path: Path) -> None:
    """Each fault has its comment; a second time nothing changes."""
    latin = "# -*- coding: latin-1 -*-\r\n" + FAULTY.replace("\n", "\r\n").replace("pass", "é = 1")
    write_files(tmp_path, {"flow.py": FAULTY})
    (tmp_path / "latin.py").write_bytes(latin.encode("latin-1"))
    (tmp_path / "latin.py").chmod(0o754)
    done = lint(tmp_path, "--add-ignore")
    written = (tmp_path / "latin.py").read_bytes()
    again = lint(tmp_path, "--add-ignore")

    code = "def __init__(self, s: State[int]) -> None:"
    clear = "All clear: 2 files checked.\n"
    assert (0, clear, "Silenced 2 faults in 2 files.\n") == (done.returncode, done.stdout, done.stderr)
    assert (0, clear, "Silenced 0 faults in 0 files.\n") == (again.returncode, again.stdout, again.stderr)
    assert latin.replace(code, f"{code}  # thena: ignore[THN201]").encode("latin-1") == written
    assert written == (tmp_path / "latin.py").read_bytes()
    assert 0o754 == (tmp_path / "latin.py").stat().st_mode & 0o777


def test_what_can_not_be_silenced_is_told(tmp_path: Path) -> None:
    """What no comment turns off, such as a file that doesn't parse, is reported as ever, and the exit code says so."""
    write_files(tmp_path, {"flow.py": FAULTY, "broken.py": "import thena_runtime\nx = = 1\n"})
    done = lint(tmp_path, "--add-ignore", "--output-format", "concise")

    expected = "broken.py:2:5: THN901 This file doesn't parse"
    assert (1, True) == (done.returncode, done.stdout.startswith(expected))
    assert done.stdout.endswith("Found 1 fault in 1 file.\n")
    assert "Silenced 1 fault in 1 file.\n" == done.stderr


def test_only_what_is_told_is_silenced(tmp_path: Path) -> None:
    """Selection and baseline decide as ever."""
    write_files(tmp_path, {"flow.py": FAULTY})
    lint(tmp_path, "--add-ignore", "--ignore", "THN2")

    assert FAULTY == (tmp_path / "flow.py").read_text(encoding="utf-8")

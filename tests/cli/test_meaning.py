"""Which saves change nothing that runs."""

from pathlib import Path

import pytest

from thena_cli.dev.meaning import is_same

CODE, PROMPT = Path("/project/flow.py"), Path("/project/writer.agent.md")
TEXT = b"def f(a, b):\n    return a + b\n"


@pytest.mark.parametrize(
    ("now", "same"),
    [
        (TEXT, True),
        (b"# said\n\ndef f(\n    a,\n    b,\n):\n    return (a + b)  # all of it\n", True),
        (b"def f(a, b):\n    return b + a\n", False),
        (b'def f(a, b):\n    """Add."""\n    return a + b\n', False),
        (b"def f(a, b):\n    return a +\n", False),
        (b"\x00", False),
        (None, False),
    ],
)
def test_python_means_what_its_syntax_tree_says(now: bytes | None, same: bool) -> None:
    """Layout and comments mean nothing; a docstring does, which a model may be told."""
    contents = {} if now is None else {CODE: now}
    assert same == is_same({CODE: TEXT}, contents, [CODE])


def test_anything_else_means_what_its_bytes_are() -> None:
    """A blank in a prompt is one more token."""
    assert is_same({PROMPT: b"Write."}, {PROMPT: b"Write."}, [PROMPT])
    assert not is_same({PROMPT: b"Write."}, {PROMPT: b"Write. "}, [PROMPT])


def test_only_the_files_that_are_asked_for_count() -> None:
    """What a run doesn't rest on may change, come and go; what is neither before nor now is the same."""
    assert is_same({CODE: TEXT}, {PROMPT: b"new"}, [Path("/project/other.py")])

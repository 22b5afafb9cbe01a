"""A text that is changed parses or not, however that is found out."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thena_lint.edit import Edit, edited
from thena_lint.source.changed import parses_with
from thena_lint.source.parse import parses

PATH = Path("a.py")

TEXTS = (
    "",
    "import os\n\n\nclass A:\n    x = 1\n\n    def f(self):\n        return 1\n\n\ny = A()\n",
    'TEXT = """\nx = 1\n"""\n\n\n@decorated\ndef f(\n    a,\n):\n    pass\nif f:\n    pass\nelse:\n    pass',
    "x = 1\r\ny = (\r\n  2\r\n)\r\n",
    "x = 1\ny = (\nz = 2\n",
    "\ufeffx = 1\ny = 2\n",
)

WORDS = (
    "",
    "\n",
    " ",
    "(",
    ")",
    '"""',
    "else:\n",
    "    x = 2\n",
    "z = 3\n",
    "\\",
    "@",
    ":",
    "#",
    "x",
    "def g():",
    "\0",
)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_it_parses_as_the_whole_does(data: st.DataObject) -> None:
    """Whatever is put anywhere, the answer is that of the text as it is then."""
    text = data.draw(st.sampled_from(TEXTS))
    places = data.draw(st.lists(st.integers(0, len(text)), max_size=6, unique=True).map(sorted))
    spans = zip(places[::2], places[1::2], strict=False)
    edits = [Edit(PATH, start, end, data.draw(st.sampled_from(WORDS))) for start, end in spans]
    assert parses(edited(text, edits)) == parses_with(text, edits)


@pytest.mark.parametrize("word", WORDS)
def test_an_insertion_between_statements(word: str) -> None:
    """What is put before a statement, or after the last one, may belong to either."""
    for text in TEXTS:
        for at in (0, text.find("\n") + 1, len(text)):
            edits = [Edit(PATH, at, at, word)]
            assert parses(edited(text, edits)) == parses_with(text, edits), (text, at)

"""Text that is wider than a terminal, broken between words."""

import itertools

import pytest

from thena_cli.paragraph import breaks


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", [""]),
        ("short", ["short"]),
        ("one two three", ["one two ", "three"]),
        ("12345678 90", ["12345678 ", "90"]),
        ("a word-that-is-too-long b", ["a ", "word-that-is-too-long ", "b"]),
        ("type `thena run x` now", ["type ", "`thena run x` ", "now"]),
        ("    in dented", ["    in ", "dented"]),
        ("an open ` tick", ["an open ` ", "tick"]),
    ],
)
def test_a_line_is_broken_where_the_next_word_does_not_fit(text: str, parts: list[str]) -> None:
    """A word that never fits, and what stands in backticks, stays whole."""
    places = [0, *breaks(text, 10), len(text)]
    assert parts == [text[start:end] for start, end in itertools.pairwise(places)]

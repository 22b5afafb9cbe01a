"""What is thinking in a model's answer, and what only looks like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thena_runtime.providers.think import strip_thinking


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("  an answer \n", "an answer"),
        ("<think>hm</think>\nan answer", "an answer"),
        ("<THINKING>hm\nhm</Thinking >an answer", "an answer"),
        ("<reasoning>a</reasoning>one <thought>b</thought>two", "one two"),
        ('<reasoning_scratchpad kind="x">a</reasoning_scratchpad>one', "one"),
        ("<think>a</think>one<think>b</think>", "one"),
        ("<think>it never ends", ""),
        ("one\n  <think>it never ends", "one"),
        ("a <think> tag is kept in a line", "a <think> tag is kept in a line"),
        ("a <think> tag, then <thought>b</thought>one", "a <think> tag, then one"),
        ("<thinker>no thinking</thinker>", "<thinker>no thinking</thinker>"),
        ("<b>bold</b> 1 < 2", "<b>bold</b> 1 < 2"),
        ("", ""),
    ],
)
def test_thinking_is_taken_out(text: str, answer: str) -> None:
    """Closed blocks go wherever they stand, an unclosed one only where it begins a line."""
    assert answer == strip_thinking(text)


@given(st.lists(st.sampled_from(["<think>", "</think>", "<thought>", "</thought>", "a", "\n", " "])).map("".join))
def test_nothing_is_added(text: str) -> None:
    """What is left is always made of what was there, in its order."""
    rest = iter(text)
    assert all(letter in rest for letter in strip_thinking(text))


def test_a_long_text_of_openings_is_read_in_one_go() -> None:
    """A model that opens a tag a hundred thousand times costs no more than it wrote."""
    text = "x" + "<think>" * 100_000
    assert text == strip_thinking(text)

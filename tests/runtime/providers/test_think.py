"""What is thinking in a model's answer, and what only looks like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thena_runtime.providers.think import Piece, ThinkSplitter, strip_thinking


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
@pytest.mark.behaviour("T036", "T037", "T039", "T040", "T041")
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


@pytest.mark.behaviour("T031", "T032", "T033", "T034", "T035", "T038", "T041")
@pytest.mark.parametrize("name", ["think", "thinking", "reasoning", "thought", "reasoning_scratchpad"])
def test_every_name_of_a_block_is_known(name: str) -> None:
    """A block of each name goes, over several lines, in capitals, with attributes, closed or not."""
    assert "one two" == strip_thinking(f"<{name}>a\nb</{name}>one <{name.upper()}>c</{name}>two")
    assert "one" == strip_thinking(f'one\n<{name} kind="x">never ends')


def split(*chunks: str) -> list[Piece]:
    """What comes of an answer in these chunks, neighbours of one kind joined."""
    splitter = ThinkSplitter()
    joined: list[Piece] = []
    for kind, text in [*(piece for chunk in chunks for piece in splitter.feed(chunk)), *splitter.finish()]:
        if joined and joined[-1][0] == kind:
            joined[-1] = (kind, joined[-1][1] + text)
        else:
            joined.append((kind, text))
    return joined


@pytest.mark.behaviour("W39")
def test_thinking_is_told_from_text_while_it_comes() -> None:
    """A block that begins a line is thinking at once, and a tag that is cut is waited for."""
    splitter = ThinkSplitter()
    assert [] == splitter.feed("<th")
    assert [("thinking", "hm")] == splitter.feed("ink>hm")
    assert [("thinking", " hm")] == splitter.feed(" hm</")
    assert [("text", "\nyes")] == splitter.feed("think>\nyes")
    assert [] == splitter.finish()


def test_a_tag_within_a_line_is_waited_for() -> None:
    """It is thinking if it closes and text if it doesn't, which only the end can tell."""
    assert [("text", "a "), ("thinking", "b"), ("text", " c")] == split("a <think>", "b</th", "ink> c")
    assert [("text", "a <think>b c")] == split("a <think>", "b", " c")


PARTS = st.sampled_from(
    [
        "<think>",
        "</think>",
        "<think ",
        "<thought>",
        "</thought >",
        "<thinker>",
        "</",
        "<",
        ">",
        "a",
        "\n",
        " ",
        "İ",
        "K",
    ]
)


@given(st.lists(PARTS, max_size=14).map("".join), st.data())
def test_it_never_matters_where_the_text_is_cut(whole: str, data: st.DataObject) -> None:
    """Any way to cut an answer gives the same thinking and the same text, which is what is left in the end."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    chunks = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert split(whole) == split(*chunks)
    assert strip_thinking(whole) == "".join(text for kind, text in split(*chunks) if kind == "text").strip()

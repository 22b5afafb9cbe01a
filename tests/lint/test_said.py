"""What a text says of a word: in quotes, or after and before what stands around it."""

import pytest

from thena_lint.bodies.said import Said, quoted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getattr(s, 'draft')", True),
        ('x = "draft"', True),
        ("'my draft'", False),
        ("'drafts', 'draft'", True),
        ("draft", False),
        ("'draft", False),
        ("draft'", False),
        ("", False),
    ],
)
def test_a_word_in_quotes(text: str, expected: bool) -> None:
    """Quotes stand right before and right after the word."""
    assert expected == quoted("draft").is_in(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Flow.a = 1", True),
        ("OtherFlow.a = 1", False),
        ("Flow.ab, Flow.a", True),
        ("Flow.ab", False),
        ("flow.a", False),
        ("a", False),
    ],
)
def test_a_word_between_patterns(text: str, expected: bool) -> None:
    """What stands before it is looked for behind it, up to the beginning of the text."""
    assert expected == Said("a", r"(?<=\bFlow\.)", r"\b").is_in(text)

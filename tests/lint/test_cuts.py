"""A text that is cut after others is cut as if it were the first."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.lint.test_pieces import PARTS
from thena_lint.source.cuts import Cuts, numbered, parts_of
from thena_lint.source.parse import python_tree
from thena_lint.source.pieces import lines_of

TYPED = ("x", "\n", "\r", '"', '"""', "'''", "(", ")", " ", "@", "#", *PARTS)


def read(text: str) -> str | None:
    """What is Python by itself."""
    return None if python_tree(text) is None else text


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(PARTS), max_size=30),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(("", *TYPED))), min_size=1, max_size=12),
)
def test_what_was_cut_before_changes_nothing(parts: list[str], edits: list[tuple[float, int, str]]) -> None:
    """Whatever is deleted and typed wherever, the parts of a text are those that it has by itself."""
    text, cuts = "".join(parts), Cuts(read)
    for where, deleted, typed in edits:
        assert list(numbered(parts_of(lines_of(text), read))) == list(numbered(cuts.parts(text)))
        at = round(where * len(text))
        text = text[:at] + typed + text[at + deleted :]


def test_only_what_an_edit_touches_is_read_again() -> None:
    """All other parts are the very same objects, though lines above them have come."""
    texts = [f"def f{number}():\n    return {number}\n\n\n" for number in range(9)]
    asked: list[str] = []
    cuts = Cuts(lambda text: asked.append(text) or read(text))
    before = cuts.parts("".join(texts))
    asked.clear()

    texts[4] = "def f4():\n    two = 2\n    return two\n\n\n"
    after = cuts.parts("".join(texts))

    assert (before[:3], before[5:]) == (after[:3], after[5:])
    assert {texts[3], texts[4]} >= set(asked)

"""Server-sent events out of bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thena_runtime.providers.sse import ServerSentEvent, SseReader


def read(*chunks: bytes) -> list[ServerSentEvent]:
    """The events of a stream that comes in these chunks."""
    reader = SseReader()
    return [*(event for chunk in chunks for event in reader.feed(chunk)), *reader.finish()]


def data(*chunks: bytes) -> list[str]:
    """The data alone."""
    return [event.data for event in read(*chunks)]


@pytest.mark.behaviour("T077")
def test_several_events_may_arrive_at_once() -> None:
    """One chunk may hold more than one event."""
    assert ["a", "b"] == data(b"data: a\n\ndata: b\n\n")


@pytest.mark.behaviour("T078")
def test_an_event_may_arrive_in_parts() -> None:
    """A line that is cut between two chunks is one line."""
    assert ["abc"] == data(b"da", b"ta: a", b"bc\n", b"\n")


@pytest.mark.behaviour("T079")
def test_the_last_event_needs_no_line_end() -> None:
    """A stream that ends without its last line end, or its last empty line, loses nothing."""
    assert ["a", "b"] == data(b"data: a\n\ndata: b")


@pytest.mark.behaviour("T080")
def test_a_letter_of_several_bytes_may_be_cut() -> None:
    """A chunk may end in the middle of a letter."""
    whole = "data: né\u20ac\U0001f600\n\n".encode()
    assert ["né€😀"] == data(*(bytes([byte]) for byte in whole))


@pytest.mark.behaviour("T081", "T085")
def test_comments_and_other_fields_are_no_data() -> None:
    """Empty lines, comments that keep a connection open, ids and waits are passed over; the event's name is kept."""
    events = read(b"\n\n: ping\n\nevent: delta\nid: 3\nretry: 10\ndata: a\n\n\n")
    assert [ServerSentEvent("a", "delta")] == events


@pytest.mark.behaviour("T082")
def test_an_empty_body_has_no_events() -> None:
    """Nothing comes of nothing."""
    assert [] == read()
    assert [] == read(b"", b"")


@pytest.mark.behaviour("T083", "T086")
def test_one_space_after_the_field_is_no_data() -> None:
    """The space after the colon may be left out, and only one is taken away."""
    assert ["a", "b", " c"] == data(b"data: a\n\ndata:b\n\ndata:  c\n\n")


def test_several_lines_of_data_are_one_event() -> None:
    """Their line breaks stay."""
    assert ["a\nb\n"] == data(b"data: a\ndata: b\ndata\n\n")


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_line_end_is_known(end: bytes) -> None:
    """Servers write any of three."""
    assert ["a", "b"] == data(end.join([b"data: a", b"", b"data: b", b"", b""]))


def test_a_mark_at_the_very_beginning_is_no_text() -> None:
    """What marks the encoding stands before the first line only."""
    assert ["a", "\ufeffb"] == data("\ufeffdata: a\n\ndata: \ufeffb\n\n".encode())


PARTS = st.sampled_from(
    [b"data: a", b"data:b", b"event: x", b": c", b"\n", b"\r", b"\r\n", b"\n\n", "é€".encode(), b"\xff", b"id: 1"]
)


@given(st.lists(PARTS, max_size=20).map(b"".join), st.data())
def test_it_never_matters_where_the_bytes_are_cut(whole: bytes, data: st.DataObject) -> None:
    """Any way to cut a stream into chunks gives the same events."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    chunks = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert read(whole) == read(*chunks)

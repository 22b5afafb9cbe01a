"""Positions survive the way to the client and back, in every encoding and with every odd character."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp

from thena_contract.anchor import Place
from thena_contract.fault import Severity
from thena_lint.diagnostic import Diagnostic, RelatedPlace
from thena_lsp.client import Client
from thena_lsp.convert import (
    Encoding,
    TextLines,
    edit_all,
    from_position,
    path_of,
    to_diagnostic,
    to_range,
    uri_of,
)

ODD = "ab \t\r\n\x0b\x0c\x1c\x85\u2028é\u0301\u200d\ufeff😀\U0001d4b3"
TEXTS = st.text(alphabet=ODD, max_size=40)
ENCODINGS = st.sampled_from(Encoding)


def units(text: str, encoding: Encoding) -> int:
    """Count as the protocol defines it, by really encoding."""
    width = {Encoding.UTF8: 1, Encoding.UTF16: 2, Encoding.UTF32: 4}[encoding]
    codec = {Encoding.UTF8: "utf-8", Encoding.UTF16: "utf-16-le", Encoding.UTF32: "utf-32-le"}[encoding]
    return len(text.encode(codec)) // width


@given(TEXTS, ENCODINGS, st.data())
def test_an_offset_survives_the_way_to_a_position_and_back(text: str, encoding: Encoding, data: st.DataObject) -> None:
    """An offset that isn't inside a line end becomes a position and then the same offset again."""
    offset = data.draw(st.integers(0, len(text)))
    if text[offset - 1 : offset + 1] == "\r\n":
        return
    lines = TextLines.of(text)
    assert offset == lines.offset(lines.position(offset, encoding), encoding)


@given(TEXTS, ENCODINGS, st.data())
def test_a_position_counts_what_is_encoded(text: str, encoding: Encoding, data: st.DataObject) -> None:
    """A position's column is the length of the line before it in the client's encoding."""
    offset = data.draw(st.integers(0, len(text)))
    if text[offset - 1 : offset + 1] == "\r\n":
        return
    before = text[:offset].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    expected = lsp.Position(len(before) - 1, units(before[-1], encoding))
    assert expected == TextLines.of(text).position(offset, encoding)


@given(TEXTS, ENCODINGS, TEXTS, st.data())
def test_an_incremental_edit_is_a_splice(text: str, encoding: Encoding, new: str, data: st.DataObject) -> None:
    """A change of a range gives the text that replacing those offsets gives."""
    lines = TextLines.of(text)
    start, end = sorted(
        lines.offset(lines.position(data.draw(st.integers(0, len(text))), encoding), encoding) for _ in range(2)
    )
    change = lsp.TextDocumentContentChangePartial(
        lsp.Range(lines.position(start, encoding), lines.position(end, encoding)), new
    )
    assert text[:start] + new + text[end:] == edit_all(lines, [change], encoding).text


@given(TEXTS, ENCODINGS, st.integers(0, 50), st.integers(0, 50))
def test_any_position_is_drawn_into_the_text(text: str, encoding: Encoding, line: int, character: int) -> None:
    """A position past the end of a line or of the text gives an offset inside the text."""
    assert TextLines.of(text).offset(lsp.Position(line, character), encoding) in range(len(text) + 1)


def test_a_position_inside_a_character_is_drawn_to_its_beginning() -> None:
    """A column between two surrogates, or inside UTF-8's bytes, means the character it is inside."""
    lines = TextLines.of("x😀y")
    assert [1, 1] == [
        lines.offset(lsp.Position(0, 2), Encoding.UTF16),
        lines.offset(lsp.Position(0, 3), Encoding.UTF8),
    ]


def test_several_changes_are_counted_one_after_the_other() -> None:
    """The second change of a notification is counted in the text that the first one left."""
    at = lambda column: lsp.Range(lsp.Position(0, column), lsp.Position(0, column))  # noqa: E731
    changes = [lsp.TextDocumentContentChangePartial(at(0), "ab"), lsp.TextDocumentContentChangePartial(at(2), "c")]
    assert "abc" == edit_all(TextLines.of(""), changes, Encoding.UTF16).text


def test_a_change_without_a_range_replaces_everything() -> None:
    """A client may send the whole text although it was told to send ranges."""
    change = lsp.TextDocumentContentChangeWholeDocument("new")
    assert "new" == edit_all(TextLines.of("old"), [change], Encoding.UTF16).text


@pytest.mark.parametrize(("encoding", "column"), [(Encoding.UTF8, 9), (Encoding.UTF16, 7), (Encoding.UTF32, 6)])
def test_a_place_becomes_a_range_in_the_clients_units(encoding: Encoding, column: int) -> None:
    """Columns after an emoji and an accent are what the client counts."""
    lines = TextLines.of('\nx = "😀"y')
    place = Place("/x.py", 2, 7, 2, 8)
    assert lsp.Range(lsp.Position(1, column), lsp.Position(1, column + 1)) == to_range(place, lines, encoding)
    assert (2, 7) == from_position(lsp.Position(1, column), lines, encoding)


def test_a_byte_order_mark_counts_for_the_client_only() -> None:
    """Columns of the first line are one further for a client whose text begins with a mark."""
    lines = TextLines.of("\ufeffx = 1\ny = 2\n")
    assert lsp.Range(lsp.Position(0, 1), lsp.Position(0, 2)) == to_range(
        Place("/x.py", 1, 1, 1, 2), lines, Encoding.UTF16
    )
    assert lsp.Range(lsp.Position(1, 0), lsp.Position(1, 1)) == to_range(
        Place("/x.py", 2, 1, 2, 2), lines, Encoding.UTF16
    )
    assert [(1, 1), (1, 2)] == [from_position(lsp.Position(0, at), lines, Encoding.UTF16) for at in (1, 2)]


@pytest.mark.parametrize("path", ["/a/b.py", "/a b/ç#?%;+.py", "/😀/x.py"])
def test_a_path_survives_the_way_to_a_uri_and_back(path: str) -> None:
    """Characters that mean something in a URI are kept."""
    assert Path(path) == path_of(uri_of(path))


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "vscode-notebook-cell:/a.ipynb#x", "git:/a.py?x", "", "file:///a%00.py"]
)
def test_a_uri_that_is_no_file_has_no_path(uri: str) -> None:
    """Documents that were never saved, cells, old revisions and what is no path are nobody's file."""
    assert None is path_of(uri)


def test_a_diagnostic_carries_the_chain() -> None:
    """Code, source, severity, range, message and the related places reach the client."""
    diagnostic = Diagnostic(
        code="THN201",
        name="state-not-declared",
        severity=Severity.WARNING,
        message="`A.execute` asks.",
        place=Place("/a.py", 1, 2, 1, 3),
        related=(RelatedPlace(message="declared here", place=Place("/b.py", 2, 1, 2, 4)),),
        finding=None,
    )
    texts = {"/a.py": "xyz", "/b.py": "\nabc"}
    expected = lsp.Diagnostic(
        range=lsp.Range(lsp.Position(0, 1), lsp.Position(0, 2)),
        message="`A.execute` asks.",
        severity=lsp.DiagnosticSeverity.Warning,
        code="THN201",
        source="thena",
        related_information=[
            lsp.DiagnosticRelatedInformation(
                lsp.Location("file:///b.py", lsp.Range(lsp.Position(1, 0), lsp.Position(1, 3))), "declared here"
            )
        ],
    )
    assert expected == to_diagnostic(
        diagnostic, uri_at, lambda place: TextLines.of(texts[place.path]), Encoding.UTF16, Client(shows_related=True)
    )


def test_a_client_that_shows_no_chain_gets_none() -> None:
    """Related places are left out where the client can't show them."""
    place = Place("/a.py", 1, 1, 1, 2)
    diagnostic = Diagnostic(
        code="THN101",
        name="step-not-agent",
        severity=Severity.ERROR,
        message="m",
        place=place,
        related=(RelatedPlace(message="here", place=place),),
        finding=None,
    )
    converted = to_diagnostic(diagnostic, uri_at, lambda _: TextLines.of("x"), Encoding.UTF8, Client())
    assert None is converted.related_information


def test_a_code_leads_to_its_page() -> None:
    """A client that can show it gets a link to the page of the fault, which is there; a code without one has none."""
    described = [shown(code, Client(shows_pages=True)).code_description for code in ("THN201", "THN000")]
    assert described[0] is not None
    page = path_of(described[0].href)
    assert page is not None
    assert page.read_text(encoding="utf-8").startswith("# THN201")
    assert [None, None] == [described[1], shown("THN201", Client()).code_description]


def test_what_never_has_an_effect_is_tagged() -> None:
    """A comment that silences nothing and a hook that is never called are shown as unnecessary, where that is shown."""
    client = Client(shows_tags=True)
    unnecessary = [lsp.DiagnosticTag.Unnecessary]
    assert [unnecessary, unnecessary, None] == [shown(code, client).tags for code in ("THN902", "THN502", "THN201")]
    assert None is shown("THN902", Client()).tags


def uri_at(place: Place) -> str:
    """The URI of the file that a place is in."""
    return uri_of(place.path)


def shown(code: str, client: Client) -> lsp.Diagnostic:
    """A diagnostic with this code as a client gets it."""
    place = Place("/a.py", 1, 1, 1, 2)
    diagnostic = Diagnostic(code=code, name="x", severity=Severity.ERROR, message="m", place=place)
    return to_diagnostic(diagnostic, uri_at, lambda _: TextLines.of("x"), Encoding.UTF8, client)

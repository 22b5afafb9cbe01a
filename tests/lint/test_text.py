"""Text is decoded and split into lines as Python and editors do it."""

from pathlib import Path

import pytest

from thena_lint.source.text import SourceText, Unreadable, decode, read_source

FILE = Path("a.py")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x = 1\n", "x = 1\n"),
        ("# é\n".encode(), "# é\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"# -*- coding: latin-1 -*-\n# \xe9\n", "# -*- coding: latin-1 -*-\n# é\n"),
        (b"#!/usr/bin/python\r# vim: set fileencoding=cp1252 :\r# \x80\r", None),
    ],
    ids=["ascii", "utf-8", "byte order mark", "cookie", "cookie on a second line that ends with CR"],
)
def test_decoding(data: bytes, text: str | None) -> None:
    """A byte order mark and a coding cookie in the first two lines count; without them it is UTF-8."""
    expected = data.decode("cp1252") if text is None else text

    assert decode(FILE, data) == SourceText(FILE, expected)


def test_undecodable_bytes_tell_their_line() -> None:
    """A byte that the encoding doesn't have is told with its line, whatever ends the lines."""
    assert decode(FILE, b"a\r\nb\rc\n\xff") == Unreadable(FILE, "byte 0xff is not utf-8", 4)


def test_unknown_encoding() -> None:
    """A cookie that names no encoding makes the file unreadable."""
    assert decode(FILE, b"# coding: klingon\n") == Unreadable(FILE, "unknown encoding: klingon")


@pytest.mark.parametrize("codec", ["rot13", "hex", "zlib", "base64", "undefined", "punycode"])
def test_a_codec_that_is_not_for_source(codec: str) -> None:
    """A cookie may name a codec that decodes no text, or that fails in words of its own."""
    found = decode(FILE, f"# coding: {codec}\n# thena\n".encode())

    assert found == Unreadable(FILE, f"it can't be decoded as {codec}")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_wide_encodings_are_named(encoding: str) -> None:
    """Text that an editor saved as UTF-16 says so, where Python's own words would be about a byte."""
    found = decode(FILE, "x = 1\n".encode(encoding))

    assert found == Unreadable(FILE, "it is encoded as UTF-16 or UTF-32, which Python doesn't take for source")


def test_a_folder_is_no_source(tmp_path: Path) -> None:
    """What the system refuses to read is told in its words."""
    problem = read_source(tmp_path)
    assert isinstance(problem, Unreadable)
    assert (problem.reason, problem.is_closed, problem.repair) == (
        "Is a directory",
        True,
        "Allow it to be read, or lint only what can be.",
    )


def test_lines_end_only_where_python_ends_them() -> None:
    """CRLF, LF and CR end a line; a form feed, a vertical tab and U+2028 don't."""
    assert SourceText(FILE, "a\r\nb\rc\n\fd\x0b\u2028\x85e\n").lines == ("a", "b", "c", "\fd\x0b\u2028\x85e", "")

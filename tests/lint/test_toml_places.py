"""Where things stand in a TOML document: every key and element has its place, and what stands there is it."""

import tomllib
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from thena_lint.source.toml_places import Key, Span, places_in

DOCUMENT = '''# a comment [with = brackets]
title = "a # b"   # c
"a b".'c'.d = [1, "two", """three
"""", [4, 5], {x = 1, y.z = [6]}, \'\'\'it's
fine\'\'\', ]
[tool.thena.lint] # here
select = [
  "THN2",  # why
  'THN9x',
]
severity = {THN214 = "error", "THN3" = 1979-05-27T07:32:00Z}
[[a.b]]
k = 1
[[a.b]]
k = -2.5e3
[a.b.c]
"\\u00e9" = true\r
[ x . y ]
'''

NAMES = st.sampled_from(["a", "b-c", "1", '"x y"', "'q'", '"\\"#"'])
SCALARS = st.sampled_from(
    ["1", "-2.5e3", "true", "07:32:00", '"a # ]"', "'}'", '"""x\ny"""', "'''a\n'b'''", '"\\\\"', '""', "1979-05-27"]
)
BLANKS = st.sampled_from(["", " ", "\n", "  # ] x\n\t", "\r\n"])


@st.composite
def values(draw: st.DrawFn, depth: int = 2) -> str:
    """A value as somebody might write it."""
    kind = draw(st.sampled_from(["scalar", "scalar", "array", "inline"] if depth else ["scalar"]))
    if kind == "array":
        inner = draw(st.lists(values(depth - 1), max_size=3))
        blanks = [draw(BLANKS) for _ in range(2 * len(inner) + 1)]
        body = "".join(f"{blanks[2 * i]}{one}{blanks[2 * i + 1]}," for i, one in enumerate(inner))
        return f"[{body}{blanks[-1]}]"
    if kind == "inline":
        keys = draw(st.lists(NAMES, max_size=3, unique=True))
        return "{" + ", ".join(f"{key} = {draw(values(depth - 1))}" for key in keys) + "}"
    return draw(SCALARS)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A document of some tables, in which no table is written twice."""
    text = ""
    for number in range(draw(st.integers(0, 3))):
        header = draw(st.sampled_from(["[t{0}]", "[ 't{0}' . x ]", "[[t{0}]]", "[[t{0}]]\n[[ t{0} ]]"]))
        text += header.format(number) + "\n"
        for key in draw(st.lists(NAMES, max_size=3, unique=True)):
            text += f"{key} = {draw(values())}{draw(st.sampled_from(['', ' # c']))}\n"
    return text


def walked(value: object, way: Key = ()) -> Iterator[tuple[Key, object]]:
    """Every key and element of a value, and the way to it."""
    inner: Iterator[tuple[str | int, object]] = iter(())
    if isinstance(value, dict):
        inner = iter(value.items())
    elif isinstance(value, list):
        inner = iter(enumerate(value))
    for key, one in inner:
        yield (*way, key), one
        yield from walked(one, (*way, key))


def at(text: str, span: Span) -> str:
    """What stands at a place, to the end of the document where it goes on below."""
    lines = text.split("\n")
    rest = "\n".join([lines[span.line - 1][span.column - 1 :], *lines[span.line :]])
    return rest if span.end > len(lines[span.line - 1]) else lines[span.line - 1][span.column - 1 : span.end - 1]


def check(text: str) -> None:
    """Compare with what `tomllib` reads."""
    places = places_in(text)
    ways = dict(walked(tomllib.loads(text)))
    headers = {way for way in ways if isinstance(way[-1], int) and way not in places}
    assert all(isinstance(ways[way], dict) for way in headers)
    assert set(places) == ways.keys() - headers
    for way, span in places.items():
        name = way[-1]
        if isinstance(name, str):
            assert {name: 1} == tomllib.loads(f"{at(text, span).strip()} = 1")


def test_a_document_of_every_form() -> None:
    """Keys with dots and quotes, tables, arrays of tables, inline tables, strings of every kind, and comments."""
    check(DOCUMENT)


def test_the_place_of_an_element() -> None:
    """Line and columns count from 1, and the end is after the last character."""
    assert Span(9, 3, 10) == places_in(DOCUMENT)[("tool", "thena", "lint", "select", 1)]


@given(documents())
def test_any_document(text: str) -> None:
    """Whatever the layout, the keys and elements are those that `tomllib` reads."""
    check(text)

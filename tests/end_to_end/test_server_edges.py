"""One fault among odd characters, line ends and broken code: it is found, where the client counts it, or rightly isn't.

Every text is opened as it is, and once more reached by an edit of the fault's own line, in each of the encodings.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.lsp import Client, Json

TEMPLATE: Final = """\
from thena_runtime import Agent, OllamaProvider, Workflow, loop

@@LINES@@

@Agent(provider=OllamaProvider(model="small"), prompt="./writer.agent.md")
class Writer:
    pass


@Workflow(steps=[loop([Writer], on_fail=lambda ctx, fails: "@@ODD@@", @@HERE@@until=lambda ctx, s: s.approved)])
class Flow:
    pass


@@AFTER@@
"""
CODE: Final = "THN301"
BROKEN: Final = "def broken_f(a, b:\n    return a\n\n\nclass BrokenA:\n    pass"
BROKEN_HEAD: Final = "def broken_f(a, b:\n    return a\n\n"
STUB: Final = "# to be replaced"
UNITS: Final = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}

ROWS: Final[dict[str, dict[str, str]]] = {
    "plain": {},
    "emoji": {"odd": "😀😀é"},
    "combining": {"odd": "e\u0301\u200d\u05d0"},
    "tab": {"odd": "\t\t"},
    "form feed": {"lines": "a_ = 1\n\x0c\nb_ = 2"},
    "other separators": {"lines": 'a_ = "\u2028\x85\x1c\x0b"\nb_ = 2'},
    "crlf": {"end": "\r\n", "lines": "a_ = 1"},
    "cr": {"end": "\r", "lines": "a_ = 1"},
    "byte order mark": {"mark": "\ufeff"},
    "broken below": {"after": BROKEN},
    "broken above": {"lines": BROKEN_HEAD},
    "broken on both sides": {"lines": BROKEN_HEAD, "after": BROKEN},
}


class Text:
    """The template with something odd in it, and where its fault is."""

    def __init__(self, *, odd: str = "", lines: str = "", after: str = "", end: str = "\n", mark: str = "") -> None:
        text = mark + TEMPLATE.replace("@@LINES@@", lines).replace("@@AFTER@@", after).replace("@@ODD@@", odd)
        offset = text.index("@@HERE@@")
        text = text.replace("@@HERE@@", "")
        start, stop = text.rindex("\n", 0, offset) + 1, text.index("\n", offset)
        self.line = text.count("\n", 0, offset)
        self.before, self.whole = text[start:offset], text[start:stop]
        self.all = text.replace("\n", end)
        self.stubbed = (text[:start] + STUB + text[stop:]).replace("\n", end)

    def starts(self, encoding: str) -> list[tuple[int, int]]:
        """Where the fault begins, as a client of this encoding counts."""
        codec, width = UNITS[encoding]
        return [(self.line, len(self.before.encode(codec)) // width)]


@pytest.fixture(scope="module", params=list(UNITS))
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Client, str]]:
    """One server for each encoding."""
    folder = tmp_path_factory.mktemp("edges")
    (folder / "writer.agent.md").write_text("Write.")
    with Client(folder, encodings=[request.param]) as client:
        client.initialize()
        yield client, request.param


def found(client: Client, version: int) -> list[Json]:
    """What is found in this version of the text."""
    assert client.root is not None
    return client.published(client.root / "edge.py", version)


def starts(diagnostics: list[Json]) -> list[tuple[int, int]]:
    """Where the fault is told to begin."""
    ranges = [one["range"]["start"] for one in diagnostics if one["code"] == CODE]
    return [(one["line"], one["character"]) for one in ranges]


@pytest.mark.parametrize("row", list(ROWS))
def test_the_fault_is_where_it_is(served: tuple[Client, str], row: str) -> None:
    """A text that is opened so has its fault at the line and column that the client counts."""
    client, encoding = served
    text, path = Text(**ROWS[row]), _path(client)
    assert text.starts(encoding) == starts(found(client, _opened(client, path, text.all)))


@pytest.mark.parametrize("row", list(ROWS))
def test_an_edit_reaches_its_line(served: tuple[Client, str], row: str) -> None:
    """The fault that arrives by an edit of its line is where the client counts it."""
    client, encoding = served
    text, path = Text(**ROWS[row]), _path(client)
    assert [] == starts(found(client, _opened(client, path, text.stubbed)))
    spot = {"start": {"line": text.line, "character": 0}, "end": {"line": text.line, "character": len(STUB)}}
    version = client.change(path, {"range": spot, "text": text.whole})
    assert text.starts(encoding) == starts(found(client, version))


def test_a_byte_order_mark_counts_in_its_line(served: tuple[Client, str]) -> None:
    """A fault of the first line is as much further to the right as the client counts the mark."""
    client, encoding = served
    codec, width = UNITS[encoding]
    path, text = _path(client), "import thena_runtime; def (:\n"
    (plain,) = found(client, _opened(client, path, text))
    (marked,) = found(client, _opened(client, path, f"\ufeff{text}"))
    column = plain["range"]["start"]["character"] + len("\ufeff".encode(codec)) // width
    assert {"line": 0, "character": column} == marked["range"]["start"]


def test_nothing_is_found_inside_of_an_open_string(served: tuple[Client, str]) -> None:
    """What stands after an opened triple quote is text, and no fault of it is told."""
    client, _ = served
    path = _path(client)
    diagnostics = found(client, _opened(client, path, Text(lines='x_ = """').all))
    assert (["THN901"], []) == ([one["code"] for one in diagnostics], starts(diagnostics))


def test_the_fault_goes_and_comes_with_its_text(served: tuple[Client, str]) -> None:
    """An emptied document has no faults, and the one that comes back has its own."""
    client, encoding = served
    text, path = Text(), _path(client)
    assert text.starts(encoding) == starts(found(client, _opened(client, path, text.all)))
    assert [] == found(client, client.replace(path, ""))
    assert text.starts(encoding) == starts(found(client, client.replace(path, text.all)))


@pytest.mark.parametrize("row", ["plain", "emoji", "form feed", "crlf", "byte order mark", "broken below"])
def test_a_hover_is_answered_beside_it(served: tuple[Client, str], row: str) -> None:
    """Whatever stands in a text, the hover of its fault answers."""
    client, encoding = served
    text, path = Text(**ROWS[row]), _path(client)
    _opened(client, path, text.all)
    shown = client.hover(path, *text.starts(encoding)[0])
    assert shown is not None
    assert "**`steps[0].until`** of `Flow`" == shown.split("\n")[0]


def _path(client: Client) -> Path:
    assert client.root is not None
    return client.root / "edge.py"


def _opened(client: Client, path: Path, text: str) -> int:
    """Open the text instead of what was open before; versions go on, so that no answer is an old one's."""
    client.close(path)
    return client.open(path, text)

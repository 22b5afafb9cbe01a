"""Large tables of constants are read without their rows, and nothing else changes."""

from pathlib import Path

import libcst
import pytest

from thena_lint.analyze import analyze
from thena_lint.source.parse import SyntaxProblem, parse
from thena_lint.source.tables import without_rows

ROWS = [f'    "key{number}": ({number}, -1, [True, None], "é {number}"),\n' for number in range(300)]
TABLE = "TABLE = {\n" + "".join(ROWS) + "}\n"
ITEMS = ", ".join(map(str, range(3_000)))

FAULTY = """
@Tool(name="find", description="Find.")
class Find:
    rows = [{items}]

    def execute(self) -> str:
        self.rows.append(1)
        return ""


@Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("x"), tools=[Find])
class Finder: ...


@Workflow(steps=[Finder])
class Flow: ...
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("a: dict[str, object] = f('é', ", ", 1)"),
        ("class A:\n    rows = ", "\n    x = 1"),
        ("é = ", " ; y = 2"),
    ],
)
@pytest.mark.parametrize("table", ["{\n" + "".join(ROWS) + "}", f"[{ITEMS}]", f"{{\n{ITEMS}\n  }}"])
def test_all_around_a_table_stays_where_it_was(before: str, after: str, table: str, newline: str) -> None:
    """The text has as many lines and columns, and less than a tenth of the characters of its rows."""
    text = f"{before}{table}{after}\n".replace("\n", newline)
    found = without_rows(text)
    assert isinstance(parse(found), libcst.Module)
    assert text.count(newline) == found.count(newline)
    assert found.startswith(f"{before}{table[0]}".replace("\n", newline))
    assert found.endswith(f"{after}\n".replace("\n", newline))
    lines = found.split(newline)
    assert [len(line) for line in text.split(newline)][-2:] == [len(line) for line in lines][-2:]
    assert '"key7"' not in found
    assert "1999" not in found


@pytest.mark.parametrize(
    "text",
    [
        TABLE.replace('"key7"', "KEY7"),
        TABLE.replace("(7, -1", "f(7, -1"),
        f"__all__ = {list(map(str, range(3_000)))}\n",
        "TABLE = {'a': 1}\n",
    ],
    ids=["a name", "a call", "exports", "small"],
)
def test_what_may_say_something_stays(text: str) -> None:
    """A table with a name or a call in it, what a module exports, and a small table are read as they are."""
    assert text == without_rows(text)


def test_a_mistake_in_a_row_is_told() -> None:
    """A table that doesn't parse isn't hidden."""
    problem = parse(TABLE.replace('"key7": (7,', '"key7": (7 7,'))
    assert isinstance(problem, SyntaxProblem)
    assert 9 == problem.line


def test_a_table_is_still_what_it_was(tmp_path: Path) -> None:
    """What is told of a table is told of a large one, at its place."""
    imports = "from thena_runtime import Agent, Prompt, ScriptedProvider, Tool, Workflow\n"
    found = {}
    for name, items in (("small", "1"), ("large", ITEMS)):
        path = tmp_path / name / "flow.py"
        path.parent.mkdir()
        path.write_text(imports + FAULTY.replace("{items}", items), encoding="utf-8")
        found[name] = [
            (one.code, one.place.line, one.place.column, one.message) for one in analyze([path.parent]).diagnostics
        ]
    assert ["THN807", "THN802"] == [one[0] for one in found["small"]]
    assert found["small"] == found["large"]

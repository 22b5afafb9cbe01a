"""What stands at a position, for hovers: every marked position, and nothing elsewhere."""

from pathlib import Path

import pytest

from thena_contract.anchor import Anchor, Ref
from thena_contract.vocabulary import RequestKind
from thena_lint.index.project import ProjectIndex
from thena_lint.link.assemblies import link
from thena_lint.link.standing import (
    DeclaredHere,
    HookHere,
    MarkerHere,
    ParameterHere,
    Thing,
    UntilHere,
    standing_at,
)

TEXT = """\
from thena_runtime import Agent, Prompt, State as St, Tool, Workflow, loop


def done(ctx, s) -> bool:
    return s.approved


Alias = St[dict]


@Tool(name="note", description="Take a note.")
class Note:
    def execute(self, text: str, *, s: Alias) -> str:
        return text


@Agent(prompt=Prompt("Write."), tools=[Note])
class Writer:
    def __init__(self, s: "Alias" = None) -> None:
        self.s = Note

    def after_response(self, response: str) -> None:
        local = Writer


@Workflow(state=dict, steps=[loop([Writer], until=done), Writer])
class Flow:
    pass
"""

NOTE = DeclaredHere(Ref("flow", "Note"), "Tool")
WRITER = DeclaredHere(Ref("flow", "Writer"), "Agent")
FLOW = DeclaredHere(Ref("flow", "Flow"), "Workflow")
UNTIL = UntilHere(Anchor(Ref("flow", "Flow"), ("option", "steps", 0, "until")))


@pytest.mark.parametrize(
    ("before", "at", "thing", "covered"),
    [
        ("Prompt, ", "State", MarkerHere("State", RequestKind.STATE), "State"),
        ("State as ", "St", MarkerHere("State", RequestKind.STATE), "St"),
        ("Alias = ", "St", MarkerHere("State", RequestKind.STATE), "St"),
        ("@", "Tool", NOTE, "Tool"),
        ("class ", "Note", NOTE, "Note"),
        ("tools=[", "Note", NOTE, "Note"),
        ("class ", "Writer", WRITER, "Writer"),
        ("loop([", "Writer", WRITER, "Writer"),
        ("done), ", "Writer", WRITER, "Writer"),
        ("@", "Workflow", FLOW, "Workflow"),
        ("*, ", "s: Alias", ParameterHere(Ref("flow", "Note"), "execute", "s"), "s: Alias"),
        ("*, s: ", "Alias", ParameterHere(Ref("flow", "Note"), "execute", "s"), "s: Alias"),
        ("self, ", "s: ", ParameterHere(Ref("flow", "Writer"), "__init__", "s"), 's: "Alias"'),
        ("done(ctx, ", "s", ParameterHere(Ref("flow", "done"), None, "s"), "s"),
        ("def ", "after_response", HookHere(Ref("flow", "Writer"), "after_response"), "after_response"),
        ("[Writer], ", "until", UNTIL, "until=done"),
        ("until=", "done", UNTIL, "until=done"),
        ("local = ", "Writer", None, None),
        ("self.s = ", "Note", None, None),
        ("state=", "dict", None, None),
        ("", "# nothing", None, None),
    ],
)
def test_what_stands_there(before: str, at: str, thing: Thing | None, covered: str | None, tmp_path: Path) -> None:
    """The first and the last character of a name tell the same thing, with the range that it covers."""
    text = TEXT + "# nothing\n"
    file = tmp_path / "flow.py"
    file.write_text(text, encoding="utf-8")
    index = ProjectIndex.load([tmp_path])
    linked = link(index)
    offset = text.index(before + at) + len(before)
    line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)

    for where in (column, column + len(at.strip()) - 1):
        found = standing_at(index, linked, file, line, where)
        assert thing == (found and found.thing)
        if found is not None:
            place = found.place
            assert covered == text.split("\n")[place.line - 1][place.column - 1 : place.end_column - 1]

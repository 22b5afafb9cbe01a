"""Notebooks in the editor: what is found in a cell is shown there, while cells are typed, added, moved and deleted."""

from pathlib import Path

import pytest
from lsprotocol import types as lsp

from tests.lsp.test_sequences import notebook
from tests.lsp.test_session import AGENT, FLOW, GOOD_FLOW, begun
from thena_lint.edit import Edit
from thena_lsp.client import Client
from thena_lsp.edits import Changes, workspace_edit
from thena_lsp.features.actions import actions_at, resolve
from thena_lsp.features.diagnostics import of_file, publications
from thena_lsp.features.hover import hover_at
from thena_lsp.session import Session

Told = list[tuple[str, int | None, list[tuple[object, int]]]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with an agent, and a notebook in which a workflow without state uses it."""
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "notes.ipynb").write_text(notebook(["x = 1\n", FLOW]))
    return tmp_path


def told(session: Session) -> Told:
    """What the client is told now: text, version, and the code and line of each diagnostic."""
    return [
        (one.uri.rpartition("/")[2], one.version, [(each.code, each.range.start.line) for each in one.diagnostics])
        for one in publications(session, lambda: None, Client())
    ]


def opened(session: Session, path: Path, *texts: str) -> None:
    """Open a notebook whose cells are called 0, 1 and so on."""
    names = [cell_uri(path, str(number)) for number in range(len(texts))]
    session.open_notebook(
        lsp.DidOpenNotebookDocumentParams(
            lsp.NotebookDocument(path.as_uri(), "jupyter-notebook", 1, [cell(name) for name in names]),
            [lsp.TextDocumentItem(name, "python", 1, text) for name, text in zip(names, texts, strict=True)],
        )
    )


def changed(session: Session, path: Path, changes: lsp.NotebookDocumentCellChanges) -> None:
    """Change an open notebook."""
    session.change_notebook(
        lsp.DidChangeNotebookDocumentParams(
            lsp.VersionedNotebookDocumentIdentifier(version=2, uri=path.as_uri()),
            lsp.NotebookDocumentChangeEvent(cells=changes),
        )
    )


def cell_uri(path: Path, name: str) -> str:
    """The URI of a cell."""
    return f"vscode-notebook-cell:{path}/{name}"


def cell(uri: str) -> lsp.NotebookCell:
    """A cell of code."""
    return lsp.NotebookCell(lsp.NotebookCellKind.Code, uri)


def test_a_notebook_on_disk_is_judged(project: Path) -> None:
    """A workflow in a notebook that nobody looks at counts for the agents that it uses."""
    assert [("agent.py", None, [("THN201", 9)])] == told(begun(project))


def test_what_is_found_is_shown_in_its_cell(project: Path) -> None:
    """Lines are those of the cell, versions too, and what explains a fault elsewhere leads into the cell."""
    session, notes = begun(project), project / "notes.ipynb"
    told(session)
    opened(session, notes, "x = 1\n", "import thena_runtime\n\ndef (:\n", FLOW)
    assert [("0", 1, []), ("1", 1, [("THN901", 2)]), ("2", 1, []), ("notes.ipynb", None, [])] == sorted(
        one for one in told(session) if one[0] != "agent.py"
    )
    params = lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(cell_uri(notes, "1")))
    report = of_file(session, params, Client(pulls=True))
    assert isinstance(report, lsp.RelatedFullDocumentDiagnosticReport)
    assert ["THN901"] == [one.code for one in report.items]
    agent = of_file(
        session,
        lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier((project / "agent.py").as_uri())),
        Client(pulls=True, shows_related=True),
    )
    assert isinstance(agent, lsp.RelatedFullDocumentDiagnosticReport)
    (chain,) = [one.related_information for one in agent.items]
    assert chain is not None
    assert {(cell_uri(notes, "2"), 4), (cell_uri(notes, "2"), 5)} >= {
        (one.location.uri, one.location.range.start.line) for one in chain
    }


def test_a_cell_that_is_typed_counts(project: Path) -> None:
    """The unsaved text of a cell takes a fault of another file away, and brings it back."""
    session, notes = begun(project), project / "notes.ipynb"
    opened(session, notes, "x = 1\n", FLOW)
    assert ("agent.py", None, [("THN201", 9)]) in told(session)
    for version, text, codes in ((2, GOOD_FLOW, []), (3, FLOW, [("THN201", 9)])):
        edit = lsp.NotebookDocumentCellContentChanges(
            lsp.VersionedTextDocumentIdentifier(version=version, uri=cell_uri(notes, "1")),
            [lsp.TextDocumentContentChangeWholeDocument(text)],
        )
        changed(session, notes, lsp.NotebookDocumentCellChanges(text_content=[edit]))
        assert ("agent.py", None, codes) in told(session)


def test_cells_that_come_and_go_take_their_faults_along(project: Path) -> None:
    """A fault moves with its cell, and is cleared in one that is deleted, or when the notebook is closed."""
    session, notes = begun(project), project / "notes.ipynb"
    opened(session, notes, "x = 1\n", "import thena_runtime\n\ndef (:\n")
    assert ("1", 1, [("THN901", 2)]) in told(session)
    new = cell_uri(notes, "new")
    structure = lsp.NotebookDocumentCellChangeStructure(
        lsp.NotebookCellArrayChange(start=0, delete_count=1, cells=[cell(new)]),
        did_open=[lsp.TextDocumentItem(new, "python", 1, FLOW)],
    )
    changed(session, notes, lsp.NotebookDocumentCellChanges(structure=structure))
    assert [("1", 1, [("THN901", 2)]), ("new", 1, []), ("notes.ipynb", None, [])] == sorted(
        one for one in told(session) if one[0] != "agent.py"
    )
    structure = lsp.NotebookDocumentCellChangeStructure(lsp.NotebookCellArrayChange(start=1, delete_count=1))
    changed(session, notes, lsp.NotebookDocumentCellChanges(structure=structure))
    assert ("1", None, []) in told(session)
    session.close_notebook(notes.as_uri())
    assert ("notes.ipynb", None, []) in told(session)


CLIENT = Client(takes_actions=True, resolves_edits=True, takes_versions=True)
MISSING = """\
%matplotlib inline
from thena_runtime import Tool


@Tool(name="a", description="b")
class A:  # wanted
    x = 1"""
EVERYWHERE = lsp.Range(lsp.Position(0, 0), lsp.Position(99, 0))


def actions(session: Session, uri: str, client: Client = CLIENT) -> list[lsp.CodeAction]:
    """What is offered in a cell."""
    asked = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), EVERYWHERE, lsp.CodeActionContext([]))
    return actions_at(session, asked, client) or []


def test_a_cell_is_explained(project: Path) -> None:
    """The mouse shows what stands in a cell, at the cell's own lines."""
    session, notes = begun(project), project / "notes.ipynb"
    opened(session, notes, "x = 1\ny = 2\n", FLOW)
    hover = hover_at(session, cell_uri(notes, "1"), lsp.Position(5, 7))
    assert hover is not None
    assert isinstance(hover.contents, lsp.MarkupContent)
    assert "**workflow `Flow`**" == hover.contents.value.partition("\n")[0]
    assert lsp.Range(lsp.Position(5, 6), lsp.Position(5, 10)) == hover.range
    assert None is hover_at(session, cell_uri(notes, "0"), lsp.Position(1, 0))
    assert None is hover_at(session, cell_uri(notes, "gone"), lsp.Position(5, 7))


@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_fault_of_a_cell_is_ignored_there(project: Path, ending: str) -> None:
    """The comment is an edit of the cell's text, also on a line that ends it, and silences the fault."""
    session, notes = begun(project), project / "notes.ipynb"
    text = MISSING.partition("  #")[0] + " pass" + ending
    opened(session, notes, "x = 1\n", text, "y = 1\n")
    (offer,) = actions(session, cell_uri(notes, "1"))
    assert [] == actions(session, cell_uri(notes, "2"))
    assert "Ignore THN103 on this line" == offer.title
    edit = resolve(session, offer, CLIENT).edit
    comment = lsp.TextEdit(
        lsp.Range(lsp.Position(5, 13), lsp.Position(5, 13)),
        "  # thena: ignore[THN103]",
    )
    document = lsp.OptionalVersionedTextDocumentIdentifier(uri=cell_uri(notes, "1"), version=1)
    assert lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(document, [comment])]) == edit
    changes = [lsp.TextDocumentContentChangePartial(comment.range, comment.new_text)]
    new = lsp.VersionedTextDocumentIdentifier(version=2, uri=cell_uri(notes, "1"))
    told(session)
    changed(
        session,
        notes,
        lsp.NotebookDocumentCellChanges(text_content=[lsp.NotebookDocumentCellContentChanges(new, changes)]),
    )
    assert ("1", 2, []) in told(session)


def test_an_edit_lies_in_one_cell_or_there_is_none(project: Path) -> None:
    """What isn't about the words of an open cell, or may belong to the one above, is no edit of a cell."""
    session, notes = begun(project), project / "notes.ipynb"
    opened(session, notes, MISSING, "y = 1\n")
    source = session.snapshot().source(notes)
    assert source is not None

    def placed(start: int, end: int) -> lsp.WorkspaceEdit | None:
        changes = Changes(edits=(Edit(notes, start, end, "z"),))
        return workspace_edit(changes, session.snapshot(), session.encoding, Client())

    wanted, second = source.text.index("wanted"), source.text.index("y = 1")
    range_of_wanted = lsp.Range(lsp.Position(5, 12), lsp.Position(5, 18))
    edit = lsp.WorkspaceEdit(changes={cell_uri(notes, "0"): [lsp.TextEdit(range_of_wanted, "z")]})
    assert edit == placed(wanted, wanted + len("wanted"))
    assert None is placed(1, 1)
    assert None is placed(second, second)
    assert None is placed(wanted, second + 1)
    session.close_notebook(notes.as_uri())
    assert None is placed(wanted, wanted + len("wanted"))

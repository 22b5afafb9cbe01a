"""Diagnostics that a client pulls: of one file, of all, only what it hasn't got, and when it must ask again."""

from pathlib import Path

import pytest
from lsprotocol import types as lsp

from tests.lsp.test_session import AGENT, FLOW, GOOD_FLOW, begun, replace
from thena_lsp.client import Client
from thena_lsp.convert import path_of
from thena_lsp.features.diagnostics import FileReport, needs_refresh, of_file, of_workspace
from thena_lsp.session import Session

CLIENT = Client(pulls=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose workflow declares no state."""
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "flow.py").write_text(FLOW)
    return tmp_path


def pulled(session: Session, path: Path, previous: str | None = None) -> FileReport:
    """What a client gets for a file."""
    document = lsp.TextDocumentIdentifier(path.as_uri())
    return of_file(session, lsp.DocumentDiagnosticParams(document, previous_result_id=previous), CLIENT)


def codes(report: FileReport) -> list[object] | None:
    """The codes of a report; `None` for one that says that nothing is new."""
    return None if report.kind == "unchanged" else [one.code for one in getattr(report, "items", ())]


def everywhere(session: Session, known: dict[Path, str]) -> list[tuple[str, int | None, list[object] | None]] | None:
    """File, version and codes of all that a client gets which knows these results; it learns the new ones."""
    previous = [lsp.PreviousResultId(path.as_uri(), value) for path, value in known.items()]
    report = of_workspace(session, lsp.WorkspaceDiagnosticParams(previous), CLIENT)
    if report is None:
        return None
    told = []
    for one in report.items:
        path = path_of(one.uri)
        assert path is not None
        items = (
            [each.code for each in one.items] if isinstance(one, lsp.WorkspaceFullDocumentDiagnosticReport) else None
        )
        told.append((path.name, one.version, items))
        assert one.result_id is not None
        known[path] = one.result_id
    return told


def is_refresh_due(session: Session) -> bool:
    """Whether the client is asked to pull again now."""
    return needs_refresh(session, lambda: None)


def test_a_file_is_told_once(project: Path) -> None:
    """The same result is not sent again; another one is, also one that is empty."""
    session = begun(project)
    first = pulled(session, project / "agent.py")
    assert ["THN201"] == codes(first)
    assert None is codes(pulled(session, project / "agent.py", first.result_id))
    session.open((project / "flow.py").as_uri(), 1, GOOD_FLOW)
    second = pulled(session, project / "agent.py", first.result_id)
    assert [] == codes(second)
    assert None is codes(pulled(session, project / "agent.py", second.result_id))


def test_a_result_that_has_moved_is_another(project: Path) -> None:
    """A line above a fault makes it a new result, though the fault is the same."""
    session = begun(project)
    before = pulled(session, project / "agent.py").result_id
    session.open((project / "agent.py").as_uri(), 1, "# one\n" + AGENT)
    assert ["THN201"] == codes(pulled(session, project / "agent.py", before))


@pytest.mark.parametrize("uri", ["untitled:1", "file:///nowhere/at/all.py"])
def test_what_nobody_judges_has_no_diagnostics(project: Path, uri: str) -> None:
    """A document without a file, and one that is nowhere, get an empty report."""
    params = lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(uri))
    assert [] == codes(of_file(begun(project), params, CLIENT))


def test_all_files_are_told_and_then_only_what_is_new(project: Path) -> None:
    """A workspace is told once; then files with another result, those that are clean now, and those that are gone."""
    known: dict[Path, str] = {}
    session = begun(project)
    bad = project / "bad.py"
    bad.write_text("import thena_runtime\n\ndef (:\n")
    session.touch([bad.as_uri()])
    assert [("agent.py", None, ["THN201"]), ("bad.py", None, ["THN901"])] == everywhere(session, known)
    assert None is everywhere(session, known)
    session.open((project / "flow.py").as_uri(), 4, GOOD_FLOW)
    bad.unlink()
    session.touch([bad.as_uri()])
    assert [("agent.py", None, []), ("bad.py", None, [])] == everywhere(session, known)
    assert None is everywhere(session, known)
    session.open((project / "agent.py").as_uri(), 7, AGENT)
    replace(session, project / "flow.py", 5, FLOW)
    assert [("agent.py", 7, ["THN201"])] == everywhere(session, known)


def test_what_was_shown_is_taken_back_though_its_result_is_forgotten(project: Path) -> None:
    """A client that has closed a file names no result of it, and still learns that it is clean now."""
    session = begun(project)
    session.open((project / "agent.py").as_uri(), 1, AGENT)
    pulled(session, project / "agent.py")
    session.close((project / "agent.py").as_uri())
    (project / "flow.py").write_text(GOOD_FLOW)
    session.touch([(project / "flow.py").as_uri()])
    known: dict[Path, str] = {}
    assert [("agent.py", None, [])] == everywhere(session, known)
    assert None is everywhere(session, known)


def test_who_asks_for_all_is_told_that_there_is_nothing(project: Path) -> None:
    """The first answer comes at once, also where it is empty; a later one waits for news."""
    (project / "flow.py").write_text(GOOD_FLOW)
    session = begun(project)
    assert [] == everywhere(session, {})
    assert None is everywhere(session, {})


def test_all_files_are_told_once_they_are_read(project: Path) -> None:
    """A part of the workspace is no answer for all of it."""
    session = Session(begun(project).encoding, [project])
    assert None is everywhere(session, {})


def test_a_client_asks_again_for_what_it_did_not_touch(project: Path) -> None:
    """An edit makes a client pull its own file; it is told to pull only where another open one has changed."""
    session = begun(project)
    for name in ("agent.py", "flow.py"):
        session.open((project / name).as_uri(), 1, (project / name).read_text())
        pulled(session, project / name)
    assert not is_refresh_due(session)
    replace(session, project / "agent.py", 2, AGENT + "# more\n")
    assert not is_refresh_due(session)
    pulled(session, project / "agent.py")
    assert not is_refresh_due(session)
    replace(session, project / "flow.py", 2, GOOD_FLOW)
    pulled(session, project / "flow.py")
    assert is_refresh_due(session)
    assert not is_refresh_due(session)
    replace(session, project / "flow.py", 3, FLOW)
    pulled(session, project / "flow.py")
    pulled(session, project / "agent.py")
    assert not is_refresh_due(session)


def test_a_client_that_pulled_too_early_asks_again(project: Path) -> None:
    """What was found with a part of the workspace is asked for again when all of it is read."""
    session = Session(begun(project).encoding, [project])
    session.open((project / "agent.py").as_uri(), 1, AGENT)
    assert [] == codes(pulled(session, project / "agent.py"))
    while session.read_some():
        pass
    assert is_refresh_due(session)
    assert ["THN201"] == codes(pulled(session, project / "agent.py"))


def test_a_result_between_two_looks_is_not_forgotten(project: Path) -> None:
    """A client that pulled while a file was otherwise asks again, though the file is now as it was before that."""
    session = begun(project)
    for name in ("agent.py", "flow.py"):
        session.open((project / name).as_uri(), 1, (project / name).read_text())
        pulled(session, project / name)
    assert not is_refresh_due(session)
    replace(session, project / "flow.py", 2, GOOD_FLOW)
    assert [] == codes(pulled(session, project / "agent.py"))
    replace(session, project / "flow.py", 3, FLOW)
    assert is_refresh_due(session)

"""What well-known editors say that they can do, as recorded by pytest-lsp: what each is sent, it understands.

pytest-lsp's client warns of whatever goes beyond its editor's abilities; here a warning is a failure. Its pytest plugin
isn't used, so that no other test pays for it.
"""

import asyncio
import shutil
import sys
import warnings
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from lsprotocol import types as lsp
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

ROOT: Final = Path(__file__).parents[2]
PATIENCE: Final = 60.0
LINE: Final = "    state=ReviewState,\n"


@pytest.fixture
def review(tmp_path: Path) -> Path:
    """A copy of the shipped example."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "examples" / "review"


@asynccontextmanager
async def session(folder: Path, profile: str) -> AsyncIterator[tuple[LanguageClient, lsp.InitializeResult]]:
    """A server that has begun with this folder, and an editor of this profile."""
    client = make_test_lsp_client()
    # pytest-lsp's client refuses it, though editors that say that they can do it don't.
    client.feature(lsp.CLIENT_REGISTER_CAPABILITY)(lambda _: None)
    await client.start_io(sys.executable, "-m", "thena_lsp")
    folders = [lsp.WorkspaceFolder(uri=folder.as_uri(), name=folder.name)]
    params = lsp.InitializeParams(
        capabilities=client_capabilities(profile), root_uri=folder.as_uri(), workspace_folders=folders
    )
    yield client, await client.initialize_session(params)
    await client.shutdown_session()
    await client.stop()


def opened(client: LanguageClient, path: Path) -> str:
    """Open a file, and return its URI."""
    text = path.read_text(encoding="utf-8")
    document = lsp.TextDocumentItem(uri=path.as_uri(), language_id="python", version=1, text=text)
    client.text_document_did_open(lsp.DidOpenTextDocumentParams(document))
    return document.uri


def edited(client: LanguageClient, uri: str, version: int, *edits: lsp.TextEdit) -> None:
    """Make an open text its next version."""
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(uri=uri, version=version),
            [lsp.TextDocumentContentChangePartial(edit.range, edit.new_text) for edit in edits],
        )
    )


async def diagnostics(
    client: LanguageClient, pulls: bool, uri: str, is_wanted: Callable[[Sequence[lsp.Diagnostic]], bool]
) -> Sequence[lsp.Diagnostic]:
    """Wait until the diagnostics that the editor has, or gets where it asks, are those that are wanted."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if pulls:
                asked = lsp.DocumentDiagnosticParams(lsp.TextDocumentIdentifier(uri))
                report = await client.text_document_diagnostic_async(asked)
                found = report.items if isinstance(report, lsp.RelatedFullDocumentDiagnosticReport) else ()
            else:
                found = client.diagnostics.get(uri, ())
            if is_wanted(found):
                return found
            await asyncio.sleep(0.02)


def edits_by_uri(edit: lsp.WorkspaceEdit) -> dict[str, Sequence[lsp.TextEdit]]:
    """The text edits of a workspace edit, in either of its forms."""
    documents = [one for one in edit.document_changes or () if isinstance(one, lsp.TextDocumentEdit)]
    versioned = {
        one.text_document.uri: [each for each in one.edits if isinstance(each, lsp.TextEdit)] for one in documents
    }
    return {**(edit.changes or {}), **versioned}


@pytest.mark.parametrize(
    ("profile", "encoding", "is_resolved", "is_versioned"),
    [
        ("visual-studio-code", "utf-16", True, True),
        ("neovim@v0.7", "utf-16", True, False),
        ("neovim@v0.11", "utf-8", True, False),
        ("emacs", "utf-32", False, True),
    ],
)
async def test_a_fault_is_shown_and_repaired(
    review: Path, profile: str, encoding: str, is_resolved: bool, is_versioned: bool
) -> None:
    """An editor of this profile sees the faults of an unsaved edit, and is given a fix in the form that it takes."""
    with warnings.catch_warnings(record=True) as beyond:
        warnings.simplefilter("always")
        async with session(review, profile) as (client, told):
            pulls = told.capabilities.diagnostic_provider is not None
            workflow, agents = opened(client, review / "workflow.py"), opened(client, review / "agents.py")
            text = (review / "workflow.py").read_text(encoding="utf-8")
            line = text[: text.index(LINE)].count("\n")
            edited(client, workflow, 2, lsp.TextEdit(lsp.Range(lsp.Position(line, 0), lsp.Position(line + 1, 0)), ""))
            first, _ = await diagnostics(client, pulls, agents, lambda found: len(found) == 2)
            hover = await client.text_document_hover_async(
                lsp.HoverParams(lsp.TextDocumentIdentifier(agents), first.range.start)
            )
            actions = await client.text_document_code_action_async(
                lsp.CodeActionParams(lsp.TextDocumentIdentifier(agents), first.range, lsp.CodeActionContext([first]))
            )
            assert actions is not None
            fix = next(one for one in actions if isinstance(one, lsp.CodeAction) and one.is_preferred)
            is_listed = fix.edit is not None
            resolved = fix if is_listed else await client.code_action_resolve_async(fix)
            assert resolved.edit is not None
            ((uri, edits),) = edits_by_uri(resolved.edit).items()
            edited(client, uri, 3, *sorted(edits, key=lambda one: one.range.start, reverse=True))
            await diagnostics(client, pulls, agents, lambda found: not found)

    assert [] == [str(one.message) for one in beyond]
    assert [] == client.messages
    assert (encoding, is_resolved, is_versioned) == (
        told.capabilities.position_encoding,
        not is_listed,
        resolved.edit.document_changes is not None,
    )
    assert (workflow, "Declare `ReviewState` as the state of `Review`") == (uri, fix.title)
    assert hover is not None

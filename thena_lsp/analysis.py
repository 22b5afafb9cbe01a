"""The session of one client, and the features that are asked about it: one line a feature."""

from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcContentModified

from thena_lsp.analyst import Check, FileReport
from thena_lsp.client import Client
from thena_lsp.convert import Encoding
from thena_lsp.features import actions, diagnostics, hover
from thena_lsp.session import Session


class Analysis:
    """The `Analyst` of the analysis thread, which owns it."""

    def __init__(self, client: Client, encoding: Encoding, folders: Iterable[Path]) -> None:
        self._client = client
        self._session = Session(encoding, folders)

    def set_folders(self, folders: Iterable[Path]) -> None:
        """Have these workspace folders."""
        self._session.set_folders(folders)

    def touch(self, uris: Iterable[str]) -> None:
        """Note what happened on disk."""
        self._session.touch(uris)

    def catch_up(self, since: int) -> bool:
        """Note what nobody has told of."""
        return self._session.catch_up(since)

    def open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        """Take over a text."""
        document = params.text_document
        self._session.open(document.uri, document.version, document.text)

    def change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        """Edit a text."""
        document = params.text_document
        self._session.change(document.uri, document.version, params.content_changes)

    def close(self, params: lsp.DidCloseTextDocumentParams) -> None:
        """Let go of a text."""
        self._session.close(params.text_document.uri)

    def open_notebook(self, params: lsp.DidOpenNotebookDocumentParams) -> None:
        """Take over a notebook."""
        self._session.open_notebook(params)

    def change_notebook(self, params: lsp.DidChangeNotebookDocumentParams) -> None:
        """Edit a notebook."""
        self._session.change_notebook(params)

    def close_notebook(self, params: lsp.DidCloseNotebookDocumentParams) -> None:
        """Let go of a notebook."""
        self._session.close_notebook(params.notebook_document.uri)

    @property
    def is_reading(self) -> bool:
        """Whether there is more to be read."""
        return self._session.is_reading

    def read_some(self) -> int:
        """Read some files."""
        self._session.read_some()
        return self._session.left

    def publications(self, check: Check) -> list[lsp.PublishDiagnosticsParams]:
        """What to publish."""
        return diagnostics.publications(self._session, check, self._client)

    def needs_refresh(self, check: Check) -> bool:
        """Whether something must be asked for again."""
        return diagnostics.needs_refresh(self._session, check)

    def diagnose_file(self, params: lsp.DocumentDiagnosticParams, check: Check) -> FileReport:
        """What is found in a file."""
        return diagnostics.of_file(self._session, params, self._client, check)

    def diagnose_all(self, params: lsp.WorkspaceDiagnosticParams, check: Check) -> lsp.WorkspaceDiagnosticReport | None:
        """What is found everywhere."""
        return diagnostics.of_workspace(self._session, params, self._client, check)

    def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """What stands at a position."""
        return hover.hover_at(self._session, params.text_document.uri, params.position)

    def actions(self, params: lsp.CodeActionParams, check: Check) -> list[lsp.CodeAction] | None:
        """What can be done."""
        return actions.actions_at(self._session, params, self._client, check)

    def resolve(self, action: lsp.CodeAction, check: Check) -> lsp.CodeAction:
        """An action with its edit."""
        try:
            return actions.resolve(self._session, action, self._client, check)
        except actions.NotThereError as error:
            raise JsonRpcContentModified(str(error)) from None

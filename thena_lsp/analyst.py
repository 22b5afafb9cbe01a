"""What the server asks of whoever knows the texts. Whoever that is loads the linter, for which no client needs to wait.

Everything here is asked on the analysis thread.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from lsprotocol import types as lsp

Check = Callable[[], None]
"""Raises where the work in progress isn't wanted any more. Work that takes long calls it now and then."""

FileReport = lsp.RelatedFullDocumentDiagnosticReport | lsp.RelatedUnchangedDocumentDiagnosticReport


def always() -> None:
    """Check nothing: the work is wanted whatever happens."""


class Analyst(Protocol):
    """One client's texts and folders, and what is found in them."""

    # -- what the client says

    def set_folders(self, folders: Iterable[Path]) -> None:
        """Have these workspace folders from now on."""

    def touch(self, uris: Iterable[str]) -> None:
        """Note files that were created, changed, deleted or saved on disk, and folders that came or went."""

    def catch_up(self, since: int) -> bool:
        """Note what has changed on disk since a moment, in nanoseconds; say whether any has."""
        ...

    def open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        """Take over a text."""

    def change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        """Edit a text."""

    def close(self, params: lsp.DidCloseTextDocumentParams) -> None:
        """Let go of a text."""

    def open_notebook(self, params: lsp.DidOpenNotebookDocumentParams) -> None:
        """Take over a notebook."""

    def change_notebook(self, params: lsp.DidChangeNotebookDocumentParams) -> None:
        """Edit a notebook."""

    def close_notebook(self, params: lsp.DidCloseNotebookDocumentParams) -> None:
        """Let go of a notebook."""

    # -- what it can tell

    @property
    def is_reading(self) -> bool:
        """Say whether there are files of the folders that haven't been read."""
        ...

    def read_some(self) -> int:
        """Read a slice of the workspace's files; how many are left."""
        ...

    def publications(self, check: Check) -> list[lsp.PublishDiagnosticsParams]:
        """What to publish now."""
        ...

    def needs_refresh(self, check: Check) -> bool:
        """Say whether a client that pulls must ask again for a file that it shows, which it hasn't touched itself."""
        ...

    def diagnose_file(self, params: lsp.DocumentDiagnosticParams, check: Check) -> FileReport:
        """What is found in a file or cell."""
        ...

    def diagnose_all(self, params: lsp.WorkspaceDiagnosticParams, check: Check) -> lsp.WorkspaceDiagnosticReport | None:
        """What is found everywhere; `None` where that is what the client has, or not all has been read."""
        ...

    def hover(self, params: lsp.HoverParams) -> lsp.Hover | None:
        """What stands at a position."""
        ...

    def actions(self, params: lsp.CodeActionParams, check: Check) -> list[lsp.CodeAction] | None:
        """What can be done about the faults in a range."""
        ...

    def resolve(self, action: lsp.CodeAction, check: Check) -> lsp.CodeAction:
        """An action with its edit.

        Raises:
            JsonRpcContentModified: if the fault isn't there any more, or can't be repaired so.
        """
        ...

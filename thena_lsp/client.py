"""What a client can do, read once from the capabilities that it begins with. Whatever it doesn't say, it can't."""

from lsprotocol import types as lsp

from thena_contract.frozen import frozen


@frozen(kw_only=True)
class Client:
    """The abilities that make a difference to what a client is told."""

    shows_related: bool = False
    """It shows the places that explain a diagnostic."""

    shows_pages: bool = False
    """It shows a link to what explains a code."""

    shows_tags: bool = False
    """It shows code that is unnecessary as such."""

    pulls: bool = False
    """It asks for diagnostics, and again when it is told to, so that none are sent to it unasked."""

    watches: bool = False
    """It tells of files that change on disk, if it is asked to."""

    shows_progress: bool = False
    """It shows how far something is that takes a while."""

    takes_actions: bool = False
    """It takes code actions as they are, not only as commands."""

    resolves_edits: bool = False
    """It asks for the edit of a code action once that is chosen."""

    takes_versions: bool = False
    """It takes edits that name the version of the text that they are for."""

    creates_files: bool = False
    """It makes a file where an edit says so."""

    @staticmethod
    def of(capabilities: lsp.ClientCapabilities) -> "Client":
        """Read what a client says that it can do."""
        text = capabilities.text_document or lsp.TextDocumentClientCapabilities()
        workspace = capabilities.workspace or lsp.WorkspaceClientCapabilities()
        publishing = text.publish_diagnostics or lsp.PublishDiagnosticsClientCapabilities()
        pulling = text.diagnostic or lsp.DiagnosticClientCapabilities()
        refreshing = workspace.diagnostics or lsp.DiagnosticWorkspaceClientCapabilities()
        actions = text.code_action or lsp.CodeActionClientCapabilities()
        watching = workspace.did_change_watched_files or lsp.DidChangeWatchedFilesClientCapabilities()
        edits = workspace.workspace_edit or lsp.WorkspaceEditClientCapabilities()
        resolving = actions.resolve_support.properties if actions.resolve_support else ()
        operations = edits.resource_operations or ()
        return Client(
            shows_related=bool(publishing.related_information or pulling.related_information),
            shows_pages=bool(publishing.code_description_support or pulling.code_description_support),
            shows_tags=(publishing.tag_support or pulling.tag_support) is not None,
            # One that can't be told to ask again would keep what an edit of another file has changed.
            pulls=text.diagnostic is not None and bool(refreshing.refresh_support),
            watches=bool(watching.dynamic_registration),
            shows_progress=bool(capabilities.window and capabilities.window.work_done_progress),
            takes_actions=actions.code_action_literal_support is not None,
            resolves_edits=bool(actions.data_support) and "edit" in resolving,
            takes_versions=bool(edits.document_changes),
            creates_files=bool(edits.document_changes) and lsp.ResourceOperationKind.Create in operations,
        )

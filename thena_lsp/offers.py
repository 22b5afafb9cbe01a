"""What the server tells a client that it can do, where that takes more than a name."""

from typing import Final

from lsprotocol import types as lsp

QUICK_FIX: Final = str(lsp.CodeActionKind.QuickFix.value)
FIX_FILE: Final = "source.fixAll.thena"
FIX_PROJECT: Final = "source.fixProject.thena"
"""Not below `source.fixAll`: what an editor does to a file that is saved must leave other files alone."""

KINDS: Final = (QUICK_FIX, FIX_FILE, FIX_PROJECT)

ACTIONS: Final = lsp.CodeActionOptions(code_action_kinds=list(KINDS), resolve_provider=True)
DIAGNOSTICS: Final = lsp.DiagnosticOptions(identifier="thena", inter_file_dependencies=True, workspace_diagnostics=True)
NOTEBOOKS: Final = lsp.NotebookDocumentSyncOptions(
    notebook_selector=[
        lsp.NotebookDocumentFilterWithNotebook(
            notebook="jupyter-notebook", cells=[lsp.NotebookCellLanguage(language="python")]
        )
    ],
    save=True,
)
"""Only the cells in Python; others are no business of the linter."""

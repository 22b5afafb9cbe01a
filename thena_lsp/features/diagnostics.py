"""Findings -> published diagnostics, for every file whose result changed.

They are pushed, each with the version of the text that it is about. Nothing is decided here: the session says which
files the client must be told of.
"""

from collections.abc import Callable

from lsprotocol import types as lsp

from thena_lsp.convert import to_diagnostic
from thena_lsp.session import Session


def publications(session: Session, check: Callable[[], None], *, related: bool) -> list[lsp.PublishDiagnosticsParams]:
    """What to publish now. `check` raises where that is no longer wanted."""
    snapshot = session.snapshot()
    return [
        lsp.PublishDiagnosticsParams(
            uri=report.uri,
            version=report.version,
            diagnostics=[
                to_diagnostic(one, snapshot.uri_for, snapshot.lines_of, session.encoding, related=related)
                for one in report.diagnostics
            ],
        )
        for report in session.reports(check)
    ]

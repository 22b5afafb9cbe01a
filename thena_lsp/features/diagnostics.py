"""Findings -> diagnostics, pushed to a client or pulled by it: never both.

A client that can't pull is told of every file whose result changed, each with the version of the text that it is
about. One that can asks for a file, or for all; what it has already is not sent again. Nothing is decided here: the
session says what is found.
"""

import hashlib
from typing import Final

from lsprotocol import types as lsp

from thena_lint.diagnostic import Diagnostic
from thena_lsp.analyst import Check, FileReport, always
from thena_lsp.client import Client
from thena_lsp.convert import Key, key_of, to_diagnostic
from thena_lsp.session import Session

_DIGEST: Final = 16


def publications(session: Session, check: Check, client: Client) -> list[lsp.PublishDiagnosticsParams]:
    """What to publish now. `check` raises where that is no longer wanted."""
    return [
        lsp.PublishDiagnosticsParams(
            uri=report.uri,
            version=report.version,
            diagnostics=_shown(session, report.diagnostics, client),
        )
        for report in session.reports(check)
    ]


def needs_refresh(session: Session, check: Check) -> bool:
    """Say whether a client that pulls must ask again for a file that it shows, which it hasn't touched itself."""
    return any(report.version is not None and not report.is_awaited for report in session.reports(check))


def of_file(
    session: Session, params: lsp.DocumentDiagnosticParams, client: Client, check: Check = always
) -> FileReport:
    """What a client asks for of a file or cell, unless it has that already."""
    key = key_of(params.text_document.uri)
    items = _shown(session, session.found_by_text(check).get(key, ()), client)
    session.told(key)
    result = _result(items)
    if result == params.previous_result_id:
        return lsp.RelatedUnchangedDocumentDiagnosticReport(result_id=result)
    return lsp.RelatedFullDocumentDiagnosticReport(items=items, result_id=result)


def of_workspace(
    session: Session, params: lsp.WorkspaceDiagnosticParams, client: Client, check: Check = always
) -> lsp.WorkspaceDiagnosticReport | None:
    """What there is in every text; `None` where a client has all of it, or not all has been read.

    What was shown of a text is taken back though its result isn't named: a client that closes a file forgets that.
    """
    if session.is_reading:
        return None
    known = {key_of(one.uri): one for one in params.previous_result_ids}
    found = {key: _shown(session, some, client) for key, some in session.found_by_text(check).items()}
    concerned = sorted(found.keys() | known.keys() | session.shown, key=str)
    told = (_of_one(session, key, found.get(key, []), known.get(key)) for key in concerned)
    reports = [one for one in told if one.kind == "full" or one.result_id != _result([])]
    is_news = any(isinstance(one, lsp.WorkspaceFullDocumentDiagnosticReport) for one in reports)
    is_first, session.has_told_all = not session.has_told_all, True
    session.shown |= found.keys()
    # Who asks once is told at once, also that there is nothing.
    return lsp.WorkspaceDiagnosticReport(reports) if is_news or is_first else None


def _of_one(
    session: Session, key: Key, items: list[lsp.Diagnostic], known: lsp.PreviousResultId | None
) -> lsp.WorkspaceDocumentDiagnosticReport:
    snapshot, result = session.snapshot(), _result(items)
    document = snapshot.opened.get(key)
    uri = snapshot.uri(key) if known is None else known.uri
    version = None if document is None else document.version
    if known is not None and known.value == result:
        return lsp.WorkspaceUnchangedDocumentDiagnosticReport(uri=uri, version=version, result_id=result)
    return lsp.WorkspaceFullDocumentDiagnosticReport(uri=uri, version=version, items=items, result_id=result)


def _shown(session: Session, found: tuple[Diagnostic, ...], client: Client) -> list[lsp.Diagnostic]:
    snapshot = session.snapshot()
    return [to_diagnostic(one, snapshot.uri_at, snapshot.lines_at, session.encoding, client) for one in found]


def _result(items: list[lsp.Diagnostic]) -> str:
    """What stands for these diagnostics: the same for the same ones, whichever process shows them."""
    return hashlib.blake2b(repr(items).encode("utf-8", "surrogatepass"), digest_size=_DIGEST).hexdigest()

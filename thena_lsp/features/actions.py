"""Findings -> code actions: the fixes of a fault, a comment that ignores it, and all safe fixes of a file or project.

A list of titles is what a client gets. The edit of one is worked out when it is chosen, from the texts as they are
then; a client that can't ask for it gets it with the list.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types as lsp

from thena_contract.anchor import Place
from thena_contract.frozen import frozen
from thena_lint.add_ignore import silence_with_comments
from thena_lint.analyze import Analysis, analyze_index
from thena_lint.apply import apply_fixes, fixes_of
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Rewrite
from thena_lint.index.project import ProjectIndex
from thena_lsp.analyst import Check, always
from thena_lsp.client import Client
from thena_lsp.convert import to_diagnostic
from thena_lsp.edits import Changes, edits_of, workspace_edit
from thena_lsp.offers import FIX_FILE, FIX_PROJECT, KINDS, QUICK_FIX
from thena_lsp.session import Session
from thena_lsp.snapshot import Project, Text


class NotThereError(Exception):
    """The texts have changed, and what an action was offered for is gone."""


@frozen(kw_only=True)
class _Offer:
    """An action that there is: what it is about (`None`: the whole file), and how its changes are worked out."""

    title: str
    kind: str
    changes: Callable[[], Changes]
    about: Diagnostic | None = None
    is_preferred: bool = False


def actions_at(
    session: Session, params: lsp.CodeActionParams, client: Client, check: Check = always
) -> list[lsp.CodeAction] | None:
    """What can be done about the faults in a range; `None` for a client that takes no actions.

    `check` raises where that is no longer wanted.
    """
    if not client.takes_actions:
        return None
    uri, actions = params.text_document.uri, []
    for offer in _offers_asked(session, params, client, check):
        action = _action(session, uri, offer, client)
        if not client.resolves_edits:
            action.edit, action.data = _edit(session, offer, client), None
        if client.resolves_edits or action.edit is not None:
            actions.append(action)
    return actions


def resolve(session: Session, action: lsp.CodeAction, client: Client, check: Check = always) -> lsp.CodeAction:
    """The action with its edit. `check` raises where that is no longer wanted.

    Raises:
        NotThereError: if the fault isn't there any more, or can't be repaired so.
    """
    data = action.data if isinstance(action.data, dict) else {}
    uri, line = str(data.get("uri")), data.get("line")
    every = _offers_for_all if action.kind in (FIX_FILE, FIX_PROJECT) else _offers
    meant = (one for one in every(session, uri, check) if _is_meant(one, action, data))
    nearest = min(meant, key=lambda one: _distance(one, line), default=None)
    action.edit = None if nearest is None else _edit(session, nearest, client)
    if action.edit is None:
        raise NotThereError(f"`{action.title}` has nothing to change any more. Ask for the actions again.")
    return action


def _is_meant(offer: _Offer, action: lsp.CodeAction, data: dict[str, Any]) -> bool:
    about = offer.about
    is_same_fault = about is None or (data.get("code"), data.get("message")) == (about.code, about.message)
    return is_same_fault and (offer.title, offer.kind) == (action.title, action.kind)


def _distance(offer: _Offer, line: object) -> int:
    return abs(offer.about.place.line - line) if offer.about is not None and isinstance(line, int) else 0


def _offers_asked(session: Session, params: lsp.CodeActionParams, client: Client, check: Check) -> Iterator[_Offer]:
    """What a client asks for: by its range, and by its kind."""
    uri, wanted = params.text_document.uri, [kind for kind in KINDS if _is_wanted(kind, params.context)]
    if QUICK_FIX in wanted:
        yield from _offers(session, uri, check, lambda one: _is_near(_shown(session, one, client), params))
    if FIX_FILE in wanted or FIX_PROJECT in wanted:
        yield from (offer for offer in _offers_for_all(session, uri, check) if offer.kind in wanted)


def _offers(
    session: Session, uri: str, check: Check, is_asked: Callable[[Diagnostic], bool] = lambda one: True
) -> Iterator[_Offer]:
    """What can be done about the faults of a file, or some of them."""
    for project, text in _at(session, uri):
        seen: set[tuple[str, Place, str]] = set()
        for one in _found(session, text, check):
            if is_asked(one):
                check()
                # A fault of two workflows is told twice in one place, and ignored once.
                new = [offer for offer in _offers_for(project, one) if (one.code, one.place, offer.title) not in seen]
                seen.update((one.code, one.place, offer.title) for offer in new)
                yield from new


def _offers_for_all(session: Session, uri: str, check: Check) -> Iterator[_Offer]:
    """All safe fixes at once, where a file's faults have one: those that stay in the file, and all of its project."""
    for project, text in _at(session, uri):
        safe = [fix for one in _found(session, text, check) for fix in fixes_of(project.fixing, one) if fix.is_safe]
        inside = [fix for fix in safe if fix.is_inside(text.path)]
        for place, kind, only, fixes in (("file", FIX_FILE, text.path, inside), ("project", FIX_PROJECT, None, safe)):
            if fixes:
                changes = partial(_all_fixed, session, project, only, check)
                yield _Offer(title=f"Apply all safe Thena fixes in this {place}", kind=kind, changes=changes)


def _at(session: Session, uri: str) -> Iterator[tuple[Project, Text]]:
    """The project that a text is judged in, if any."""
    text = session.snapshot().text_of(uri)
    project = None if text is None else session.snapshot().project_of(text.path)
    if text is not None and project is not None:
        yield project, text


def _found(session: Session, text: Text, check: Check) -> Iterator[Diagnostic]:
    """What is found in a text."""
    return (one for one in session.found(check).get(text.path, ()) if one.place.cell == text.cell)


def _offers_for(project: Project, one: Diagnostic) -> Iterator[_Offer]:
    """The fixes of a fault, the best first, and at last the comment that ignores it."""
    yield from _fixes_for(project, one)
    rewrites = silence_with_comments(project.index, [one]).rewrites
    if rewrites:
        changes = partial(_rewritten, rewrites)
        yield _Offer(title=f"Ignore {one.code} on this line", kind=QUICK_FIX, changes=changes, about=one)


def _fixes_for(project: Project, one: Diagnostic) -> Iterator[_Offer]:
    fixes = tuple(fixes_of(project.fixing, one))
    safe = [fix for fix in fixes if fix.is_safe]
    for fix in fixes:
        yield _Offer(
            title=fix.title,
            kind=QUICK_FIX,
            changes=partial(Changes, edits=fix.edits, created=fix.created),
            about=one,
            is_preferred=[fix] == safe,
        )


def _all_fixed(session: Session, project: Project, only: Path | None, check: Check) -> Changes:
    policy = session.snapshot().policy

    def again(index: ProjectIndex) -> Analysis:
        check()
        return analyze_index(index, policy)

    applied = apply_fixes(project.analysis(policy), again=again, only=only)
    return Changes(edits=edits_of(applied.rewrites), created=applied.created)


def _rewritten(rewrites: Sequence[Rewrite]) -> Changes:
    return Changes(edits=edits_of(rewrites))


def _is_wanted(kind: str, context: lsp.CodeActionContext) -> bool:
    """Say whether this kind is asked for, or all are; no client means all of a file each time the cursor moves."""
    if not context.only:
        return kind == QUICK_FIX or context.trigger_kind is not lsp.CodeActionTriggerKind.Automatic
    return any(f"{kind}.".startswith(f"{one}." if one else "") for one in context.only)


def _is_near(shown: lsp.Diagnostic, params: lsp.CodeActionParams) -> bool:
    """Say whether a diagnostic touches the range, or is named by the client, which may look at whole lines."""
    asked = params.range
    is_named = any(one.code == shown.code and one.range == shown.range for one in params.context.diagnostics)
    return is_named or (shown.range.start <= asked.end and asked.start <= shown.range.end)


def _shown(session: Session, one: Diagnostic, client: Client) -> lsp.Diagnostic:
    snapshot = session.snapshot()
    return to_diagnostic(one, snapshot.uri_at, snapshot.lines_at, session.encoding, client)


def _action(session: Session, uri: str, offer: _Offer, client: Client) -> lsp.CodeAction:
    """The action without its edit, and with what it is found again by, wherever in the file its fault moves to."""
    one = offer.about
    about = {} if one is None else {"code": one.code, "message": one.message, "line": one.place.line}
    return lsp.CodeAction(
        title=offer.title,
        kind=offer.kind,
        diagnostics=None if one is None else [_shown(session, one, client)],
        is_preferred=offer.is_preferred or None,
        data={"uri": uri, **about},
    )


def _edit(session: Session, offer: _Offer, client: Client) -> lsp.WorkspaceEdit | None:
    return workspace_edit(offer.changes(), session.snapshot(), session.encoding, client)

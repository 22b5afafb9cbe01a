"""Changes of texts -> edits as a client takes them. Nothing here writes: the client does."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from pathlib import Path

from lsprotocol import types as lsp

from thena_contract.frozen import frozen
from thena_lint.edit import Edit, FileCreation, Rewrite
from thena_lsp.client import Client
from thena_lsp.convert import Encoding, TextLines, to_text_edit
from thena_lsp.snapshot import Snapshot


@frozen(kw_only=True)
class Changes:
    """Edits of texts, and the files that are made first."""

    edits: Sequence[Edit] = ()
    created: Sequence[FileCreation] = ()


def edits_of(rewrites: Iterable[Rewrite]) -> tuple[Edit, ...]:
    """The lines that are others, so that the cursor, folds and marks of an editor stay where they are."""
    return tuple(edit for one in rewrites for edit in _edits_of(one))


def workspace_edit(
    changes: Changes, snapshot: Snapshot, encoding: Encoding, client: Client
) -> lsp.WorkspaceEdit | None:
    """The changes as this client takes them; `None` where it can't make a file that they need, or for none."""
    if (changes.created and not client.creates_files) or not (changes.created or changes.edits):
        return None
    edits: dict[Path, list[lsp.TextEdit]] = {}
    for path, group in groupby(sorted(set(changes.edits)), key=lambda one: one.path):
        lines = snapshot.lines_of(str(path))
        edits[path] = [to_text_edit(one, lines, encoding) for one in group]
    if not client.takes_versions:
        return lsp.WorkspaceEdit(changes={snapshot.uri(path): each for path, each in edits.items()})
    return lsp.WorkspaceEdit(
        document_changes=[
            *(step for one in changes.created for step in _creation(one, snapshot)),
            *(lsp.TextDocumentEdit(_versioned(path, snapshot), each) for path, each in edits.items()),
        ]
    )


def _creation(one: FileCreation, snapshot: Snapshot) -> Iterator[lsp.CreateFile | lsp.TextDocumentEdit]:
    """Make a file with its text. One that is there by then is the user's, and the client refuses."""
    start = lsp.Position(0, 0)
    yield lsp.CreateFile(uri=snapshot.uri(one.path))
    yield lsp.TextDocumentEdit(_versioned(one.path, snapshot), [lsp.TextEdit(lsp.Range(start, start), one.text)])


def _versioned(path: Path, snapshot: Snapshot) -> lsp.OptionalVersionedTextDocumentIdentifier:
    document = snapshot.documents.get(path)
    version = None if document is None else document.version
    return lsp.OptionalVersionedTextDocumentIdentifier(uri=snapshot.uri(path), version=version)


def _edits_of(one: Rewrite) -> Iterator[Edit]:
    before, after = TextLines.of(one.before), TextLines.of(one.after)
    starts, ends = (*before.starts, len(one.before)), (*after.starts, len(one.after))
    matcher = SequenceMatcher(None, before.whole, after.whole, autojunk=False)
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag != "equal":
            yield Edit(one.path, starts[start], starts[end], one.after[ends[first] : ends[last]])

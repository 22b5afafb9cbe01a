"""Changes of texts -> edits as a client takes them. Nothing here writes: the client does."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby

from lsprotocol import types as lsp

from thena_contract.anchor import Place
from thena_contract.frozen import frozen
from thena_lint.edit import Edit, FileCreation, Rewrite
from thena_lint.source.notebook import in_cell, is_notebook, lines_above
from thena_lsp.client import Client
from thena_lsp.convert import Encoding, Key, TextLines, to_range, to_text_edit
from thena_lsp.snapshot import Snapshot


@frozen(kw_only=True)
class Changes:
    """Edits of texts, and the files that are made first."""

    edits: Sequence[Edit] = ()
    created: Sequence[FileCreation] = ()


def edits_of(rewrites: Iterable[Rewrite]) -> tuple[Edit, ...]:
    """The parts of lines that are others, so that the cursor, folds and marks of an editor stay where they are."""
    return tuple(edit for one in rewrites for edit in _edits_of(one))


def workspace_edit(
    changes: Changes, snapshot: Snapshot, encoding: Encoding, client: Client
) -> lsp.WorkspaceEdit | None:
    """The changes as this client takes them.

    `None` for none, where it can't make a file that they need, and where they don't lie each in a cell that is open.
    """
    if (changes.created and not client.creates_files) or not (changes.created or changes.edits):
        return None
    edits: dict[Key, list[lsp.TextEdit]] = {}
    for path, group in groupby(sorted(set(changes.edits)), key=lambda one: one.path):
        for one in group:
            placed = _in_cell(one, snapshot, encoding) if is_notebook(path) else _in_file(one, snapshot, encoding)
            if placed is None:
                return None
            edits.setdefault(placed[0], []).append(placed[1])
    if not client.takes_versions:
        return lsp.WorkspaceEdit(changes={snapshot.uri(key): each for key, each in edits.items()})
    return lsp.WorkspaceEdit(
        document_changes=[
            *(step for one in changes.created for step in _creation(one, snapshot)),
            *(lsp.TextDocumentEdit(_versioned(key, snapshot), each) for key, each in edits.items()),
        ]
    )


def _in_file(one: Edit, snapshot: Snapshot, encoding: Encoding) -> tuple[Key, lsp.TextEdit]:
    return one.path, to_text_edit(one, snapshot.lines_of(str(one.path)), encoding)


def _in_cell(one: Edit, snapshot: Snapshot, encoding: Encoding) -> tuple[Key, lsp.TextEdit] | None:
    """An edit of a notebook's code as one of a cell; `None` where the lines aren't those of one that is open."""
    source = snapshot.source(one.path)
    if source is None or one.path not in snapshot.notebooks:
        return None
    code = TextLines.of(source.text)
    start, end = (code.position(offset, Encoding.UTF32) for offset in (one.start, one.end))
    place = Place(str(one.path), start.line + 1, start.character + 1, end.line + 1, end.character + 1)
    place = in_cell(place, source)
    lines, above = snapshot.lines_at(place), lines_above(source, place.cell)
    # What is put before the first line of a cell may as well belong below the last of the cell above.
    is_between = above > 0 and (place.line, place.column) == (1, 1)
    # A command of the notebook is something else to the linter.
    is_same = all(source.lines[above + row] == lines.line(row) for row in range(place.line - 1, place.end_line))
    if is_between or not is_same or place.end_line > len(lines.starts):
        return None
    return snapshot.key_at(place), lsp.TextEdit(to_range(place, lines, encoding), one.text)


def _creation(one: FileCreation, snapshot: Snapshot) -> Iterator[lsp.CreateFile | lsp.TextDocumentEdit]:
    """Make a file with its text. One that is there by then is the user's, and the client refuses."""
    start = lsp.Position(0, 0)
    yield lsp.CreateFile(uri=snapshot.uri(one.path))
    yield lsp.TextDocumentEdit(_versioned(one.path, snapshot), [lsp.TextEdit(lsp.Range(start, start), one.text)])


def _versioned(key: Key, snapshot: Snapshot) -> lsp.OptionalVersionedTextDocumentIdentifier:
    document = snapshot.opened.get(key)
    version = None if document is None else document.version
    return lsp.OptionalVersionedTextDocumentIdentifier(uri=snapshot.uri(key), version=version)


def _edits_of(one: Rewrite) -> Iterator[Edit]:
    before, after = TextLines.of(one.before), TextLines.of(one.after)
    starts, ends = (*before.starts, len(one.before)), (*after.starts, len(one.after))
    matcher = SequenceMatcher(None, before.whole, after.whole, autojunk=False)
    for tag, start, end, first, last in matcher.get_opcodes():
        if tag != "equal":
            yield _least(Edit(one.path, starts[start], starts[end], one.after[ends[first] : ends[last]]), one.before)


def _least(one: Edit, text: str) -> Edit:
    """An edit without what it replaces with the same at its beginning and its end."""
    old, new = text[one.start : one.end], one.text
    above = _length_of_same(old, new)
    below = _length_of_same(old[above:][::-1], new[above:][::-1])
    return Edit(one.path, one.start + above, one.end - below, new[above : len(new) - below])


def _length_of_same(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((number for number, (first, second) in pairs if first != second), min(len(one), len(other)))

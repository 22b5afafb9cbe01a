"""The one owner of what changes: the indexes, the open texts, and what the client has been told.

It lives on the analysis thread and needs no lock. A change is only noted; an index is brought up to date when
somebody looks, so that ten keystrokes in a row cost one analysis. The workspace is read in slices between other
work, so that an open file is answered before a large project is known.
"""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from lsprotocol import types as lsp

from thena_contract.frozen import frozen
from thena_lint.diagnostic import Diagnostic
from thena_lint.index.modules import module_name
from thena_lint.index.project import ProjectIndex
from thena_lint.link.prompts import prompt_files
from thena_lint.policy import Policy
from thena_lint.source.discover import MODULES_AND_NOTEBOOKS, absolute, discover, is_among, is_source
from thena_lint.source.disk import ABSENT, FILE, FOLDER, changed_at, kind_of
from thena_lint.source.ignored import CONFIGURING
from thena_lint.source.notebook import is_notebook
from thena_lsp.analyst import Check, always
from thena_lsp.convert import Encoding, Key, TextLines, edit_all, path_of
from thena_lsp.documents import Document
from thena_lsp.notebooks import Notebook
from thena_lsp.snapshot import Project, Snapshot

_READ: Final = (*MODULES_AND_NOTEBOOKS, ".pyi")
_CONFIGURING: Final = (*CONFIGURING, "pyvenv.cfg")
_SLICE: Final = 20
"""How many files of the workspace are read before other work gets its turn."""


@frozen(kw_only=True)
class Report:
    """The diagnostics of a file, or of a cell of an open notebook.

    They differ from what the client knows, or belong to a version it waits for. `version` is `None` where it doesn't
    have the text open. One that it has just sent `is_awaited`.
    """

    uri: str
    version: int | None
    diagnostics: tuple[Diagnostic, ...]
    is_awaited: bool


class Session:
    """One client's projects, from `initialized` to the end of the process. Owned by the analysis thread."""

    def __init__(self, encoding: Encoding, folders: Iterable[Path] = ()) -> None:
        self.encoding = encoding
        self._documents: dict[Path, Document] = {}
        self._notebooks: dict[Path, Notebook] = {}
        self._told: Mapping[Key, tuple[Diagnostic, ...]] = {}
        self._changed: set[Path] = set()
        self._unanswered: set[Key] = set()
        self.shown: set[Key] = set()
        """The texts of which a client that pulls has been given something, at whatever time."""

        self.has_told_all = False
        self._is_disk_changed = False
        self._outside: dict[Path, Project] = {}
        self._folders: tuple[Path, ...] = ()
        self._workspace = Project(ProjectIndex.load(()))
        self._listed: frozenset[Path] = frozenset()
        """The files on disk that are linted, read or not."""

        self._links: dict[Path, Path] = {}
        """Where each of those leads that is a link."""

        self._looked_into: tuple[Path, ...] = ()
        """The folders that those files are in, and others like them."""

        self._unread: list[Path] = []
        self._policy = Policy()
        self._snapshot: Snapshot | None = None
        self._found: Mapping[Path, tuple[Diagnostic, ...]] | None = None
        self.set_folders(folders)

    # -- what the client says

    def set_folders(self, folders: Iterable[Path]) -> None:
        """Have these workspace folders from now on; files that are new are read by `read_some`."""
        self._folders = tuple(map(absolute, folders))
        self._workspace = Project(self._workspace.index.with_roots(self._folders))
        self._look_over()

    @property
    def folders(self) -> tuple[Path, ...]:
        """The workspace folders."""
        return self._folders

    def open(self, uri: str, version: int, text: str) -> None:
        """Take over a text; from now on it counts instead of the file on disk."""
        path = path_of(uri)
        if path is not None:
            self._hold(path, Document(uri=uri, version=version, lines=TextLines.of(text)))

    def change(self, uri: str, version: int, changes: Sequence[lsp.TextDocumentContentChangeEvent]) -> None:
        """Edit an open text. A text that was never opened has nothing to be edited."""
        path = path_of(uri)
        document = None if path is None else self._documents.get(path)
        if path is not None and document is not None:
            lines = edit_all(document.lines, changes, self.encoding)
            self._hold(path, Document(uri=document.uri, version=version, lines=lines))

    def close(self, uri: str) -> None:
        """Let go of a text; what is on disk counts again."""
        path = path_of(uri)
        if path is not None and self._documents.pop(path, None) is not None:
            self._changed.add(path)
            self._unanswered.add(path)
            self._note_change()

    def open_notebook(self, params: lsp.DidOpenNotebookDocumentParams) -> None:
        """Take over a notebook with its cells."""
        path = path_of(params.notebook_document.uri)
        if path is not None and is_notebook(path):
            self._hold_notebook(path, Notebook.opened(params))

    def change_notebook(self, params: lsp.DidChangeNotebookDocumentParams) -> None:
        """Edit the cells of an open notebook, or their texts."""
        path = path_of(params.notebook_document.uri)
        notebook = None if path is None else self._notebooks.get(path)
        if path is not None and notebook is not None:
            self._hold_notebook(path, notebook.changed(params, self.encoding))

    def close_notebook(self, uri: str) -> None:
        """Let go of a notebook; what is on disk counts again."""
        path = path_of(uri)
        if path is not None and self._notebooks.pop(path, None) is not None:
            self._changed.add(path)
            self._unanswered.add(path)
            self._note_change()

    def touch(self, uris: Iterable[str]) -> None:
        """Note files that were created, changed, deleted or saved on disk, and folders that came or went."""
        self._touch(path for uri in uris if (path := path_of(uri)) is not None)

    def catch_up(self, since: int) -> bool:
        """Note what has changed on disk since a moment, in nanoseconds, whoever told of it; say whether any has."""
        settings = (folder / name for folder in self._looked_into for name in _CONFIGURING)
        held = (*self._listed, *self._folders, *self._looked_into, *settings, *self._prompts())
        changed = [path for path in held if changed_at(path) >= since]
        self._touch(changed)
        return bool(changed)

    def _touch(self, paths: Iterable[Path]) -> None:
        touched = {path for path in paths if self._matters(path)}
        if not touched:
            return
        self._changed |= touched | self._listed_within(touched) | self._listed_by_way_of(touched)
        self._is_disk_changed = True
        self._note_change()
        if any(map(self._is_listed_otherwise, touched)):
            self._look_over()
            # A few new files need no slices, during which less is known of all others.
            self.read_some()

    def _listed_within(self, touched: Collection[Path]) -> frozenset[Path]:
        """The files that are linted in folders that were touched: another folder may be there now."""
        folders = {path for path in touched if kind_of(path) == FOLDER}
        homes = {path.parent for path in self._listed} if folders else ()
        within = {home for home in homes if not folders.isdisjoint((home, *home.parents))}
        return frozenset(path for path in self._listed if path.parent in within) if within else frozenset()

    def _listed_by_way_of(self, touched: Collection[Path]) -> frozenset[Path]:
        """The files that are linted and links, to what was touched or to something else than before."""
        before, self._links = self._links, {link: _end_of(link) for link in self._links}
        return frozenset(link for link, end in self._links.items() if end in touched or end != before[link])

    def _matters(self, path: Path) -> bool:
        """Say whether what is found may rest on what is at this path, or was there."""
        if path.suffix in _READ or path.name in _CONFIGURING or path in self._links.values():
            return True
        if kind_of(path) == FOLDER:
            return is_among(path / "x", self._folders)
        if kind_of(path) == ABSENT and (not path.suffix or self._is_around_listed(path)):
            return True
        return path in self._prompts()

    def _prompts(self) -> Iterator[Path]:
        for project in (self._workspace, *self._outside.values()):
            yield from (path for path, _ in prompt_files(project.linked, project.index.read))

    def _is_listed_otherwise(self, path: Path) -> bool:
        """Say whether other files may be linted since something happened at this path."""
        if path.name in _CONFIGURING:
            return True
        if path in self._listed:
            return kind_of(path) != FILE
        if path.suffix in MODULES_AND_NOTEBOOKS or kind_of(path) == FOLDER:
            return any(path.is_relative_to(folder) for folder in self._folders)
        return self._is_around_listed(path)

    def _is_around_listed(self, path: Path) -> bool:
        return any(other.is_relative_to(path) for other in self._listed)

    def _look_over(self) -> None:
        """Find out anew which files of the folders are linted, and which settings hold for them."""
        there = [folder for folder in self._folders if kind_of(folder) == FOLDER]
        discovered = discover(there, MODULES_AND_NOTEBOOKS)
        self._listed = frozenset(discovered.files)
        self._links = {link: _end_of(link) for link in discovered.links}
        self._looked_into = discovered.folders
        held = self._workspace.index.read.keys()
        self._changed |= held - self._listed
        self._changed |= self._documents.keys() | self._notebooks.keys()
        self._unread = [path for path in reversed(discovered.files) if path not in held]
        self._outside.clear()
        self._policy = Policy()
        self._is_disk_changed = True
        self._note_change()

    def _hold(self, path: Path, document: Document) -> None:
        self._documents[path] = document
        self._changed.add(path)
        self._unanswered.add(path)
        self._note_change()

    def _hold_notebook(self, path: Path, notebook: Notebook) -> None:
        self._notebooks[path] = notebook
        self._changed.add(path)
        self._unanswered |= {path, *(cell.uri for cell in notebook.cells)}
        self._note_change()

    def _is_open(self, path: Path) -> bool:
        return path in self._documents or path in self._notebooks

    def _note_change(self) -> None:
        self._snapshot = self._found = None

    # -- what it can tell

    def read_some(self) -> bool:
        """Read a slice of the workspace's files; say whether there are more."""
        batch = [self._unread.pop() for _ in range(min(_SLICE, len(self._unread)))]
        new = [path for path in batch if not self._is_open(path)]
        self._workspace = self._workspace.with_index(self._workspace.index.with_files(new), declares_the_same=False)
        self._note_change()
        return bool(self._unread)

    @property
    def left(self) -> int:
        """How many files of the workspace haven't been read."""
        return len(self._unread)

    @property
    def is_reading(self) -> bool:
        """Say whether there are files of the workspace that haven't been read."""
        return bool(self._unread)

    def snapshot(self) -> Snapshot:
        """The state after all changes so far; the same one as long as there are no others."""
        if self._snapshot is None:
            self._snapshot = self._brought_up_to_date()
        return self._snapshot

    def found(self, check: Check = always) -> Mapping[Path, tuple[Diagnostic, ...]]:
        """What is found now, of every file that is shown. `check` raises where that is no longer wanted."""
        if self._found is None:
            found: dict[Path, tuple[Diagnostic, ...]] = {}
            for project in self.snapshot().projects:
                project.work_out(check)
                found |= self._shown(project, project.placed(self._policy, is_whole=not self.is_reading))
            check()
            self._found = found
        return self._found

    def _brought_up_to_date(self) -> Snapshot:
        if self._is_disk_changed:
            # It may have been a prompt, or a module that an import finds: nothing that was joined or reached holds.
            self._workspace = Project(self._workspace.index.with_files(()))
            self._outside = {home: Project(project.index.with_files(())) for home, project in self._outside.items()}
            self._is_disk_changed = False
        inside = {path for path in self._changed if is_among(path, self._folders)}
        self._workspace = self._brought_up_to_date_inside(inside)
        for path in sorted(self._changed - inside):
            self._bring_up_to_date_outside(path)
        self._changed.clear()
        projects = (self._workspace, *self._outside.values())
        return Snapshot(
            projects=projects,
            documents=dict(self._documents),
            notebooks=dict(self._notebooks),
            policy=self._policy,
        )

    def found_by_text(self, check: Check = always) -> Mapping[Key, tuple[Diagnostic, ...]]:
        """What is found now, under the key of each text that shows something."""
        found, snapshot = self.found(check), self.snapshot()
        every: dict[Key, tuple[Diagnostic, ...]] = {}
        for path, some in found.items():
            if path in snapshot.notebooks:
                for one in some:
                    key = snapshot.key_at(one.place)
                    every[key] = (*every.get(key, ()), one)
            else:
                every[path] = some
        return every

    def reports(self, check: Check) -> list[Report]:
        """What the client must be told. `check` raises where that is no longer wanted; then nothing counts as told."""
        found = self.found_by_text(check)
        stale = {key for key in found.keys() | self._told.keys() if found.get(key, ()) != self._told.get(key, ())}
        reports = [self._report(key, found.get(key, ())) for key in sorted(stale | self._unanswered, key=str)]
        self._told = found
        self._unanswered.clear()
        return reports

    def told(self, key: Key) -> None:
        """Note that the client has been given what is found now in a text."""
        found = self.found_by_text().get(key, ())
        self._told = {**self._told, key: found}
        self._unanswered.discard(key)
        if found:
            self.shown.add(key)

    def _shown(
        self, project: Project, found: Mapping[Path, tuple[Diagnostic, ...]]
    ) -> Mapping[Path, tuple[Diagnostic, ...]]:
        """Of a project outside the workspace only what is open is shown."""
        if project is self._workspace:
            return found
        return {path: diagnostics for path, diagnostics in found.items() if self._is_open(path)}

    def _report(self, key: Key, diagnostics: tuple[Diagnostic, ...]) -> Report:
        snapshot = self.snapshot()
        document = snapshot.opened.get(key)
        return Report(
            uri=snapshot.uri(key),
            version=None if document is None else document.version,
            diagnostics=diagnostics,
            is_awaited=key in self._unanswered,
        )

    def _brought_up_to_date_inside(self, paths: Collection[Path]) -> Project:
        """The workspace with these files as they are now. Those that aren't linted any more leave it."""
        project, held = self._workspace, self._workspace.index.read
        texts = {
            path: self._text(path) for path in paths if self._is_open(path) or (path in self._listed and path in held)
        }
        gone = {path for path in self._changed & held.keys() if path not in texts}
        index = project.index.with_texts(texts, gone=gone, remember=True)
        is_same = not gone and all(
            text is not None and _declare_the_same(project.index, index, path) for path, text in texts.items()
        )
        return project.with_index(index, declares_the_same=is_same)

    def _bring_up_to_date_outside(self, path: Path) -> None:
        if not is_source(path):
            return
        home = _home_of(path)
        if home not in self._outside and self._is_open(path):
            self._outside[home] = Project(ProjectIndex.load(_neighbours(path, home)))
        if home in self._outside:
            project, text = self._outside[home], self._text(path)
            index = project.index.with_text(path, text, remember=True)
            is_same = text is not None and _declare_the_same(project.index, index, path)
            self._outside[home] = project.with_index(index, declares_the_same=is_same)
            if not any(_home_of(other) == home for other in (*self._documents, *self._notebooks)):
                del self._outside[home]

    def _text(self, path: Path) -> str | None:
        if path in self._notebooks:
            return self._notebooks[path].text
        document = self._documents.get(path)
        return None if document is None else document.lines.body


def _is_file(path: Path | str) -> bool:
    return kind_of(path) == FILE


def _end_of(link: Path) -> Path:
    """Where a link leads, be there something or not."""
    # `Path.resolve` fails at a circle.
    return Path(os.path.realpath(link))


def _home_of(path: Path) -> Path:
    """The folder that would have to be on the path for importing this file."""
    return module_name(path, _is_file).root


def _neighbours(path: Path, home: Path) -> tuple[Path, ...]:
    """What a file outside the workspace is judged with: its package, or the files beside it.

    Not everything under its home: that may be a home folder.
    """
    if path.parent == home:
        return tuple(sorted(file for file in home.glob("*.py") if _is_file(file)))
    return (home / path.relative_to(home).parts[0],)


def _declare_the_same(before: ProjectIndex, after: ProjectIndex, path: Path) -> bool:
    """Say whether a file that both hold declares the same in both."""
    if path not in before.read or path not in after.read:
        return False
    one, other = before.file(path), after.file(path)
    if one is None or other is None or one.facts is None or other.facts is None:
        return False
    return one.facts == other.facts

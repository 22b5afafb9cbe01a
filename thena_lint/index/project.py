"""All files of a project, immutable: what is asked of a whole is asked here.

Only files that mention the framework are read up front; others when a name leads to them. An index remembers what it
read, so it shows one state of the disk for as long as it lives.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final

import libcst

from thena_lint.index.modules import ModuleName, Modules
from thena_lint.source.discover import absolute, discover, is_python
from thena_lint.source.parse import SyntaxProblem, parse
from thena_lint.source.text import SourceText, Unreadable, decode
from thena_lint.summary.collect import collect
from thena_lint.summary.facts import FileFacts

_MENTION: Final = "thena"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedFile:
    """One file that was read. `facts` is `None` where nothing is known of it; `problem` says why."""

    path: Path
    source: SourceText | None
    facts: FileFacts | None
    problem: SyntaxProblem | Unreadable | None = None


@dataclass(frozen=True, kw_only=True)
class ProjectIndex:
    """The files under some roots. Make one with `load`, and the next one with `with_text`."""

    roots: tuple[Path, ...]
    overlays: Mapping[Path, str]
    read: Mapping[Path, IndexedFile | None]
    """Every file of the project; `None` for one that doesn't mention the framework."""

    _reached: dict[Path, IndexedFile | None] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def load(roots: Sequence[Path], overlays: Mapping[Path, str] | None = None) -> "ProjectIndex":
        """Read all files under these files and folders; an overlay is the text of a file as an editor has it.

        Raises:
            PathError: for a path that doesn't exist, or a file that isn't Python.
        """
        texts = {absolute(path): text for path, text in (overlays or {}).items() if is_python(path)}
        files = dict.fromkeys((*discover(roots), *texts))
        return ProjectIndex(
            roots=tuple(map(absolute, roots)),
            overlays=texts,
            read={path: _read_if_mentioned(path, texts.get(path)) for path in files},
        )

    def with_text(self, path: Path, text: str | None) -> "ProjectIndex":
        """This index with one file changed: its text in an editor, or with `None` what is on disk now, if anything."""
        path = absolute(path)
        if not is_python(path):
            return self
        overlays = {other: kept for other, kept in self.overlays.items() if other != path}
        read = {other: file for other, file in self.read.items() if other != path}
        if text is not None:
            overlays[path] = text
        if text is not None or path.is_file():
            read[path] = _read_if_mentioned(path, text)
        changed = replace(self, overlays=overlays, read=read, _reached=self._without(path))
        if read.keys() == self.read.keys():
            # No file came or went, so every module is where it was.
            changed.__dict__["modules"] = self.modules
        return changed

    def with_files(self, paths: Iterable[Path]) -> "ProjectIndex":
        """This index with more files, read from disk. A large project can be read in slices this way."""
        more = {path: _read_if_mentioned(path, None) for path in paths if path not in self.read}
        return replace(self, read={**self.read, **more}, _reached={})

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file of the project, in a fixed order."""
        return tuple(sorted(self.read))

    @property
    def speaking(self) -> tuple[IndexedFile, ...]:
        """The files that mention the framework, in a fixed order."""
        return tuple(file for _, file in sorted(self.read.items()) if file is not None)

    @cached_property
    def modules(self) -> Modules:
        """Where modules are found."""
        folders = [root if root.suffix != ".py" else root.parent for root in self.roots]
        return Modules(folders, self.read)

    def module_of(self, path: Path) -> ModuleName:
        """What importing a file would call it."""
        return self.modules.name_of(path)

    def file(self, path: Path) -> IndexedFile | None:
        """A file's facts, read now if they weren't yet; `None` if there is no such file."""
        known = self.read.get(path)
        if known is not None:
            return known
        if path not in self._reached:
            self._reached[path] = _read(path, self.overlays.get(path))
        return self._reached[path]

    def _without(self, path: Path) -> dict[Path, IndexedFile | None]:
        return {other: file for other, file in self._reached.items() if other != path}


def _read_if_mentioned(path: Path, text: str | None) -> IndexedFile | None:
    if text is not None:
        return _understood(SourceText(path, text)) if _MENTION in text else None
    try:
        data = path.read_bytes()
    except OSError as error:
        problem = Unreadable(path, error.strerror or type(error).__name__)
        return IndexedFile(path=path, source=None, facts=None, problem=problem)
    return _understood(decode(path, data)) if _MENTION.encode() in data else None


def _read(path: Path, text: str | None) -> IndexedFile | None:
    if text is not None:
        return _understood(SourceText(path, text))
    try:
        return _understood(decode(path, path.read_bytes()))
    except OSError:
        return None


def _understood(source: SourceText | Unreadable) -> IndexedFile:
    if isinstance(source, Unreadable):
        return IndexedFile(path=source.path, source=None, facts=None, problem=source)
    tree = parse(source.text)
    if not isinstance(tree, libcst.Module):
        return IndexedFile(path=source.path, source=source, facts=None, problem=tree)
    return IndexedFile(path=source.path, source=source, facts=collect(tree))

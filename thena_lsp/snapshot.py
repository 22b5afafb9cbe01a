"""Everything a feature reads, as it was at one moment: the indexes and the texts that are open. Immutable."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from thena_lint.index.project import ProjectIndex
from thena_lint.link.assemblies import Linked, link
from thena_lsp.convert import TextLines, uri_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A text that the client has open. `uri` is the client's spelling, which it must get back."""

    uri: str
    version: int | None
    lines: TextLines


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """The projects as the client sees them: its open texts over what is on disk.

    The first index is the workspace's; each other one belongs to files that are open and lie outside of it.
    """

    indexes: tuple[ProjectIndex, ...]
    documents: Mapping[Path, Document]
    _linked: dict[int, tuple[Linked, ...]] = field(default_factory=dict, repr=False, compare=False)

    def index_of(self, path: Path) -> ProjectIndex | None:
        """The index that reports on this file; `None` if no project holds it."""
        return next((index for index in self.indexes if path in index.read), None)

    def linked(self, index: ProjectIndex) -> tuple[Linked, ...]:
        """What an index declares, joined; worked out once."""
        if id(index) not in self._linked:
            self._linked[id(index)] = link(index)
        return self._linked[id(index)]

    def lines_of(self, path: str) -> TextLines:
        """The text of a file: the open one, or the one that was read; empty where there is none."""
        document = self.documents.get(Path(path))
        if document is not None:
            return document.lines
        for index in self.indexes:
            file = index.file(Path(path))
            if file is not None and file.source is not None:
                return TextLines.of(file.source.text)
        return TextLines.of("")

    def uri_for(self, path: str) -> str:
        """The URI of a file, as the client spells it where it has the file open."""
        document = self.documents.get(Path(path))
        return document.uri if document is not None else uri_of(path)

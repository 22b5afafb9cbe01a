"""Everything a feature reads, as it was at one moment: the indexes and the texts that are open. Immutable."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path

from thena_contract.anchor import Place
from thena_contract.fault import Finding
from thena_contract.frozen import frozen
from thena_lint.analyze import Analysis, Judged, judge_one, place_all
from thena_lint.bodies.memory import Memory
from thena_lint.bodies.spotted import Spotted
from thena_lint.diagnostic import Diagnostic
from thena_lint.index.project import ProjectIndex
from thena_lint.link.assemblies import Linked, link
from thena_lint.look import look
from thena_lint.policy import Policy
from thena_lint.rewrite.context import FixContext
from thena_lint.source.discover import is_python
from thena_lint.source.notebook import lines_of_cell
from thena_lint.source.text import SourceText, read_source
from thena_lsp.analyst import Check
from thena_lsp.convert import Key, TextLines, path_of, uri_of
from thena_lsp.documents import Document
from thena_lsp.notebooks import Notebook


@frozen(slots=False)
class Project:
    """An index and what follows from it, worked out when it is asked for."""

    index: ProjectIndex
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)
    """Passed on from one index to the next."""

    @cached_property
    def linked(self) -> tuple[Linked, ...]:
        """What the index declares, joined."""
        self.memory.begin(self.index)
        return link(self.index, self.memory.recall)

    @cached_property
    def judged(self) -> Judged:
        """What is wrong with it."""
        return tuple((one, finding) for one in self.linked for finding in self._judged(one))

    def _judged(self, one: Linked) -> Sequence[Finding]:
        # What is linked as before is the very same object.
        return self.memory.recall(self.index, ("judged", id(one)), one, lambda _: judge_one(one))

    @cached_property
    def spotted(self) -> tuple[Spotted, ...]:
        """What is wrong inside of what it declares."""
        return look(self.index, self.linked, self.memory)

    @cached_property
    def fixing(self) -> FixContext:
        """What its fixes are worked out from."""
        return FixContext(index=self.index, judged=self.judged)

    def work_out(self, check: Check) -> None:
        """Do all that `placed` rests on. What was done when `check` raises is done, whoever asks next."""
        for step in ("linked", "judged", "spotted"):
            check()
            getattr(self, step)

    def placed(self, policy: Policy, *, is_whole: bool) -> Mapping[Path, tuple[Diagnostic, ...]]:
        """What is told of each file; of one that isn't read whole it isn't told which comments silence nothing."""
        linked = self.linked if is_whole else None
        return place_all(self.index, self.judged, self.spotted, linked=linked, policy=policy)

    def analysis(self, policy: Policy) -> Analysis:
        """All that is known of it, as a command line has it."""
        found = self.placed(policy, is_whole=True)
        diagnostics = tuple(one for file in found.values() for one in file)
        return Analysis(index=self.index, policy=policy, judged=self.judged, diagnostics=diagnostics)

    def with_index(self, index: ProjectIndex, *, declares_the_same: bool) -> "Project":
        """This project with another index. What was joined and judged holds while the declarations are the same."""
        project = Project(index, self.memory)
        if declares_the_same:
            kept = {name: known for name, known in self.__dict__.items() if name in ("linked", "judged")}
            project.__dict__.update(kept)
        return project


@frozen
class Text:
    """A text that the client shows: a file, or of a notebook that it has open a cell, by its number from 1."""

    path: Path
    cell: int | None = None


@frozen(kw_only=True, slots=False)
class Snapshot:
    """The projects as the client sees them: its open texts over what is on disk.

    The first project is the workspace; each other one belongs to files that are open and lie outside of it.
    """

    projects: tuple[Project, ...]
    documents: Mapping[Path, Document]
    notebooks: Mapping[Path, Notebook]
    policy: Policy

    @cached_property
    def opened(self) -> Mapping[Key, Document]:
        """Every text that is open: files, and the cells of notebooks."""
        cells = ((cell.uri, cell) for notebook in self.notebooks.values() for cell in notebook.cells)
        opened: list[tuple[Key, Document]] = [*self.documents.items(), *cells]
        return dict(opened)

    @cached_property
    def _cells(self) -> Mapping[str, Text]:
        numbered = ((path, enumerate(notebook.cells, start=1)) for path, notebook in self.notebooks.items())
        return {cell.uri: Text(path, number) for path, cells in numbered for number, cell in cells}

    def text_of(self, uri: str) -> Text | None:
        """The text that a URI names; `None` for what is neither a file nor a cell of an open notebook."""
        path = path_of(uri)
        return self._cells.get(uri) if path is None else Text(path)

    def key_at(self, place: Place) -> Key:
        """The key of the text that a place is in: its cell where the notebook is open, and its file otherwise."""
        return self._key(Text(Path(place.path), place.cell))

    def _key(self, text: Text) -> Key:
        notebook = self.notebooks.get(text.path)
        return text.path if notebook is None or text.cell is None else notebook.cells[text.cell - 1].uri

    def uri_at(self, place: Place) -> str:
        """The URI of the text that a place is in."""
        return self.uri(self.key_at(place))

    def uri(self, key: Key) -> str:
        """The URI of a text, as the client spells it where it has the text open."""
        document = self.opened.get(key)
        if document is not None:
            return document.uri
        notebook = self.notebooks.get(key) if isinstance(key, Path) else None
        return key if isinstance(key, str) else uri_of(key) if notebook is None else notebook.uri

    def project_of(self, path: Path) -> Project | None:
        """The project that reports on this file, if any."""
        return next((project for project in self.projects if path in project.index.read), None)

    def lines_at(self, place: Place) -> TextLines:
        """The text that a place is in: a file, or a cell of a notebook."""
        return self.lines_in(Text(Path(place.path), place.cell))

    def lines_in(self, text: Text) -> TextLines:
        """The lines of a text: the open one, or the one that was read; empty where there is none."""
        if text.cell is None:
            return self.lines_of(str(text.path))
        document = self.opened.get(self._key(text))
        if document is not None:
            return document.lines
        source = self.source(text.path)
        return TextLines.of("" if source is None else "".join(f"{one}\n" for one in lines_of_cell(source, text.cell)))

    def lines_of(self, path: str) -> TextLines:
        """The text of a file: the open one, or the one that was read; empty where there is none."""
        document = self.documents.get(Path(path))
        if document is not None:
            return document.lines
        if not is_python(Path(path)):
            source = read_source(Path(path))
            return TextLines.of(source.text if isinstance(source, SourceText) else "")
        known = self.source(Path(path))
        return TextLines.of("" if known is None else known.text)

    def source(self, path: Path) -> SourceText | None:
        """What was read of a file; of a notebook the code of its cells."""
        files = (project.index.file(path) for project in self.projects)
        return next((file.source for file in files if file is not None and file.source is not None), None)

"""The editor shows what the command line would, whatever happened before: edits, saves, and what others do to the disk.

`THENA_SEQUENCES=1000` tries as many sequences, in place of the few of a usual run.
"""

import json
import os
import shutil
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from lsprotocol import types as lsp

from thena_lint.analyze import analyze
from thena_lint.source.discover import is_among
from thena_lint.source.parse import parses
from thena_lsp.client import Client
from thena_lsp.convert import Encoding, path_of
from thena_lsp.features.diagnostics import needs_refresh, of_file, of_workspace, publications
from thena_lsp.session import Session

SEQUENCES: Final = int(os.environ.get("THENA_SEQUENCES", "8"))
STEPS: Final = 25
CLIENT: Final = Client(pulls=True)

AGENT: Final = """\
from state import Draft
from thena_runtime import Agent, Prompt, ScriptedProvider, State


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Write."))
class Writer:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s
"""

PACKAGED: Final = AGENT.replace("from state", "from pkg.state")
PROMPTED: Final = AGENT.replace('Prompt("Write.")', '"./write.agent.md"')
ALIASED: Final = AGENT.replace("from state import Draft", "from state import Draft, Mine").replace(
    "State[Draft]", "Mine"
)
HANDED: Final = AGENT.replace("import Agent, Prompt", "import Prompt").replace(
    "from state", "from kit import Agent\nfrom state"
)

STATE: Final = """\
class Draft:
    approved = False
"""
ALIASING: Final = STATE + "\n\nfrom thena_runtime import State\n\nMine = State[Draft]\n"

FLOW: Final = """\
from agent import Writer
from state import Draft
from thena_runtime import Workflow, loop


@Workflow(state=Draft, steps=[loop([Writer], until=lambda ctx, s: s.approved)])
class Flow:
    pass
"""

TEXTS: Final = (
    AGENT,
    PACKAGED,
    PROMPTED,
    ALIASED,
    HANDED,
    "# one\n" + AGENT,
    AGENT.replace("State[Draft]", "State[Draft] | None = None"),
    AGENT.replace("        self.s = s\n", "        self.s = s  # thena: ignore[THN201]\n"),
    AGENT.replace("s: State[Draft]) -> None:", "s: State[Draft]) -> None:  # thena: ignore[THN201]"),
    STATE,
    ALIASING,
    STATE.replace("approved", "accepted"),
    FLOW,
    FLOW.replace("state=Draft, ", ""),
    FLOW.replace("from agent", "from pkg.agent"),
    FLOW.replace("from agent", "from pkg"),
    FLOW.replace("from state", "from pkg.state"),
    FLOW.replace("[loop(", "[Writer, loop("),
    FLOW.replace("class Flow", "class Other"),
    FLOW.replace("[Writer]", "[Writer"),
    "from thena_runtime import Agent, Workflow\n",
    "from thena_runtime import *\n",
    "from agent import *\n",
    "import kit\n\ndef (:\n",
    "def (:\n",
    "import thena_runtime\n\ndef (:\n",
    "x = 1\n",
    "",
)
NAMES: Final = (
    "agent.py",
    "state.py",
    "flow.py",
    "kit.py",
    "other.py",
    "pkg/__init__.py",
    "pkg/agent.py",
    "pkg/state.py",
    "sub/flow.py",
    "sub/agent.py",
    ".hidden/flow.py",
    "venv/flow.py",
)
NOTEBOOKS: Final = ("notes.ipynb", "sub/notes.ipynb")
FOLDERS: Final = ("pkg", "sub", "venv", "moved")
OTHERS: Final = {
    "write.agent.md": ("Write.", ""),
    "pkg/write.agent.md": ("Write.",),
    ".gitignore": ("sub/\n", "flow.py\n", "pkg/\n!pkg/agent.py\n", ""),
    "sub/.gitignore": ("*.py\n", ""),
    "thena.toml": ('[lint]\nignore = ["THN2"]\n', '[lint]\nexclude = ["sub"]\n', "[lint]\nwrong = 1\n", "nonsense"),
    "sub/pyproject.toml": ('[tool.thena.lint]\nseverity = { THN201 = "warning" }\n', "[tool.thena.lint]\nselect = 1\n"),
    "venv/pyvenv.cfg": ("",),
    "kit.pyi": ("def help() -> None: ...\n",),
    "notes.txt": ("thena",),
}

Row = tuple[object, int, int, str]
"""Code, line and column from 0, and message."""

Shown = Mapping[Path, Sequence[Row]]


class Pushed:
    """An editor that shows what it is sent."""

    def __init__(self) -> None:
        self.shown: dict[Path, Sequence[Row]] = {}

    def touched(self, session: Session, path: Path) -> None:
        """Wait."""

    def closing(self, session: Session, path: Path) -> None:
        """Wait."""

    def settle(self, session: Session, opened: Collection[Path]) -> None:
        """Take what is sent."""
        for one in publications(session, lambda: None, Client()):
            self.shown[file_of(one.uri)] = rows(one.diagnostics)


class Pulled:
    """An editor that asks as VS Code does: for what is open when it is edited, and for everything again and again.

    It prefers what it was told of an open file, and forgets the results of a file that it closes, once it has asked
    for the last time.
    """

    def __init__(self) -> None:
        self.shown: dict[Path, Sequence[Row]] = {}
        self._of_files: dict[Path, str] = {}
        self._of_all: dict[Path, str] = {}

    def touched(self, session: Session, path: Path) -> None:
        """Ask for a file that was opened or edited."""
        params = lsp.DocumentDiagnosticParams(
            lsp.TextDocumentIdentifier(path.as_uri()), previous_result_id=self._of_files.get(path)
        )
        report = of_file(session, params, CLIENT)
        assert report.result_id is not None
        self._of_files[path] = report.result_id
        if isinstance(report, lsp.RelatedFullDocumentDiagnosticReport):
            self.shown[path] = rows(report.items)

    def closing(self, session: Session, path: Path) -> None:
        """Ask for the last time."""
        self.touched(session, path)
        del self._of_files[path]
        self._of_all.pop(path, None)

    def settle(self, session: Session, opened: Collection[Path]) -> None:
        """Ask again where that is asked for, and take what there is of all files."""
        if needs_refresh(session, lambda: None):
            for path in opened:
                self.touched(session, path)
        known = {path: self._of_files.get(path, value) for path, value in self._of_all.items()}
        previous = [lsp.PreviousResultId(path.as_uri(), value) for path, value in known.items()]
        report = of_workspace(session, lsp.WorkspaceDiagnosticParams(previous), CLIENT)
        for one in report.items if report is not None else ():
            path = file_of(one.uri)
            assert one.result_id is not None
            self._of_all[path] = one.result_id
            if isinstance(one, lsp.WorkspaceFullDocumentDiagnosticReport) and path not in self._of_files:
                self.shown[path] = rows(one.items)


def file_of(uri: str) -> Path:
    """The file that an editor is told of."""
    path = path_of(uri)
    assert path is not None
    return path


def rows(found: Iterable[lsp.Diagnostic]) -> Sequence[Row]:
    """What an editor shows of diagnostics."""
    return [(one.code, one.range.start.line, one.range.start.character, one.message) for one in found]


def notebook(texts: Iterable[str]) -> str:
    """A notebook whose cells have these texts."""
    cells = [{"cell_type": "code", "metadata": {}, "source": text, "outputs": []} for text in texts]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells})


names = st.sampled_from(NAMES)
texts = st.sampled_from(TEXTS)
contents = st.one_of(
    st.tuples(names, texts),
    st.tuples(st.sampled_from(NOTEBOOKS), st.lists(texts, max_size=3).map(notebook)),
    st.sampled_from([(name, text) for name, every in OTHERS.items() for text in every]),
)
places = st.sampled_from([*NAMES, *NOTEBOOKS, *OTHERS])


class Sequences(RuleBasedStateMachine):
    """One editor, one folder, and others who change what is in it."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="sequences"))
        self.texts: dict[Path, str] = {}
        self.version = 0
        self.editor: Pushed | Pulled = Pushed()

    def teardown(self) -> None:
        """Leave nothing behind."""
        shutil.rmtree(self.folder)

    @initialize(editor=st.sampled_from([Pushed, Pulled]), agent=st.sampled_from([AGENT, PROMPTED]))
    def begin(self, editor: type[Pushed | Pulled], agent: str) -> None:
        """A project that is right, or lacks its prompt."""
        self.editor = editor()
        for name, text in (("agent.py", agent), ("state.py", STATE), ("flow.py", FLOW), ("kit.py", "")):
            self.put(name, text)
        self.session = Session(Encoding.UTF16, [self.folder])

    # -- the disk

    def put(self, name: str, text: str) -> Path:
        """Write a file, as somebody else."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def happened(self, *paths: Path) -> None:
        """Say that something happened there."""
        self.session.touch([path.as_uri() for path in paths])

    @rule(content=contents)
    def written(self, content: tuple[str, str]) -> None:
        """Somebody writes a file."""
        self.happened(self.put(*content))

    @rule(name=places)
    def deleted(self, name: str) -> None:
        """Somebody deletes a file."""
        path = self.folder / name
        if path.exists():
            path.unlink()
            self.happened(path)

    @rule(name=names, new=names)
    def renamed(self, name: str, new: str) -> None:
        """Somebody gives a file another name."""
        old, target = self.folder / name, self.folder / new
        if old.exists() and old != target:
            target.parent.mkdir(parents=True, exist_ok=True)
            old.replace(target)
            self.happened(old, target)

    @rule(name=st.sampled_from(FOLDERS), new=st.sampled_from(FOLDERS))
    def folder_renamed(self, name: str, new: str) -> None:
        """Somebody moves a folder, of whose files an editor isn't told."""
        old, target = self.folder / name, self.folder / new
        if old.exists() and not target.exists():
            old.rename(target)
            self.happened(old, target)

    @rule(name=st.sampled_from(FOLDERS))
    def folder_deleted(self, name: str) -> None:
        """Somebody deletes a folder, of whose files an editor isn't told."""
        path = self.folder / name
        if path.exists():
            shutil.rmtree(path)
            self.happened(path)

    @rule(branch=st.lists(contents, max_size=6), gone=st.lists(places, max_size=4))
    def switched(self, branch: list[tuple[str, str]], gone: list[str]) -> None:
        """Somebody switches to another branch."""
        doomed = [path for name in gone if (path := self.folder / name).exists()]
        for path in set(doomed):
            path.unlink()
        self.happened(*doomed, *[self.put(*content) for content in branch])

    # -- the editor

    @rule(name=names, text=st.none() | texts)
    def opened(self, name: str, text: str | None) -> None:
        """The user opens a file, or begins a new one."""
        path = self.folder / name
        if path not in self.texts and (text is not None or path.exists()):
            self.texts[path] = path.read_text(encoding="utf-8") if text is None else text
            self.version += 1
            self.session.open(path.as_uri(), self.version, self.texts[path])
            self.editor.touched(self.session, path)

    @precondition(lambda self: self.texts)
    @rule(data=st.data(), text=texts)
    def edited(self, data: st.DataObject, text: str) -> None:
        """The user changes an open text."""
        path = data.draw(st.sampled_from(sorted(self.texts)))
        self.texts[path] = text
        self.version += 1
        self.session.change(path.as_uri(), self.version, [lsp.TextDocumentContentChangeWholeDocument(text)])
        self.editor.touched(self.session, path)

    @precondition(lambda self: self.texts)
    @rule(data=st.data())
    def saved(self, data: st.DataObject) -> None:
        """The user saves."""
        path = data.draw(st.sampled_from(sorted(self.texts)))
        self.put(str(path.relative_to(self.folder)), self.texts[path])
        self.happened(path)

    @precondition(lambda self: self.texts)
    @rule(data=st.data(), content=st.none() | contents)
    def closed(self, data: st.DataObject, content: tuple[str, str] | None) -> None:
        """The user closes a file, and what isn't saved is lost; somebody may write a file before anything is shown."""
        path = data.draw(st.sampled_from(sorted(self.texts)))
        del self.texts[path]
        self.editor.closing(self.session, path)
        self.session.close(path.as_uri())
        if content is not None:
            self.written(content)

    # -- what is shown

    @invariant()
    def what_is_shown_is_what_a_fresh_run_finds(self) -> None:
        """What has been told, whichever way, is what the command line finds in these texts and this folder."""
        if not hasattr(self, "session"):
            return
        while self.session.read_some():
            pass
        self.editor.settle(self.session, self.texts)
        if self.is_comparable:
            shown = self.without_unlinted(self.editor.shown)
            assert self.found_afresh(self.linted) == {path: found for path, found in shown.items() if found}

    @property
    def is_comparable(self) -> bool:
        """Say whether all that is open is Python: what is half typed counts as what it was before."""
        return all(parses(text) for text in self.texts.values())

    @property
    def linted(self) -> Mapping[Path, str]:
        """The open texts that are linted; one that isn't is judged by itself while it is open."""
        return {path: text for path, text in self.texts.items() if is_among(path, [self.folder])}

    def without_unlinted(self, shown: Shown) -> Shown:
        """What is shown of all others."""
        return {path: found for path, found in shown.items() if path not in self.texts.keys() - self.linted}

    def found_afresh(self, texts: Mapping[Path, str]) -> Shown:
        """What a fresh run finds in the folder with these texts."""
        every: dict[Path, list[Row]] = {}
        for one in analyze([self.folder], overlays=texts).diagnostics:
            row = (one.code, one.place.line - 1, one.place.column - 1, one.message)
            every.setdefault(Path(one.place.path), []).append(row)
        return every


Sequences.TestCase.settings = settings(
    max_examples=SEQUENCES,
    stateful_step_count=STEPS,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)
TestSequences = Sequences.TestCase

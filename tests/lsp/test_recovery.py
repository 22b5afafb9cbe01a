"""Half-typed code: what is told and shown of everything else stays as it was, and nothing new is told.

Files of real projects are broken in many ways, always the same ones. `THENA_BREAKAGES=20` breaks each file so often.
"""

import os
import random
import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
from lsprotocol import types as lsp

from tests.lsp.test_cursors import CURSORS, marked
from tests.lsp.test_session import AGENT, FLOW
from tests.support.breaking import Broken, breakages, typings
from tests.support.corpus import PROJECTS as CORPUS
from tests.support.pages import rule_pages, source_pages, write_files
from thena_contract.source_faults.unused_suppression import UnusedSuppression
from thena_lint.analyze import diagnose
from thena_lint.diagnostic import Diagnostic
from thena_lint.index.project import ProjectIndex
from thena_lint.source.faults import SyntaxFault, TooDeeplyNested
from thena_lsp.convert import Encoding
from thena_lsp.features.hover import hover_at
from thena_lsp.session import Session

BREAKAGES: Final = int(os.environ.get("THENA_BREAKAGES", "1"))
PROJECTS: Final = sorted(path for path in (Path(__file__).parents[1] / "projects").iterdir() if path.is_dir())

_OF_TEXT: Final = (SyntaxFault.code, TooDeeplyNested.code)
_OF_WHOLE: Final = UnusedSuppression.code
"""Nobody can tell what silences nothing while not all can be read."""

Told = tuple[tuple[str, int, int], str, str]
"""Where something is told (file, line and column), its code and its message."""


@dataclass(slots=True)
class Seen:
    """What came of breaking files: how often, what should have stayed, what of it was lost, and what is new."""

    broken: int = 0
    expected: int = 0
    lost: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """How much of what should have stayed did, in percent."""
        return 100 - 100 * len(self.lost) / self.expected

    def look(self, folder: Path) -> None:
        """Break each file of a project, opened whole and opened broken, and compare what is told each time."""
        session = begun(folder)
        index = session.snapshot().projects[0].index
        whole = _found(session)
        for path in sorted(folder.rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            session.open(path.as_uri(), 0, text)
            for number, broken in enumerate(breakages(text, BREAKAGES, _choice(folder, path)), start=1):
                replace(session, path, number, broken.text)
                self.compare(whole, _found(session), path, broken)
                self.compare_fresh(whole, index.with_text(path, broken.text), path, broken)
            session.close(path.as_uri())
            assert whole == _found(session)

    def compare(self, whole: list[Diagnostic], found: list[Diagnostic], path: Path, broken: Broken) -> None:
        """Take note of what is lost outside of the broken piece, and of what is new anywhere."""
        before = Counter(_told(one, path, broken) for one in whole if one.code not in _OF_TEXT)
        after = Counter(_told(one, path, None) for one in found if one.code not in _OF_TEXT)
        stays = [one for one in before if one[1] != _OF_WHOLE and not _is_inside(one, path, broken)]
        self.broken += 1
        self.expected += sum(before[one] for one in stays)
        self.lost += [_words(one, path, broken) for one in (before - after).elements() if one in stays]
        self.new += _new(before, after, path, broken)

    def type(self, folder: Path) -> None:
        """Take a statement out of each file, and write it there again, half at first."""
        session = begun(folder)
        for path in sorted(folder.rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            session.open(path.as_uri(), 0, text)
            whole = {(one.place.path, one.code, one.message) for one in _found(session)}
            for number, (without, half, line) in enumerate(typings(text, 2 * BREAKAGES, _choice(folder, path))):
                replace(session, path, 2 * number + 1, without)
                _found(session)
                replace(session, path, 2 * number + 2, half)
                self.broken += 1
                for one in _found(session):
                    is_new = (one.place.path, one.code, one.message) not in whole
                    if is_new and one.code not in (*_OF_TEXT, _OF_WHOLE):
                        where = f"{Path(one.place.path).name}:{one.place.line}"
                        self.new.append(f"{path.name}:{line} is typed -> {where}: {one.code} {one.message}")
            session.close(path.as_uri())

    def compare_fresh(self, whole: list[Diagnostic], index: ProjectIndex, path: Path, broken: Broken) -> None:
        """Take note of what is new where nothing is known of how the file was before.

        The words may be others then: they name what would help, as far as it is seen.
        """
        found = (one for file in diagnose(index).values() for one in file)
        before = Counter((*_told(one, path, broken)[:2], "") for one in whole if one.code not in _OF_TEXT)
        after = Counter((*_told(one, path, None)[:2], "") for one in found if one.code not in _OF_TEXT)
        self.new += [f"fresh: {one}" for one in _new(before, after, path, broken)]


def _new(before: Counter[Told], after: Counter[Told], path: Path, broken: Broken) -> list[str]:
    known = {one[1:] for one in before}
    return [
        _words(one, path, broken)
        for one in (after - before).elements()
        if one[1:] not in known or not _is_inside(one, path, broken)
    ]


def _told(one: Diagnostic, path: Path, broken: Broken | None) -> Told:
    is_moved = broken is not None and one.place.path == str(path)
    line = broken.edit.moved(one.place.line) if broken is not None and is_moved else one.place.line
    return (one.place.path, line, one.place.column), one.code, one.message


def _is_inside(told: Told, path: Path, broken: Broken) -> bool:
    first, last = broken.piece
    return told[0][0] == str(path) and first <= told[0][1] <= last


def _words(told: Told, path: Path, broken: Broken) -> str:
    (file, line, _), code, message = told
    return f"{path.name}:{broken.edit.first + 1}, {broken.kind} -> {Path(file).name}:{line}: {code} {message}"


def _choice(folder: Path, path: Path) -> random.Random:
    return random.Random(f"{folder.name}/{path.relative_to(folder).as_posix()}")


def _found(session: Session) -> list[Diagnostic]:
    return [one for file in session.found().values() for one in file]


def begun(folder: Path) -> Session:
    """A session that has read its folder."""
    session = Session(Encoding.UTF16, [folder])
    while session.read_some():
        pass
    return session


def replace(session: Session, path: Path, version: int, text: str) -> None:
    """Replace an open text."""
    session.change(path.as_uri(), version, [lsp.TextDocumentContentChangeWholeDocument(text)])


def copied(project: Path, folder: Path) -> Path:
    """A copy of a project, away from the settings of this repository."""
    return shutil.copytree(project, folder / project.name, ignore=shutil.ignore_patterns("__pycache__"))


def test_what_is_told_of_faulty_projects_stays(tmp_path: Path) -> None:
    """Wherever a file is broken, the faults around the broken piece are told as before, and no others."""
    seen = Seen()
    for project in PROJECTS:
        seen.look(copied(project, tmp_path))
    assert [] == seen.new
    assert seen.share >= 99, seen.lost


_TOOL: Final = """\
from thena_runtime import Tool


@Tool(name="a", description="b")
class A:
    \"\"\"Something.\"\"\"
"""

_MISSPELT: Final = """\
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Workflow


class Draft:
    title: str = ""


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Write."))
class Writer:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s

    def before_prompt(self, prompt: str) -> str:
        return self.s.text


@Workflow(state=Draft, steps=[Writer])
class Flow:
    pass
"""


@pytest.mark.parametrize(
    "typed",
    [
        "    def",
        "    def exec",
        "    async def",
        "    async def execute(self, text: st",
        "    def execute(self, text: st",
        "    def execute(self, text: str) -> str",
        "    def execute(self, text: str) -> str:\n        return [text",
        "    def execute(self, text: str) -> str:\n        if text\n        return text",
        "    @",
        "    @staticmethod\n    def",
        "    execute =",
        "    if True",
        "    from tools import",
    ],
)
def test_a_member_that_is_typed_is_not_denied(tmp_path: Path, typed: str) -> None:
    """What a class has been told to lack isn't said to be absent while that may be what is typed into it."""
    assert (["THN103"], ["THN901"]) == told_before_and_while_typing(tmp_path, _TOOL, f"{_TOOL}\n{typed}\n")


def told_before_and_while_typing(folder: Path, whole: str, typed: str) -> tuple[list[str], list[str]]:
    """The codes of a file on disk, and of what it becomes in an editor."""
    path = folder / "file.py"
    path.write_text(whole)
    session = begun(folder)
    before = [one.code for one in _found(session)]
    session.open(path.as_uri(), 0, whole)
    replace(session, path, 1, typed)
    return before, [one.code for one in _found(session)]


def test_a_member_that_is_absent_stays_so_while_another_is_typed(tmp_path: Path) -> None:
    """A half-typed method of another name, and a class that is typed elsewhere, leave it to be told."""
    path = tmp_path / "tools.py"
    path.write_text(_TOOL)
    session = begun(tmp_path)
    session.open(path.as_uri(), 0, _TOOL)
    for version, typed in enumerate(("    def helper(self, text: st", "\nclass B:\n    def execute(self"), start=1):
        replace(session, path, version, f"{_TOOL}\n{typed}\n")
        assert ["THN103", "THN901"] == [one.code for one in _found(session)]


@pytest.mark.parametrize(
    "typed",
    [
        "    text:",
        "    text: list[",
        "    text = field(",
        "    def text(self",
        "    @",
        "    def __init__(self) -> None:\n        self.text =",
    ],
)
def test_an_attribute_that_is_typed_is_not_denied(tmp_path: Path, typed: str) -> None:
    """Who uses an attribute isn't told that there is none while it is being written."""
    broken = _MISSPELT.replace('title: str = ""\n', f'title: str = ""\n{typed}\n')
    assert (["THN602"], ["THN901"]) == told_before_and_while_typing(tmp_path, _MISSPELT, broken)


def test_exports_that_are_typed_count(tmp_path: Path) -> None:
    """While a file begins to say what it exports, nobody knows what a star import of it binds."""
    agent = tmp_path / "agent.py"
    agent.write_text(AGENT)
    (tmp_path / "flow.py").write_text(FLOW.replace("import Draft, Writer", "import *"))
    session = begun(tmp_path)
    assert ["THN201"] == [one.code for one in _found(session)]
    session.open(agent.as_uri(), 0, AGENT)
    replace(session, agent, 1, f'{AGENT}\n\n__all__ = ["Dra\n')
    assert ["THN901"] == [one.code for one in _found(session)]


def test_what_is_told_of_each_fault_stays(tmp_path: Path) -> None:
    """Each kind of fault stays while something else of its file is typed, and none comes of that."""
    seen = Seen()
    for page in (*rule_pages(), *source_pages()):
        write_files(page.wrong, tmp_path / page.code)
        seen.look(tmp_path / page.code)
    assert [] == seen.new
    assert seen.share >= 99, seen.lost


def test_nothing_is_told_of_projects_without_faults(tmp_path: Path) -> None:
    """Where nothing is wrong, half-typed code isn't taken for something that is."""
    seen = Seen()
    for project in CORPUS:
        seen.look(copied(project, tmp_path))
    assert [] == seen.new


def test_what_is_typed_is_not_denied(tmp_path: Path) -> None:
    """While a member of a class is typed, nothing is told that isn't told without a member being missing."""
    seen = Seen()
    for project in (*PROJECTS, *CORPUS):
        seen.type(copied(project, tmp_path))
    assert seen.broken > 0
    assert [] == seen.new


def test_what_is_shown_elsewhere_stays(tmp_path: Path) -> None:
    """What the mouse shows outside of the broken piece is what it showed before."""
    expected, lost = 0, []
    for project in sorted(folder for folder in CURSORS.iterdir() if folder.is_dir()):
        folder = copied(project, tmp_path)
        session = begun(folder)
        for path in sorted(folder.rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            session.open(path.as_uri(), 0, text)
            whole = {mark: _shown(session, path, mark) for mark in marked(text)}
            for number, broken in enumerate(breakages(text, 10 * BREAKAGES, _choice(folder, path)), start=1):
                replace(session, path, number, broken.text)
                first, last = broken.piece
                for (line, character), shown in whole.items():
                    now = broken.edit.moved(line + 1)
                    if not first <= now <= last:
                        expected += 1
                        if shown != _shown(session, path, (now - 1, character)):
                            lost.append(f"{path.name}:{broken.edit.first + 1}, {broken.kind} -> {now}:{character}")
            session.close(path.as_uri())
    assert expected > 0
    assert 100 * len(lost) / expected <= 1, lost


def _shown(session: Session, path: Path, mark: tuple[int, int]) -> str | None:
    hover = hover_at(session, path.as_uri(), lsp.Position(*mark))
    return None if hover is None or not isinstance(hover.contents, lsp.MarkupContent) else hover.contents.value

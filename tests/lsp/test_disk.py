"""Whatever becomes of files and folders while a session lasts, it tells what a fresh run finds there."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from tests.lsp.test_session import AGENT, FLOW, GOOD_FLOW
from thena_lint.analyze import analyze
from thena_lsp.convert import Encoding, path_of
from thena_lsp.session import Session

BROKEN: Final = "import thena_runtime\n\ndef (:\n"
OTHER: Final = FLOW.replace("Flow", "Other")

COARSE: Final = 20_000_000
"""Nanoseconds: what the times of files may be behind."""

Touched = Iterator[tuple[Path, ...]]
Happening = Callable[[Path], Touched]
"""What happens in a folder, step by step, and where somebody is told of it."""

Shown = dict[Path, list[tuple[str, int, str]]]
"""Of each file the codes, lines and messages."""


def remove(path: Path) -> None:
    """Remove whatever is at a path."""
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def link(path: Path, target: Path) -> Path:
    """Put a link in the place of whatever was there."""
    new = path.with_name("new_link")
    new.symlink_to(target)
    return new.rename(path)


def links_that_lead_nowhere(folder: Path) -> Touched:
    """A circle, a link whose target comes and goes, and a folder that holds itself."""
    circle, nowhere, again = folder / "circle.py", folder / "nowhere.py", folder / "again"
    for path, target in ((circle, circle), (nowhere, folder / "gone.py"), (again, folder)):
        yield (link(path, target),)
    (folder / "gone.py").write_text(BROKEN)
    yield (folder / "gone.py",)
    for path in (folder / "gone.py", circle, nowhere, again):
        remove(path)
        yield (path,)


def a_module_becomes_a_link(folder: Path) -> Touched:
    """The agent's file is a link to itself, to another file, to nothing, and at last a file again."""
    agent, text = folder / "agent.py", folder / "text.txt"
    text.write_text(AGENT)
    for target in (agent, text, folder / "gone.py", text):
        yield (link(agent, target),)
    agent.unlink()
    agent.write_text(AGENT)
    yield (agent,)


def a_link_is_given_another_target(folder: Path) -> Touched:
    """The workflow's file leads to one text after another, by way of a link in another place too."""
    flow, one, two, way = folder / "flow.py", folder / "one.txt", folder / "two.txt", folder / "way"
    one.write_text(FLOW)
    two.write_text(GOOD_FLOW)
    for target in (one, two, one, way):
        yield (link(flow, target),)
    for target in (two, one, two):
        yield (link(way, target), flow)


def what_a_link_leads_to_changes(folder: Path) -> Touched:
    """A file of the project, and one that is none, are written, and have another name in it."""
    shared, text = folder / "shared.py", folder / "text.txt"
    for target in (shared, text):
        target.write_text(GOOD_FLOW)
        yield target, link(folder / "flow.py", target)
        for content in (OTHER, GOOD_FLOW, BROKEN, FLOW):
            target.write_text(content)
            yield (target,)
        target.unlink()
        yield (target,)


def a_linked_package_is_exchanged(folder: Path) -> Touched:
    """What a workflow imports is a link to one folder, to another, to itself, and gone."""
    kit, here, there = folder / "kit", folder.parent / "here", folder.parent / "there"
    for package, text in ((here, AGENT), (there, "Writer = Draft = 1\n")):
        package.mkdir()
        (package / "__init__.py").write_text(text)
    (folder / "flow.py").write_text(FLOW.replace("agent", "kit"))
    yield (folder / "flow.py",)
    for target in (here, there, here, kit):
        yield (link(kit, target),)
    kit.unlink()
    yield (kit,)


def a_file_is_a_folder_for_a_while(folder: Path) -> Touched:
    """Somebody puts a folder in the place of a module, with files in it, and the module back; then a pipe."""
    agent = folder / "agent.py"
    agent.unlink()
    agent.mkdir()
    (agent / "inner.py").write_text(BROKEN)
    yield (agent,)
    remove(agent)
    agent.write_text(AGENT)
    yield (agent,)
    agent.unlink()
    os.mkfifo(agent)
    yield (agent,)
    agent.unlink()
    agent.write_text(AGENT)
    yield (agent,)


def a_module_is_a_package_for_a_while(folder: Path) -> Touched:
    """The module's file becomes a folder of its name, and a file again."""
    agent, package = folder / "agent.py", folder / "agent"
    package.mkdir()
    agent.rename(package / "__init__.py")
    yield agent, package
    (package / "__init__.py").rename(agent)
    package.rmdir()
    yield agent, package


def folders_are_exchanged(folder: Path) -> Touched:
    """One folder comes in another's place, with files of the same names, and nobody is told of these."""
    package, other, away = folder / "package", folder / "other", folder.parent / "away"
    for path, text in ((package, BROKEN), (other, OTHER)):
        path.mkdir()
        (path / "module.py").write_text(text)
    yield package, other
    package.rename(away)
    other.rename(package)
    yield package, other
    remove(package)
    away.rename(package)
    yield (package,)


def a_prompt_becomes_a_link(folder: Path) -> Touched:
    """The prompt is a link to a text that comes and goes, to itself, a folder, and at last a file."""
    prompt, text = folder / "write.agent.md", folder / "text.txt"
    (folder / "agent.py").write_text(AGENT.replace('Prompt("Write.")', '"./write.agent.md"'))
    yield (folder / "agent.py",)
    yield (link(prompt, text),)
    text.write_text("Write.")
    yield (text,)
    text.unlink()
    yield (text,)
    yield (link(prompt, prompt),)
    prompt.unlink()
    prompt.mkdir()
    yield (prompt,)
    prompt.rmdir()
    prompt.write_text("Write.")
    yield (prompt,)


def what_may_be_read_changes(folder: Path) -> Touched:
    """Files and folders are closed and opened again, wholly or in part."""
    inner, ignore = folder / "inner", folder / ".gitignore"
    inner.mkdir()
    (inner / "module.py").write_text(BROKEN)
    ignore.write_text("flow.py\n")
    yield inner, ignore
    for path, modes in (
        (folder / "agent.py", (0, 0o600)),
        (inner, (0, 0o700, 0o600, 0o700, 0o300, 0o700)),
        (ignore, (0, 0o600)),
        (folder, (0, 0o700)),
    ):
        for mode in modes:
            path.chmod(mode)
            yield (path,)


HAPPENINGS: Final[tuple[Happening, ...]] = (
    links_that_lead_nowhere,
    a_module_becomes_a_link,
    a_link_is_given_another_target,
    what_a_link_leads_to_changes,
    a_linked_package_is_exchanged,
    a_file_is_a_folder_for_a_while,
    a_module_is_a_package_for_a_while,
    folders_are_exchanged,
    a_prompt_becomes_a_link,
    what_may_be_read_changes,
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A project of somebody to whom what is closed is closed, as it is to nobody who isn't root."""
    before = os.geteuid()
    analyze([Path(__file__)])  # Once around for its imports, which nobody may be allowed to read.
    if before == 0:
        os.seteuid(65534)
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "project"
            folder.mkdir()
            (folder / "agent.py").write_text(AGENT)
            (folder / "flow.py").write_text(FLOW)
            yield folder
    finally:
        os.seteuid(before)


@pytest.mark.parametrize("happening", HAPPENINGS, ids=lambda one: one.__name__)
def test_what_happens_on_disk_is_seen(folder: Path, happening: Happening) -> None:
    """After each step the session has told what is found by who looks for the first time."""
    session = Session(Encoding.UTF16, [folder])
    shown: Shown = {}
    tell(session, shown)
    for number, touched in enumerate(happening(folder)):
        session.touch([path.as_uri() for path in touched])
        tell(session, shown)
        assert (number, found_afresh(folder)) == (number, {path: found for path, found in shown.items() if found})


@pytest.mark.parametrize("happening", HAPPENINGS, ids=lambda one: one.__name__)
def test_what_nobody_has_told_of_is_caught_up_with(folder: Path, happening: Happening) -> None:
    """What changed before anybody watched is found by when it was changed, wherever that was in the folder."""
    session = Session(Encoding.UTF16, [folder])
    shown: Shown = {}
    tell(session, shown)
    steps = happening(folder)
    for number in count():
        since = time.time_ns() - COARSE
        if next(steps, None) is None:
            break
        assert session.catch_up(since)
        tell(session, shown)
        assert (number, found_afresh(folder)) == (number, {path: found for path, found in shown.items() if found})


def test_what_is_old_is_not_looked_at_again(folder: Path) -> None:
    """Where nothing has changed there is nothing to be worked out anew."""
    session = Session(Encoding.UTF16, [folder])
    tell(session, {})
    before = session.snapshot()
    assert not session.catch_up(time.time_ns() + 1)
    assert before is session.snapshot()


def tell(session: Session, shown: Shown) -> None:
    """Read all there is, and note what is told of it."""
    while session.read_some():
        pass
    for report in session.reports(lambda: None):
        path = path_of(report.uri)
        assert path is not None
        shown[path] = sorted((one.code, one.place.line, one.message) for one in report.diagnostics)


def found_afresh(folder: Path) -> Shown:
    """What a fresh run finds."""
    found: Shown = {}
    for one in analyze([folder]).diagnostics:
        found.setdefault(Path(one.place.path), []).append((one.code, one.place.line, one.message))
    return {path: sorted(some) for path, some in found.items()}

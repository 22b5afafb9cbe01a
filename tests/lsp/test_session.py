"""The session: whose text counts, and what the client must be told after each change."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types as lsp

from thena_lsp.convert import Encoding
from thena_lsp.session import Session

AGENT = """\
from thena_runtime import Agent, Prompt, ScriptedProvider, State


class Draft:
    pass


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Write."))
class Writer:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s
"""

FLOW = """\
from agent import Draft, Writer
from thena_runtime import Workflow


@Workflow(steps=[Writer])
class Flow:
    pass
"""

GOOD_FLOW = FLOW.replace("steps=", "state=Draft, steps=")

VARIANTS = (
    AGENT,
    AGENT + "# a comment\n",
    "\n\n" + AGENT,
    AGENT.replace("s: State", "t: int, s: State"),
    AGENT.replace("State[Draft]", "State[Draft] | None = None"),
    AGENT.replace("Writer", "Other"),
    AGENT.replace("@Agent", "@NotAgent"),
    FLOW,
    FLOW + "x = 1\n",
    GOOD_FLOW,
    FLOW.replace("[Writer]", "[Writer, Draft]"),
    "",
    "x = 1\n",
)

Told = list[tuple[str, int | None, list[str]]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose workflow declares no state."""
    (tmp_path / "agent.py").write_text(AGENT)
    (tmp_path / "flow.py").write_text(FLOW)
    return tmp_path


def begun(*folders: Path) -> Session:
    """A session that has read its folders."""
    session = Session(Encoding.UTF16, folders)
    while session.read_some():
        pass
    return session


def told(session: Session) -> Told:
    """What the client is told now: file, version, codes."""
    reports = session.reports(lambda: None)
    return [(Path(report.uri).name, report.version, [one.code for one in report.diagnostics]) for report in reports]


def replace(session: Session, path: Path, version: int, text: str) -> None:
    """Replace an open text."""
    session.change(path.as_uri(), version, [lsp.TextDocumentContentChangeWholeDocument(text)])


def test_files_that_are_not_open_are_reported(project: Path) -> None:
    """The whole workspace is judged, and only files with faults are told of."""
    assert [("agent.py", None, ["THN201"])] == told(begun(project))


def test_nothing_is_told_twice(project: Path) -> None:
    """Without a change there is nothing to tell."""
    session = begun(project)
    told(session)
    assert [] == told(session)


def test_an_open_file_is_answered_even_when_nothing_changed(project: Path) -> None:
    """Every version that the client sends is answered, so that it knows what was looked at."""
    session = begun(project)
    told(session)
    session.open((project / "agent.py").as_uri(), 7, AGENT)
    assert [("agent.py", 7, ["THN201"])] == told(session)


def test_a_change_elsewhere_is_told_for_every_file_it_changes(project: Path) -> None:
    """The unsaved state in the workflow clears the fault of the agent."""
    session = begun(project)
    session.open((project / "flow.py").as_uri(), 1, FLOW)
    told(session)
    replace(session, project / "flow.py", 2, GOOD_FLOW)
    assert [("agent.py", None, []), ("flow.py", 2, [])] == told(session)


def test_an_answer_that_is_not_wanted_any_more_is_told_later(project: Path) -> None:
    """What was worked out and dropped counts as not told."""

    class TooLateError(Exception):
        pass

    def check() -> None:
        raise TooLateError

    session = begun(project)
    with pytest.raises(TooLateError):
        session.reports(check)
    assert [("agent.py", None, ["THN201"])] == told(session)


def test_an_open_file_is_judged_before_the_workspace_is_read(project: Path) -> None:
    """What is open, and what it imports, needs no index of the rest."""
    session = Session(Encoding.UTF16, [project])
    session.open((project / "flow.py").as_uri(), 1, FLOW)
    assert [("agent.py", None, ["THN201"]), ("flow.py", 1, [])] == told(session)


def test_reading_the_workspace_keeps_open_texts(project: Path) -> None:
    """A slice of the disk that is read after a file was opened doesn't bring its old text back."""
    session = Session(Encoding.UTF16, [project])
    session.open((project / "flow.py").as_uri(), 1, GOOD_FLOW)
    told(session)
    while session.read_some():
        pass
    assert [] == told(session)


def test_a_file_that_goes_before_it_is_read_is_none(project: Path) -> None:
    """What is deleted between the listing of its folder and its reading has no faults, and holds nothing up."""
    for number in range(50):
        (project / f"bad_{number}.py").write_text("import thena_runtime\n\ndef (:\n")
    session = Session(Encoding.UTF16, [project])
    assert session.read_some()
    for path in project.glob("bad_*.py"):
        path.unlink()
    session.touch([(project / f"bad_{number}.py").as_uri() for number in range(50)])
    while session.read_some():
        pass
    assert [("agent.py", None, ["THN201"])] == told(session)


def test_a_closed_file_is_what_is_on_disk(project: Path) -> None:
    """Closing throws an unsaved text away."""
    session = begun(project)
    session.open((project / "flow.py").as_uri(), 1, GOOD_FLOW)
    told(session)
    session.close((project / "flow.py").as_uri())
    assert [("agent.py", None, ["THN201"]), ("flow.py", None, [])] == told(session)


def test_a_change_of_a_document_that_was_never_opened_is_nothing(project: Path) -> None:
    """A client that mixes things up breaks nothing."""
    session = begun(project)
    told(session)
    replace(session, project / "flow.py", 2, GOOD_FLOW)
    session.close((project / "flow.py").as_uri())
    assert [] == told(session)


@pytest.mark.parametrize("folder", [".hidden", "node_modules", "venv/lib"])
def test_what_the_linter_leaves_out_is_left_out_here(project: Path, folder: str) -> None:
    """A watched change in an environment or a hidden folder is no part of the project."""
    (project / "venv").mkdir()
    (project / "venv" / "pyvenv.cfg").write_text("")
    bad = project / folder / "bad.py"
    bad.parent.mkdir(parents=True, exist_ok=True)
    bad.write_text("import thena_runtime\n\ndef (:\n")
    session = begun(project)
    told(session)
    session.touch([bad.as_uri()])
    assert [] == told(session)
    session.open(bad.as_uri(), 1, bad.read_text())
    assert [("bad.py", 1, ["THN901"])] == told(session)
    session.close(bad.as_uri())
    assert [("bad.py", None, [])] == told(session)


def test_a_file_outside_is_judged_with_its_package(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A file of a package outside the workspace is judged with the whole package, and only it is shown."""
    outside = tmp_path_factory.mktemp("outside")
    package = outside / "pkg" / "inner"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").write_text("")
    (package / "agent.py").write_text(AGENT)
    (package.parent / "flow.py").write_text(FLOW.replace("agent", "pkg.inner.agent"))
    session = begun(project)
    told(session)
    session.open((package / "agent.py").as_uri(), 1, AGENT)
    assert [("agent.py", 1, ["THN201"])] == told(session)
    session.close((package / "agent.py").as_uri())
    assert [("agent.py", None, [])] == told(session)


def test_a_prompt_outside_that_is_saved_is_seen(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A file outside the workspace is judged again when its prompt is saved."""
    outside = tmp_path_factory.mktemp("outside")
    session = begun(project)
    session.open((outside / "a.py").as_uri(), 1, AGENT.replace('Prompt("Write.")', '"./a.agent.md"'))
    assert ["THN105"] == told(session)[0][2]
    (outside / "a.agent.md").write_text("Write.")
    session.touch([(outside / "a.agent.md").as_uri()])
    assert [("a.py", 1, [])] == told(session)


def test_new_folders_are_read_and_old_ones_forgotten(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """When the workspace's folders change, the faults of the old ones are cleared and the new ones judged."""
    other = tmp_path_factory.mktemp("other")
    (other / "bad.py").write_text("import thena_runtime\n\ndef (:\n")
    session = begun(project)
    told(session)
    session.set_folders([other])
    while session.read_some():
        pass
    assert [("agent.py", None, []), ("bad.py", None, ["THN901"])] == sorted(told(session))


def test_half_typed_code_keeps_what_it_declared_before(project: Path) -> None:
    """While the workflow is being typed, what it last declared still holds for other files."""
    session = begun(project)
    session.open((project / "flow.py").as_uri(), 1, FLOW)
    told(session)
    replace(session, project / "flow.py", 2, FLOW.replace("[Writer]", "[Writer, "))
    reports = session.reports(lambda: None)
    # The agent is told of again since the chain no longer leads into the broken statement.
    assert [("agent.py", ["THN201"]), ("flow.py", ["THN901"])] == [
        (Path(report.uri).name, [one.code for one in report.diagnostics]) for report in reports
    ]


def test_a_broken_file_that_was_never_whole_declares_nothing(project: Path) -> None:
    """Nothing is guessed of a statement that was broken from the beginning."""
    (project / "flow.py").write_text(FLOW.replace("[Writer]", "[Writer, "))
    assert [("flow.py", None, ["THN901"])] == told(begun(project))


def test_an_edit_that_declares_nothing_new_moves_what_was_found(project: Path) -> None:
    """Lines above a fault shift it, though nothing is judged anew."""
    session = begun(project)
    session.open((project / "agent.py").as_uri(), 1, AGENT)
    before = session.reports(lambda: None)
    replace(session, project / "agent.py", 2, "# one\n# two\n" + AGENT)
    after = session.reports(lambda: None)
    assert [before[0].diagnostics[0].place.line + 2] == [one.place.line for one in after[0].diagnostics]


def test_a_prompt_that_appears_is_seen_although_no_text_changed(project: Path) -> None:
    """What stands on disk beside an open file is looked at again when something there changes."""
    session = begun(project)
    session.open((project / "agent.py").as_uri(), 1, AGENT.replace('Prompt("Write.")', '"./write.agent.md"'))
    assert ["THN105", "THN201"] == sorted(told(session)[0][2])
    (project / "write.agent.md").write_text("Write.")
    session.touch([(project / "write.agent.md").as_uri()])
    assert [("agent.py", 1, ["THN201"])] == told(session)


def test_a_module_that_is_not_linted_is_read_again(project: Path) -> None:
    """What is imported from a file that is left out counts as it is on disk now."""
    (project / ".gitignore").write_text("kit.py\n")
    (project / "kit.py").write_text("class Writer:\n    pass\n")
    (project / "flow.py").write_text(GOOD_FLOW.replace("agent import Draft, Writer", "kit import Writer; Draft = dict"))
    session = begun(project)
    assert [("flow.py", None, ["THN101"])] == told(session)
    (project / "kit.py").write_text("from agent import Writer\n")
    session.touch([(project / "kit.py").as_uri()])
    assert [("flow.py", None, [])] == told(session)


def test_a_folder_that_comes_and_goes_is_seen_without_a_word_of_its_files(project: Path) -> None:
    """An editor may tell of a folder alone that was moved or deleted."""
    package = project / "package"
    package.mkdir()
    (package / "bad.py").write_text("import thena_runtime\n\ndef (:\n")
    session = begun(project)
    told(session)
    package.rename(project / "moved")
    session.touch([package.as_uri(), (project / "moved").as_uri()])
    assert [("bad.py", None, ["THN901"]), ("bad.py", None, [])] == told(session)
    shutil.rmtree(project / "moved")
    session.touch([(project / "moved").as_uri()])
    assert [("bad.py", None, [])] == told(session)


def test_a_file_that_nothing_rests_on_changes_nothing(project: Path) -> None:
    """A log file that is written doesn't make the server look at anything again."""
    session = begun(project)
    before = session.snapshot()
    (project / "run.log").write_text("thena")
    session.touch([(project / "run.log").as_uri(), (project / "gone.log").as_uri()])
    assert before is session.snapshot()


def test_a_prompt_of_any_name_is_seen(project: Path) -> None:
    """A prompt need not be called as most are."""
    (project / "agent.py").write_text(AGENT.replace('Prompt("Write.")', '"./prompts/write.txt"'))
    session = begun(project)
    assert [("agent.py", None, ["THN105", "THN201"])] == told(session)
    (project / "prompts").mkdir()
    (project / "prompts" / "write.txt").write_text("Write.")
    session.touch([(project / "prompts" / "write.txt").as_uri()])
    assert [("agent.py", None, ["THN201"])] == told(session)


def test_other_settings_clear_nothing_that_they_leave(project: Path) -> None:
    """What is found in other files stays where it is while the settings of one folder change."""
    (project / "sub").mkdir()
    (project / "sub" / "bad.py").write_text("import thena_runtime\n\ndef (:\n")
    session = begun(project)
    assert [("agent.py", None, ["THN201"]), ("bad.py", None, ["THN901"])] == told(session)
    (project / ".gitignore").write_text("sub/\n")
    session.touch([(project / ".gitignore").as_uri()])
    assert [("bad.py", None, [])] == told(session)


def test_what_is_broken_on_disk_declares_nothing(project: Path) -> None:
    """Only what is being typed counts as what it was before; a file that another program has broken doesn't."""
    session = begun(project)
    told(session)
    (project / "flow.py").write_text(FLOW.replace("[Writer]", "[Writer, "))
    session.touch([(project / "flow.py").as_uri()])
    assert [("agent.py", None, []), ("flow.py", None, ["THN901"])] == told(session)


@settings(max_examples=60, deadline=None)
@given(edits=st.lists(st.tuples(st.sampled_from(["agent.py", "flow.py"]), st.sampled_from(VARIANTS)), max_size=8))
def test_edits_one_by_one_give_what_a_fresh_session_gives(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, str]]
) -> None:
    """After any edits the diagnostics are those of a session that has only ever seen the last texts."""
    folder = tmp_path_factory.mktemp("law")
    texts = {"agent.py": AGENT, "flow.py": FLOW}
    for name, text in texts.items():
        (folder / name).write_text(text)
    session = begun(folder)
    for name in texts:
        session.open((folder / name).as_uri(), 0, texts[name])
    shown: dict[str, object] = {}
    for number, (name, text) in enumerate(edits, start=1):
        texts[name] = text
        replace(session, folder / name, number, text)
        shown |= {Path(report.uri).name: report.diagnostics for report in session.reports(lambda: None)}
    shown |= {Path(report.uri).name: report.diagnostics for report in session.reports(lambda: None)}
    fresh = begun(folder)
    for name in texts:
        fresh.open((folder / name).as_uri(), 0, texts[name])
    expected = {Path(report.uri).name: report.diagnostics for report in fresh.reports(lambda: None)}
    assert expected == shown

"""The warm linter of a session: it judges what the watch has seen, whatever has happened on disk since."""

from pathlib import Path

from tests.cli.flow_project import write_project
from thena_cli.dev.linter import Linter
from thena_lint.target import find_target


def linter_of(folder: Path) -> Linter:
    return Linter(find_target("flow", folder), folder=folder, is_coloured=False, before_reading=lambda watched: None)


def test_what_was_moved_away_when_it_was_read_is_judged_as_it_was_seen(tmp_path: Path) -> None:
    """A file that is back with the same content is told of by nobody, so it mustn't be missed meanwhile."""
    write_project(tmp_path)
    linter = linter_of(tmp_path)
    files = linter.check({}).summary.files
    new = tmp_path / "flow" / "new.py"

    assert files + 1 == linter.check({new: b"x = 1\n"}).summary.files
    assert files + 1 == linter.check({}).summary.files
    assert files == linter.check({new: None}).summary.files


def test_what_has_changed_once_more_is_judged_as_it_was_seen(tmp_path: Path) -> None:
    """What is on disk by then is told of by the watch, and read when it is."""
    flow = write_project(tmp_path)
    linter = linter_of(tmp_path)
    linter.check({})
    workflow = flow / "workflow.py"
    text = workflow.read_bytes()
    workflow.write_bytes(text + b"x = (\n")

    assert 0 == linter.check({workflow: text}).summary.faults
    assert 1 == linter.check({workflow: workflow.read_bytes()}).summary.faults

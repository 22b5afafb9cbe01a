"""`thena explain`, and what leads to it, as real processes."""

import re
from pathlib import Path

import pytest

from tests.cli.flow_project import edit, write_project
from tests.cli.terminal import Terminal
from tests.cli.thena_process import thena, timeless
from tests.support.pages import FAULTS_FOLDER
from thena_contract.codes import NAMES

_CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("code", ["THN201", "THN704", "thn704"])
def test_the_page_of_a_fault_is_shown(tmp_path: Path, code: str) -> None:
    """It is printed as it was written, in whichever case the code is typed."""
    done = thena("explain", code, cwd=tmp_path)
    page = (FAULTS_FOLDER / f"{code.upper()}.md").read_text(encoding="utf-8")
    assert (page, "", 0) == (done.stdout, done.stderr, done.returncode)


def test_on_a_terminal_paragraphs_fit_and_code_stays_as_it_is(tmp_path: Path) -> None:
    """Words and their order are those of the page; what is wider than the terminal is code."""
    terminal = Terminal("explain", "THN201", cwd=tmp_path, COLUMNS="60")
    assert 0 == terminal.end()
    page = (FAULTS_FOLDER / "THN201.md").read_text(encoding="utf-8")
    assert page.split() == terminal.written.split()
    lines = terminal.written.splitlines()
    wide = {line for line in lines if len(line) > 60}
    assert (True, wide) == (bool(wide), wide & set(page.splitlines()))
    assert _CODE.findall(page) == _CODE.findall(terminal.written) != []


def test_names_and_beginnings_are_taken_too(tmp_path: Path) -> None:
    """A name shows the page; what several begin with lists them, a line each on a terminal too."""
    by_name = thena("explain", "until-arity", cwd=tmp_path)
    terminal = Terminal("explain", "THN10", cwd=tmp_path, COLUMNS="60")
    assert 0 == terminal.end()
    assert (thena("explain", "THN302", cwd=tmp_path).stdout, 0) == (by_name.stdout, by_name.returncode)
    listed = [f"- {code} {name}" for code, name in NAMES.items() if code.startswith("THN10")]
    assert ["9 faults begin with `THN10`:", "", *listed] == terminal.written.splitlines()


def test_a_code_without_a_page_is_answered_with_what_was_meant(tmp_path: Path) -> None:
    """Nothing goes to standard output, and the exit code is that of a wrong command line."""
    done = thena("explain", "THN7044", cwd=tmp_path)
    told = "thena: there is no page for `THN7044`. Did you mean THN704? `thena-lint rules` lists all codes.\n"
    assert ("", told, 2) == (done.stdout, done.stderr, done.returncode)


def test_a_run_that_fails_with_a_fault_says_how_to_read_more(tmp_path: Path) -> None:
    """The error has its code, and the last line names the command that shows the page."""
    flow = write_project(tmp_path)
    edit(flow / "tools.py", "import State, Tool", "import FatalToolError, State, Tool")
    edit(flow / "tools.py", "        s.notes.append(text)\n", '        raise FatalToolError("no more room")\n')
    done = thena("run", "flow", cwd=tmp_path)
    _, end = timeless(done.stderr).split("\n✗ failed")
    first, *_, last = f"✗ failed{end}".splitlines()
    error = "FatalToolError: [thena] THN704 `note` ends the run: no more room"
    assert (f"✗ failed  {error}  <t>", "  `thena explain THN704` says more", 1) == (first, last, done.returncode)


def test_a_run_that_fails_otherwise_has_no_page(tmp_path: Path) -> None:
    """What has no code isn't explained."""
    flow = write_project(tmp_path)
    edit(flow / "models.py", "    if messages", "    raise LookupError('no model')\n    if messages")
    done = thena("run", "flow", cwd=tmp_path)
    assert ("explain" in done.stderr, "LookupError: no model" in done.stderr, 1) == (False, True, done.returncode)

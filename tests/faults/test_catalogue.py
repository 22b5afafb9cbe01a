"""The catalogue as a whole: what every fault must have."""

import re
from pathlib import Path

import pytest

import thena_contract.rules
import thena_contract.run_faults
import thena_contract.source_faults
from tests.support.pages import FAULTS_FOLDER, FILE_CODES, Page, all_pages
from thena_contract.catalogue import FAULTS
from thena_contract.codes import ALWAYS_TOLD, NAMES, OFF_BY_DEFAULT
from thena_contract.fault import Fault, ReasonedFault, Severity
from thena_contract.rules.state_not_copyable import StateNotCopyable
from thena_lint.fixes import FIXES
from thena_lint.source.faults import FileUnreadable, LinterFailed, SyntaxFault, TooDeeplyNested

PACKAGES = (thena_contract.rules, thena_contract.run_faults, thena_contract.source_faults)
OF_FILES = (SyntaxFault, FileUnreadable, LinterFailed, TooDeeplyNested)
"""Faults of a file itself, which no rule finds."""

VERBS = {
    *("Add", "Ask", "Await", "Catch", "Create", "Declare", "Delete", "Give", "Import", "Keep", "Let", "Make", "Mend"),
    *("Move", "Name", "Pass", "Put", "Raise", "Return", "Say", "Set", "Take", "Use", "Write"),
}


def test_every_fault_has_a_page_and_every_page_a_fault() -> None:
    """A fault without a page can't be explained, and a page without a fault explains nothing."""
    assert list(NAMES) == [page.code for page in all_pages()]


def test_the_names_are_those_of_the_classes() -> None:
    """The table of codes and names, which needs no fault class, has every fault of the catalogue and of files."""
    expected = {fault.code: fault.name for fault in (*FAULTS.values(), *OF_FILES)}

    assert dict(sorted(expected.items())) == dict(NAMES)
    assert set(NAMES) >= OFF_BY_DEFAULT | ALWAYS_TOLD


def test_the_index_names_every_fault() -> None:
    """`docs/faults/README.md` names every fault by family, in order, with its page and who finds it."""
    index = (FAULTS_FOLDER / "README.md").read_text(encoding="utf-8")
    row = re.compile(r"^\| \[(THN\d+)\]\(\1\.md\) \| ([a-z-]+) \| ([a-z-]+) \| .+ \|$", re.MULTILINE)
    families = re.split(r"^## .+ \(THN(\d)xx\)$", index, flags=re.MULTILINE)[1:]
    rows = [
        (family, code, name, found_by)
        for family, text in zip(families[::2], families[1::2], strict=True)
        for code, name, found_by in row.findall(text)
    ]
    every = sorted([*FAULTS.values(), *OF_FILES], key=lambda fault: fault.code)

    assert [(fault.code[3], fault.code, fault.name, found_by(fault)) for fault in every] == rows


def found_by(fault: type[Fault]) -> str:
    """Who can see a fault."""
    if fault is StateNotCopyable:
        return "start-up"
    package = fault.__module__.rpartition(".")[0]
    return {"thena_contract.rules": "both", "thena_contract.run_faults": "run"}.get(package, "linter")


def test_every_fault_class_is_in_the_catalogue() -> None:
    """Each module of a rule, or of a fault that only a run or the source shows, declares one, and all are listed."""
    folders = [Path(package.__path__[0]) for package in PACKAGES]
    modules = {path.stem for folder in folders for path in folder.glob("*.py")} - {"__init__"}

    assert {fault.__module__.rpartition(".")[2] for fault in FAULTS.values()} == modules


def test_texts_are_unique() -> None:
    """Two faults never say the same."""
    assert len({fault.text for fault in FAULTS.values()}) == len(FAULTS)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_well_formed(fault: type[Fault]) -> None:
    """Code, name, module, severity, text and hint follow the catalogue's form."""
    assert re.fullmatch(r"THN[1-9]\d\d", fault.code)
    assert fault.name.replace("-", "_") == fault.__module__.rpartition(".")[2]
    assert fault.name.title().replace("-", "") == fault.__name__
    assert isinstance(fault.severity, Severity)
    assert fault.text.startswith(("`", "{reason}"))
    assert fault.text.endswith("{reason}" if issubclass(fault, ReasonedFault) else ".")
    assert fault.hint.split()[0] in VERBS
    assert getattr(fault, "__final__", False) is True


@pytest.mark.parametrize("page", all_pages(), ids=lambda page: page.code)
def test_a_page_matches_its_fault(page: Page) -> None:
    """The title carries the fault's name, and the sections stand in the order of every page."""
    assert page.name == NAMES[page.code]
    if page.code in FILE_CODES and not page.wrong:
        assert page.sections == ("Why", "What to do")
        return
    assert page.sections == ("Why", "Wrong", "Right", *(("Fix",) if page.code in FIXES else ()))
    assert {code for _, _, code in page.expected()} | page.expected_later() == {page.code}

"""Whole programs as engineers write them, all of them right: what the linter says about them is false."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.corpus import PROJECTS, Runner, programs_of, running
from thena_contract.fault import Severity
from thena_lint.analyze import analyze

each_project = pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """A warm process that runs programs in children."""
    with running() as runner:
        yield runner


@each_project
def test_a_right_program_runs(project: Path, runner: Runner) -> None:
    """Every program of the corpus starts without a finding and without a warning, and runs to its end."""
    ran = {module: runner.run(project, module) for module in programs_of(project)}

    assert {} == {module: one for module, one in ran.items() if one.trouble}
    assert sum(one.apps for one in ran.values()) >= 1


@each_project
def test_nothing_is_said_about_a_right_program(project: Path) -> None:
    """The linter finds no error and nothing to warn of in a project that is right."""
    loud = {Severity.ERROR, Severity.WARNING}

    assert [] == [one for one in analyze([project]).diagnostics if one.severity in loud]

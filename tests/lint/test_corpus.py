"""Whole programs as engineers write them, all of them right: what the linter says about them is false."""

from pathlib import Path

import pytest

from tests.support.corpus import PROJECTS, programs_of, root_of
from tests.support.warm import Became, run_as_program
from thena_contract.fault import Severity
from thena_lint.analyze import analyze

each_project = pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)


def is_in_trouble(became: Became) -> bool:
    """Whether anything was said or raised."""
    return bool(became.findings or became.warned or became.refused or became.failure or became.crash)


@each_project
def test_a_right_program_runs(project: Path) -> None:
    """Every program of the corpus starts without a finding and without a warning, and runs to its end."""
    ran = {module: run_as_program(root_of(project), module) for module in programs_of(project)}

    assert {} == {module: one for module, one in ran.items() if is_in_trouble(one)}
    assert sum(one.apps for one in ran.values()) >= 1


@each_project
def test_nothing_is_said_about_a_right_program(project: Path) -> None:
    """The linter finds no error and nothing to warn of in a project that is right."""
    loud = {Severity.ERROR, Severity.WARNING}

    assert [] == [one for one in analyze([project]).diagnostics if one.severity in loud]

"""Whole programs as engineers write them, all of them right: what the linter says about them is false.

The same with one fault planted by rewriting: what the linter doesn't say about them is missed. A usual run takes a few
mutants of each kind, the same every time; `THENA_CORPUS=all` takes every one.
"""

import os
import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final

import pytest

from tests.support.corpus import PROJECTS, findings_of, run_all, workflows_of
from tests.support.planting.planters import PLANTERS, Mutant, Planter
from tests.support.planting.source import Project
from tests.support.warm import Became
from thena_contract import rules
from thena_contract.catalogue import FAULTS
from thena_contract.fault import Severity
from thena_lint.analyze import diagnose, judge_all
from thena_lint.diagnostic import Diagnostic
from thena_lint.index.project import ProjectIndex
from thena_lint.link.assemblies import link

EVERY: Final = os.environ.get("THENA_CORPUS") == "all"
LINTED: Final = None if EVERY else 6
"""How many mutants of each planter are linted."""
STARTED: Final = None if EVERY else 1
"""How many of those are started up."""

LOUD: Final = frozenset({Severity.ERROR, Severity.WARNING})


@dataclass(frozen=True, slots=True)
class Unseen:
    """Planted faults that no text tells, so that only start-up finds them, if anybody does, and why."""

    project: str
    planters: frozenset[str]
    reason: str


UNSEEN: Final = (
    Unseen(
        project="ticket_router",
        planters=frozenset(
            {
                "a_brake_below_one",
                "a_callback_that_wants_more",
                "a_class_as_until",
                "a_comment_about_nothing",
                "a_list_for_all_runs",
                "a_loop_over_nothing",
                "a_misspelt_option_of_a_loop",
                "a_parameter_that_nothing_fills",
                "a_sentence_as_until",
                "a_string_as_step_of_a_loop",
                "a_workflow_in_its_own_list",
                "an_abstract_agent",
                "an_object_as_step",
                "an_until_of_nothing",
                "an_until_with_a_state_that_is_not_there",
                "no_until",
                "the_context_in_a_constructor",
                "the_input_in_a_constructor",
                "the_state_as_args",
            }
        ),
        reason="the environment decides which steps stand before and behind the loop, and how many",
    ),
    Unseen(
        project="essay_grader",
        planters=frozenset({"a_comment_about_nothing", "an_abstract_agent", "no_provider", "no_state_declared"}),
        reason="options come from `**COMMON`, and loops from a `partial(loop, ...)`",
    ),
    Unseen(
        project="pr_bot",
        planters=frozenset({"a_comment_about_nothing", "an_abstract_agent", "the_state_where_there_is_none"}),
        reason="the steps are made by a function",
    ),
    Unseen(
        project="stock_screener",
        planters=frozenset({"a_loop_over_another_state", "no_state_declared"}),
        reason="the agents are made by functions",
    ),
)

each_project = pytest.mark.parametrize("project", PROJECTS, ids=lambda path: path.name)
each_planter = pytest.mark.parametrize("planter", PLANTERS, ids=lambda planter: f"{planter.code}-{planter.name}")


def is_in_trouble(became: Became) -> bool:
    """Whether anything was said or raised."""
    return bool(became.findings or became.warned or became.refused or became.failure or became.crash)


@each_project
def test_a_right_program_runs(project: Path) -> None:
    """Every program of the corpus starts without a finding and without a warning, and runs to its end."""
    ran = run_all(project)

    assert {} == {module: one for module, one in ran.items() if is_in_trouble(one)}
    assert sum(one.apps for one in ran.values()) >= 1


@each_project
def test_nothing_is_said_about_a_right_program(project: Path) -> None:
    """The linter finds no error and nothing to warn of in a project that is right."""
    assert [] == lint(_index(project))


@each_planter
def test_a_planted_fault_is_found(planter: Planter) -> None:
    """The linter finds what was planted, where it was planted, and nothing that doesn't follow from it."""
    _skip_unless_there(planter)
    mutants = list(mutants_of(planter, LINTED))
    trouble = {str(one): _trouble(one, lint(mutated(one))) for one in mutants if not is_unseen(planter, one)}

    assert {} == {name: one for name, one in trouble.items() if one is not None}
    assert mutants


@each_planter
def test_start_up_finds_what_is_planted(planter: Planter, tmp_path: Path) -> None:
    """`Thena(...)` finds what the linter finds, with equal findings, in every workflow that it comes to."""
    _skip_unless_there(planter)
    unequal = {
        str(mutant): difference
        for number, mutant in enumerate(mutants_of(planter, STARTED))
        if (difference := _difference(mutant, planter, tmp_path / str(number))) is not None
    }

    assert {} == unequal


@pytest.mark.parametrize("unseen", UNSEEN, ids=lambda unseen: unseen.project)
def test_what_is_called_unseen_is_unseen(unseen: Unseen) -> None:
    """Each planter that is excused for a project plants something there that the linter doesn't find."""
    (project,) = (_project(folder) for folder in PROJECTS if folder.name == unseen.project)
    planters = [planter for planter in PLANTERS if planter.name in unseen.planters and planter.code in FAULTS]
    found = {planter.name for planter in planters if all(_is_found(one) for one in planter.mutants(project))}

    assert set() == found
    assert unseen.planters <= {planter.name for planter in PLANTERS}


def _is_found(mutant: Mutant) -> bool:
    return any(one.code == mutant.code for one in lint(mutated(mutant)))


def _skip_unless_there(planter: Planter) -> None:
    if planter.code not in FAULTS:
        pytest.skip(f"{planter.code} has no rule yet")


# -- mutants


def mutants_of(planter: Planter, most: int | None) -> Iterator[Mutant]:
    """All mutants of a planter, or as many as are wanted, of different projects and always the same."""
    if most is None:
        return (mutant for project in PROJECTS for mutant in planter.mutants(_project(project)))
    order = random.Random(planter.name).sample(PROJECTS, len(PROJECTS))
    return islice((mutant for project in order for mutant in planter.mutants(_project(project), 1)), most)


@cache
def _project(folder: Path) -> Project:
    return Project.read(folder)


@cache
def _index(folder: Path) -> ProjectIndex:
    return ProjectIndex.load([folder])


def mutated(mutant: Mutant) -> ProjectIndex:
    """The project as it is with the fault in it."""
    index = _index(mutant.project)
    for file, text in mutant.files.items():
        index = index.with_text(mutant.project / file, text)
    return index


def is_unseen(planter: Planter, mutant: Mutant) -> bool:
    """Say whether this is one that no text tells."""
    return any(planter.name in one.planters for one in UNSEEN if one.project == mutant.project.name)


# -- what was found


def lint(index: ProjectIndex) -> list[Diagnostic]:
    """Everything that is found in an index, but what is for information."""
    return [one for file in diagnose(index).values() for one in file if one.severity in LOUD]


def _trouble(mutant: Mutant, found: list[Diagnostic]) -> str | None:
    """What is wrong with what was found in a mutant, or nothing."""
    planted = {
        (Path(one.place.path).relative_to(mutant.project).as_posix(), one.place.line)
        for one in found
        if one.code == mutant.code
    }
    besides = [one.message for one in found if one.code not in {mutant.code, *mutant.consequences}]
    if not planted:
        return "wasn't found"
    if not planted <= mutant.places:
        return f"was found at {sorted(planted - mutant.places)}"
    return f"has others beside it: {besides}" if besides else None


def _difference(mutant: Mutant, planter: Planter, copy: Path) -> object:
    """What start-up and linter don't both say."""
    index = mutated(mutant)
    found = lint(index)
    if any(one.code == mutant.code and one.finding is None for one in found):
        return None  # it is about what the code does, which start-up doesn't look at
    shutil.copytree(mutant.project, copy)
    for file, text in mutant.files.items():
        (copy / file).write_text(text, encoding="utf-8")
    ran = run_all(copy)
    from_objects = findings_of(ran)
    if not from_objects and all(one.crash for one in ran.values()):
        return None  # Python itself refuses what was planted
    if is_unseen(planter, mutant):
        if not FAULTS[mutant.code].__module__.startswith(rules.__name__):
            return None  # start-up has no rule for it
        return None if any(one.fault.code == mutant.code for one in from_objects) else "start-up doesn't find it either"
    judged = workflows_of(ran)
    from_text = judge_all(link(index))
    of_judged = {finding for one, finding in from_text if (flow := one.assembly.workflow) and flow.ref in judged}
    missed, said = of_judged - from_objects, from_objects - {finding for _, finding in from_text}
    return (missed, said) if missed or said else None

"""Several faults at once, planted one after the other into right programs of the corpus, and all repaired together.

`THENA_FIXED` says how many mixtures are tried.
"""

import ast
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.corpus import PROJECTS
from tests.support.planting.planters import PLANTERS, Planter
from tests.support.planting.source import Project
from thena_lint.analyze import Analysis, analyze, analyze_index
from thena_lint.apply import SAFE, SAFE_AND_UNSAFE, Applied, apply_fixes, context_of
from thena_lint.diagnostic import Diagnostic
from thena_lint.edit import Applicability
from thena_lint.fixes import FIXES

MIXTURES: Final = int(os.environ.get("THENA_FIXED", "20"))
FIXABLE: Final = tuple(one for one in PLANTERS if one.code in FIXES)
UNDONE: Final = tuple(
    one
    for one in PLANTERS
    if one.name in ("a_frozen_state", "a_misspelt_field", "a_misspelt_hook", "the_state_without_its_marker")
)
"""What only changes a few letters, so that repairing it gives the text as it was."""

many = settings(
    max_examples=MIXTURES, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
projects = st.sampled_from(sorted(PROJECTS))


def mixtures(planters: tuple[Planter, ...], most: int) -> st.SearchStrategy[list[Planter]]:
    """Some of these, each once: twice the same in one place may be no Python."""
    return st.lists(st.sampled_from(planters), min_size=1, max_size=most, unique_by=lambda one: one.name)


@dataclass(frozen=True)
class Planted:
    """A project with faults, which planters have done something to it, and how it was before."""

    folder: Path
    planters: tuple[Planter, ...]
    analysis: Analysis


@contextmanager
def planted(project: Path, planters: list[Planter], data: st.DataObject) -> Iterator[Planted]:
    """A copy of a project into which each of these has planted its fault, where it could."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve() / project.name
        shutil.copytree(project, folder, ignore=shutil.ignore_patterns("__pycache__"))
        done = []
        for planter in planters:
            mutants = list(planter.mutants(Project.read(folder)))
            if mutants:
                mutant = mutants[data.draw(st.integers(0, len(mutants) - 1))]
                for name, text in mutant.files.items():
                    (folder / name).write_text(text, encoding="utf-8")
                done.append(planter)
        yield Planted(folder, tuple(done), analyze([folder]))


def applied(analysis: Analysis, allowed: frozenset[Applicability]) -> Applied:
    """What is left when everything is applied that may be."""
    return apply_fixes(analysis, again=lambda index: analyze_index(index, analysis.policy), allowed=allowed)


def counted(diagnostics: tuple[Diagnostic, ...]) -> Counter[str]:
    """How many findings of each code there are."""
    return Counter(one.code for one in diagnostics)


@many
@given(project=projects, planters=mixtures(FIXABLE, 4), data=st.data())
def test_repairing_makes_nothing_worse(project: Path, planters: list[Planter], data: st.DataObject) -> None:
    """No fix fails, there is no more of any fault than before, all is Python, and once more changes nothing."""
    with planted(project, planters, data) as faulty:
        context = context_of(faulty.analysis)
        for one in faulty.analysis.diagnostics:
            for fixer in FIXES.get(one.code, ()):
                list(fixer(context, one))
        fixed = applied(faulty.analysis, SAFE_AND_UNSAFE)
        for rewrite in fixed.rewrites:
            rewrite.path.write_text(rewrite.after, encoding="utf-8")
            ast.parse(rewrite.after)
        for created in fixed.created:
            created.path.parent.mkdir(exist_ok=True)
            created.path.write_text(created.text, encoding="utf-8")
        left = analyze([faulty.folder])
        again = applied(left, SAFE_AND_UNSAFE)

    assert not counted(left.diagnostics) - counted(faulty.analysis.diagnostics)
    assert counted(fixed.analysis.diagnostics) == counted(left.diagnostics)
    assert ((), ()) == (again.rewrites, again.created)


@many
@given(project=projects, planters=mixtures(UNDONE, 4), data=st.data())
def test_all_else_stays_byte_for_byte(project: Path, planters: list[Planter], data: st.DataObject) -> None:
    """Repairs of a few letters give back the very text into which the faults were planted."""
    with planted(project, planters, data) as faulty:
        fixed = {one.path: one.after for one in applied(faulty.analysis, SAFE_AND_UNSAFE).rewrites}
        texts = {path: fixed.get(path, path.read_text(encoding="utf-8")) for path in faulty.folder.rglob("*.py")}

    assert {path: (project / path.relative_to(faulty.folder)).read_text(encoding="utf-8") for path in texts} == texts


@many
@given(project=projects, planters=mixtures(PLANTERS, 3), data=st.data())
def test_safe_fixes_leave_right_code_alone(project: Path, planters: list[Planter], data: st.DataObject) -> None:
    """Files in which nothing is found, and which no finding is about, aren't changed."""
    with planted(project, planters, data) as faulty:
        concerned = {
            place.path
            for one in faulty.analysis.diagnostics
            for place in (one.place, *(related.place for related in one.related))
        }
        changed = {str(one.path) for one in applied(faulty.analysis, SAFE).rewrites}

    assert changed <= concerned

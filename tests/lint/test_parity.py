"""The law of the two readers on projects written by chance: what one finds the other finds, equal as values."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, Phase, event, given, settings

from tests.support.warm import Became, imported
from tests.support.written_projects import Project, projects
from thena_contract.fault import Finding
from thena_contract.judge import judge
from thena_lint.index.project import ProjectIndex
from thena_lint.link.assemblies import link

PROJECTS: Final = int(os.environ.get("THENA_PROJECTS", "300"))
"""How many projects are written; once in a while more are worth their time."""


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Iterator[Path]]:
    """A new empty folder for each project."""
    root = tmp_path_factory.mktemp("projects")

    def each() -> Iterator[Path]:
        number = 0
        while True:
            number += 1
            folder = root / f"project{number}"
            folder.mkdir()
            yield folder
            shutil.rmtree(folder)

    yield each()


def write(project: Project, folder: Path) -> None:
    """Write a project's files."""
    for name, text in project.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def found_in_text(folder: Path, seen: Became) -> frozenset[Finding]:
    """What the linter finds in the workflows that were judged at start-up."""
    linked = link(ProjectIndex.load([folder]))
    assemblies = [
        one.assembly
        for one in linked
        if one.assembly.workflow is not None and one.assembly.workflow.ref in seen.workflows
    ]
    assert all(one.failed is None for one in linked)
    return frozenset(judge(assemblies))


@settings(
    max_examples=PROJECTS,
    deadline=None,
    phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture],
)
@given(project=projects())
def test_both_readers_find_the_same(folders: Iterator[Path], project: Project) -> None:
    """Every finding at start-up is one of the linter's, and the other way round."""
    folder = next(folders)
    write(project, folder)

    seen = imported(folder, project.module)
    for finding in seen.findings:
        event(finding.fault.code)
    event("refused otherwise" if seen.crash else "starts" if not seen.findings else "has findings")

    assert shown(seen.findings) == shown(found_in_text(folder, seen))


def shown(findings: frozenset[Finding]) -> list[str]:
    """Findings as lines, whole."""
    return sorted(f"{one.fault.render()}\n  at {one.anchor}\n  through {one.related}" for one in findings)

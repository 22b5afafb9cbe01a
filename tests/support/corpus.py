"""The corpus: projects as engineers write them, each started and run by its own `main`."""

from pathlib import Path
from typing import Final

from tests.support.warm import Became, run_as_program
from thena_contract.anchor import Anchor, Ref
from thena_contract.fault import Finding, Related

CORPUS: Final = Path(__file__).parents[1] / "corpus"
PROJECTS: Final = sorted(path for path in CORPUS.iterdir() if path.is_dir() and path.name != "__pycache__")

_GUARD: Final = 'if __name__ == "__main__"'


def root_of(project: Path) -> Path:
    """The folder that the project's modules are imported from."""
    return project / "src" if (project / "src").is_dir() else project


def programs_of(project: Path) -> list[str]:
    """The modules that can be run as a program."""
    root = root_of(project)
    return sorted(
        ".".join(path.relative_to(root).with_suffix("").parts)
        for path in root.rglob("*.py")
        if _GUARD in path.read_text(encoding="utf-8")
    )


def run_all(project: Path) -> dict[str, Became]:
    """Run every program of a project."""
    return {module: run_as_program(root_of(project), module) for module in programs_of(project)}


def findings_of(ran: dict[str, Became]) -> set[Finding]:
    """What was found in all of them. Each is `__main__` while it runs, and has its own name here."""
    return {_renamed(finding, module) for module, one in ran.items() for finding in one.findings}


def workflows_of(ran: dict[str, Became]) -> set[Ref]:
    """The workflows that were judged in any of them."""
    return {_named(workflow, module) for module, one in ran.items() for workflow in one.workflows}


def _renamed(finding: Finding, module: str) -> Finding:
    related = tuple(Related(one.message, _moved(one.anchor, module)) for one in finding.related)
    return Finding(finding.fault, _moved(finding.anchor, module), related)


def _moved(anchor: Anchor, module: str) -> Anchor:
    return Anchor(_named(anchor.declaration, module), anchor.path)


def _named(ref: Ref, module: str) -> Ref:
    return Ref(module, ref.qualname) if ref.module == "__main__" else ref

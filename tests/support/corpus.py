"""The corpus: projects as engineers write them, each started and run by its own `main`."""

from pathlib import Path
from typing import Final

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

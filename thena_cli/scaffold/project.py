"""A new project: a package with an agent, a tool, a state and a workflow, and a test of it."""

from pathlib import Path
from typing import Final

from thena_cli.scaffold.files import NewFile, filled
from thena_cli.scaffold.names import ProjectName

_FILES: Final = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    ".gitignore": "gitignore",
    ".pre-commit-config.yaml": "pre-commit-config.yaml",
    "{package}/__init__.py": "package/__init__.py",
    "{package}/__main__.py": "package/__main__.py",
    "{package}/workflow.py": "package/workflow.py",
    "{package}/agents.py": "package/agents.py",
    "{package}/assistant.agent.md": "package/assistant.agent.md",
    "{package}/tools.py": "package/tools.py",
    "{package}/state.py": "package/state.py",
    "{package}/models.py": "package/models.py",
    "tests/test_workflow.py": "tests/test_workflow.py",
}
"""Each file of a project and the template that it is made of."""


def project_files(name: ProjectName, folder: Path) -> list[NewFile]:
    """Every file of a new project in a folder."""
    names = {"name": name.name, "package": name.package}
    return [
        NewFile(folder / path.format(package=name.package), filled(f"project/{template}.tmpl", names))
        for path, template in _FILES.items()
    ]

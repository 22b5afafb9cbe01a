"""A new part of a project, in a file of its own: an agent with its prompt, a tool, a workflow, a state, a provider."""

import ast
import os
from pathlib import Path
from typing import Final, Literal, TypeAlias, get_args

from thena_cli.scaffold.files import NewFile, filled
from thena_cli.scaffold.names import PartName

Kind: TypeAlias = Literal["agent", "tool", "workflow", "state", "provider"]

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

_NAMES_FROM_THENA: Final = {"agent": ["Agent"], "workflow": ["Agent", "Prompt", "Workflow", "loop"]}
_UNTIL: Final = {"agent": [], "workflow": ["until_answered"]}
_SKIPPED: Final = frozenset({"tests", "test", "examples", "docs", "build", "dist", "node_modules", "venv", "env"})


class PackageUnclearError(Exception):
    """Where a part belongs can't be told; the text says what to give."""


def part_files(kind: Kind, name: PartName, package: Path) -> list[NewFile]:
    """Every file of a new part in the folder of a package."""
    has_model = _has_model(package / "models.py")
    scripted = [] if has_model else ["ScriptedProvider"]
    from_thena = sorted([*_NAMES_FROM_THENA.get(kind, []), *scripted], key=lambda name: (name.islower(), name))
    names = {
        "name": name.name,
        "snake": name.snake,
        "provider": "model" if has_model else 'ScriptedProvider(["Put your model here."])',
        "import_model": f"from {dotted(package)}.models import model\n" if has_model else "",
        "names_from_thena": ", ".join([*from_thena, *_UNTIL.get(kind, [])]),
    }
    files = [NewFile(package / f"{name.snake}.py", filled(f"parts/{kind}.py.tmpl", names))]
    if kind == "agent":
        files.append(NewFile(package / f"{name.snake}.agent.md", filled("parts/agent.md.tmpl", names)))
    return files


def find_package(folder: Path) -> Path:
    """The package that stands in a folder, or in its `src`, or that the folder is.

    Raises:
        PackageUnclearError: if there is none, or more than one.
    """
    if _is_package(folder):
        return folder
    found = [
        place
        for parent in (folder, folder / "src")
        for place in _places(parent)
        if _is_package(place) and place.name not in _SKIPPED and not place.name.startswith(".")
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise PackageUnclearError(
            f"there is no package in `{folder}`. Go to a project, make one with `thena new my-app`, "
            "or say with `--into` where the file belongs."
        )
    names = ", ".join(f"`{place.relative_to(folder)}`" for place in found)
    raise PackageUnclearError(f"there are several packages here: {names}. Say with `--into` which one is meant.")


def _places(folder: Path) -> list[Path]:
    """What is in a folder; nothing, where that can't be read."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def dotted(package: Path) -> str:
    """The name by which a package is imported."""
    names = [package.name]
    parent = package.parent
    while _is_package(parent):
        names.insert(0, parent.name)
        parent = parent.parent
    return ".".join(names)


def _is_package(folder: Path) -> bool:
    # pathlib's own raises for a folder that can't be entered.
    return os.path.isfile(folder / "__init__.py")  # noqa: PTH113


def _has_model(file: Path) -> bool:
    """Whether a file defines a function `model`, as that of a new project does."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return False
    return any(isinstance(node, ast.FunctionDef) and node.name == "model" for node in tree.body)

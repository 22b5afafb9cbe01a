"""The editor extension's own papers: what it can be told, which version it is, what its lock file holds.

The extension itself is tried in a real editor by `scripts/vscode-test`; nothing here needs node.
"""

import json
import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

ROOT: Final = Path(__file__).parents[2]
EXTENSION: Final = ROOT / "editors" / "vscode"


# A manifest is JSON of any shape: `Any` is the wire.
def manifest(name: str = "package.json") -> Any:
    return json.loads((EXTENSION / name).read_text("utf-8"))


def test_settings_read_declared_and_documented_are_the_same() -> None:
    """Each setting that the code reads is declared with its meaning and stands in the README's table, and no other."""
    declared = manifest()["contributes"]["configuration"]["properties"]
    read = re.findall(r'section\.get\("([\w.]+)"', (EXTENSION / "src" / "settings.ts").read_text("utf-8"))
    documented = re.findall(r"^\| `(thena\.[\w.]+)` \|", (EXTENSION / "README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(declared) == sorted(f"thena.{name}" for name in read)
    assert sorted(declared) == sorted(documented)
    assert [name for name, setting in declared.items() if not setting.get("markdownDescription")] == []


def test_a_setting_that_names_a_program_is_restricted() -> None:
    """A workspace that isn't trusted can choose no program that the editor would start."""
    declared = manifest()["contributes"]["configuration"]["properties"]
    restricted = manifest()["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert sorted(declared) == sorted(restricted)


def test_commands_declared_registered_and_documented_are_the_same() -> None:
    """Each command of the palette does something and is explained in the README."""
    declared = manifest()["contributes"]["commands"]
    registered = re.findall(r'registerCommand\("([\w.]+)"', (EXTENSION / "src" / "extension.ts").read_text("utf-8"))
    documented = re.findall(r"^- \*\*(Thena: [\w ]+)\*\*", (EXTENSION / "README.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(command["command"] for command in declared) == sorted(registered)
    assert sorted(f"{command['category']}: {command['title']}" for command in declared) == sorted(documented)


def test_versions_agree() -> None:
    """The extension and the Python package are released together, under one number and one licence."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lock = manifest("package-lock.json")
    assert (project["version"], project["license"]) == (manifest()["version"], manifest()["license"])
    assert (project["version"], project["version"]) == (lock["version"], lock["packages"][""]["version"])
    assert (ROOT / "LICENSE").read_bytes() == (EXTENSION / "LICENSE").read_bytes()


def test_the_lock_file_names_no_place_to_load_from() -> None:
    """The lock file pins versions and checksums, and leaves it to each machine where the packages come from."""
    packages = manifest("package-lock.json")["packages"]
    assert [name for name, package in packages.items() if "resolved" in package] == []
    assert [name for name, package in packages.items() if name and "integrity" not in package] == []


@pytest.mark.parametrize("kind", ["dependencies", "optionalDependencies", "bundledDependencies"])
def test_nothing_is_installed_beside_the_bundle(kind: str) -> None:
    """All that runs is bundled into one file, so the package holds no folder of dependencies."""
    assert kind not in manifest()


def test_the_package_holds_what_is_allowed_and_nothing_else() -> None:
    """Files reach the package by being listed, never by being forgotten."""
    lines = (EXTENSION / ".vscodeignore").read_text("utf-8").splitlines()
    assert lines == ["**", "!dist/extension.js", "!package.json", "!README.md", "!LICENSE"]

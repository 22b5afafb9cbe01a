"""The environment: Python, Thena and its libraries, and which `thena` a shell finds."""

import platform
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final

from thena_cli.doctor.check import Check

_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_SCRIPTS: Final = ("thena", "thena-lint", "thena-lsp")
_WATCHES: Final = Path("/proc/sys/fs/inotify/max_user_watches")
_ENOUGH_WATCHES: Final = 8192


def look_at_environment(folder: Path) -> Iterator[Check]:
    """Look at what runs this command, seen from a project's folder."""
    yield Check(subject="python", health="good", fact=f"{platform.python_version()}, {sys.executable}")
    yield from _thena()
    yield _libraries()
    yield _scripts()
    yield from _other_environment(folder)
    yield from _watches()


def _thena() -> Iterator[Check]:
    place = Path(__file__).parents[2]
    try:
        yield Check(subject="thena", health="good", fact=f"{version('thena')}, {place}")
    except PackageNotFoundError:
        yield Check(
            subject="thena",
            health="bad",
            fact=f"it runs from {place} and isn't installed",
            repair=f"Install it: `{sys.executable} -m pip install -e {place}`.",
        )


def _libraries() -> Check:
    found, missing = [], []
    for requirement in _required():
        try:
            found.append(f"{requirement} {version(requirement)}")
        except PackageNotFoundError:
            missing.append(requirement)
    if missing:
        return Check(
            subject="libraries",
            health="bad",
            fact=f"missing: {', '.join(missing)}",
            repair=f"Install them: `{sys.executable} -m pip install {' '.join(missing)}`.",
        )
    return Check(subject="libraries", health="good", fact=", ".join(found))


def _required() -> list[str]:
    """The names of what Thena needs in every case."""
    try:
        told = requires("thena") or []
    except PackageNotFoundError:
        return []
    names = [_NAME.match(line) for line in told if "extra ==" not in line]
    return [name.group() for name in names if name is not None]


def _scripts() -> Check:
    """Whether a shell finds the commands of this very environment."""
    here = Path(sys.executable).parent
    found = {name: shutil.which(name) for name in _SCRIPTS}
    missing = [name for name, path in found.items() if path is None]
    others = [path for path in found.values() if path is not None and Path(path).parent.resolve() != here.resolve()]
    if missing:
        return Check(
            subject="commands",
            health="note",
            fact=f"not on PATH: {', '.join(missing)}",
            repair=f"Activate the environment, or add {here} to PATH: an editor and a hook look there.",
        )
    if others:
        return Check(
            subject="commands",
            health="bad",
            fact=f"a shell finds {others[0]}, which belongs to another environment than {sys.executable}",
            repair="Activate the environment that is meant, so that the linter, the editor and the runs are of one.",
        )
    return Check(subject="commands", health="good", fact=f"{', '.join(_SCRIPTS)} in {here}")


def _other_environment(folder: Path) -> Iterator[Check]:
    own = folder / ".venv" / "bin" / "python"
    if own.exists() and Path(sys.prefix).resolve() != (folder / ".venv").resolve():
        yield Check(
            subject="project",
            health="note",
            fact=f"it has an environment of its own, {folder / '.venv'}, and this is another one",
            repair="Run `.venv/bin/thena doctor`, or activate it, if the project's packages are there.",
        )


def _watches() -> Iterator[Check]:
    try:
        allowed = int(_WATCHES.read_text())
    except (OSError, ValueError):
        return  # another system, or one that doesn't tell
    if allowed < _ENOUGH_WATCHES:
        yield Check(
            subject="watching",
            health="note",
            fact=f"this system lets a user watch {allowed} folders, which a large project may need more of",
            repair="Raise it: `sudo sysctl fs.inotify.max_user_watches=65536`.",
        )

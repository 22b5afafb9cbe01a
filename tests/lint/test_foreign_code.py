"""Code of others, which has nothing to do with Thena: nothing is found in it."""

import hashlib
import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest

from thena_lint.analyze import diagnose
from thena_lint.index.project import ProjectIndex
from thena_lint.source.discover import discover

WANTED = 1000
SMALL = 4_000
"""How many bytes a file may have, so that a thousand are read in seconds."""


def installed() -> list[Path]:
    """A thousand small files of the installed packages, always the same ones, of many packages."""
    folder = Path(sysconfig.get_paths()["purelib"])
    small = [path for path in discover([folder]).files if 0 < path.stat().st_size <= SMALL]
    ours = ("thena_", "review")
    others = [path for path in small if not path.relative_to(folder).parts[0].startswith(ours)]
    return sorted(others, key=lambda path: hashlib.sha256(str(path.relative_to(folder)).encode()).hexdigest())[:WANTED]


def test_nothing_is_found_in_code_of_others() -> None:
    """A thousand files are read in full, though none mentions the framework; not one is told to be wrong."""
    files = installed()
    if len(files) < WANTED:
        pytest.skip(f"only {len(files)} small files are installed here, and a thousand are wanted")
    empty = ProjectIndex.load([])
    index = replace(empty, read={path: empty.file(path) for path in files})
    found = [one for diagnostics in diagnose(index).values() for one in diagnostics]

    assert WANTED == len(index.speaking)
    assert [] == [one for one in found if one.code < "THN9" or one.code == "THN906"]

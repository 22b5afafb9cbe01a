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


def installed_in() -> Path:
    """The folder of the installed packages."""
    return Path(sysconfig.get_paths()["purelib"])


def installed() -> list[Path]:
    """A thousand small files of the installed packages, always the same ones, of many packages."""
    folder = installed_in()
    small = [path for path in discover([folder]).files if 0 < path.stat().st_size <= SMALL]
    ours = ("thena_", "review")
    others = [path for path in small if not path.relative_to(folder).parts[0].startswith(ours)]
    return sorted(others, key=lambda path: hashlib.sha256(str(path.relative_to(folder)).encode()).hexdigest())[:WANTED]


def test_nothing_is_found_in_code_of_others(tmp_path: Path) -> None:
    """A thousand files are read in full, though none mentions the framework; not one is told to be wrong.

    They stand in a folder of their own, without the large neighbours to which their imports lead.
    """
    files = installed()
    if len(files) < WANTED:
        pytest.skip(f"only {len(files)} small files are installed here, and a thousand are wanted")
    copied = [tmp_path / path.relative_to(installed_in()) for path in files]
    for path, copy in zip(files, copied, strict=True):
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    empty = ProjectIndex.load([])
    index = replace(empty, read={path: empty.file(path) for path in copied})
    found = [one for diagnostics in diagnose(index).values() for one in diagnostics]

    assert WANTED == len(index.speaking)
    assert [] == [one for one in found if one.code < "THN9" or one.code == "THN906"]

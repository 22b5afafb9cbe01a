"""Which files are linted."""

import os
from pathlib import Path

import pytest

from thena_lint.source.discover import PathError, discover


def test_what_is_left_out(tmp_path: Path) -> None:
    """Hidden folders, caches, installed packages and virtual environments of any name are left out."""
    kept = ["a.py", "pkg/__init__.py", "pkg/deep/b.py", "venv_notes/c.py"]
    left_out = [
        ".venv/lib/x.py",
        ".hidden/x.py",
        "node_modules/x.py",
        "pkg/__pycache__/x.py",
        "lib/site-packages/x.py",
        "env/x.py",
        "notes.txt",
        "stub.pyi",
    ]
    for name in (*kept, *left_out, "env/pyvenv.cfg"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    assert [tmp_path / name for name in kept] == list(discover([tmp_path]).files)


def test_links_that_lead_in_circles_end(tmp_path: Path) -> None:
    """A linked folder isn't entered, and a link to nothing or to itself is no file."""
    (tmp_path / "a.py").touch()
    (tmp_path / "again").symlink_to(tmp_path)
    (tmp_path / "broken.py").symlink_to(tmp_path / "gone.py")
    (tmp_path / "circle.py").symlink_to(tmp_path / "circle.py")

    assert (tmp_path / "a.py",) == discover([tmp_path]).files


def test_a_file_is_named_once(tmp_path: Path) -> None:
    """A file that is given twice, alone and with its folder, is found once."""
    file = tmp_path / "a.py"
    file.touch()

    assert (file,) == discover([file, tmp_path, tmp_path / "." / "a.py"]).files


def test_a_path_that_is_not_there(tmp_path: Path) -> None:
    """A path that doesn't exist is an error that names it."""
    with pytest.raises(PathError) as error:
        discover([tmp_path / "gone"])

    assert f"`{tmp_path / 'gone'}` doesn't exist. Name a file or folder that does." == str(error.value)


def test_a_file_that_is_no_python(tmp_path: Path) -> None:
    """A file of another kind is an error, since nothing would be checked."""
    file = tmp_path / "writer.agent.md"
    file.touch()
    with pytest.raises(PathError) as error:
        discover([file])

    assert f"`{file}` is no Python file. Name a `.py` file or a folder." == str(error.value)


def test_pipes_are_not_opened(tmp_path: Path) -> None:
    """What isn't a regular file is left out of a folder, and refused where it is named."""
    os.mkfifo(tmp_path / "pipe.py")

    assert () == discover([tmp_path]).files
    with pytest.raises(PathError, match="is no regular file"):
        discover([tmp_path / "pipe.py"])


@pytest.mark.parametrize("name", ["a\0.py", "a" * 300 + ".py", "a.py/b.py"])
def test_a_path_that_can_not_be(tmp_path: Path, name: str) -> None:
    """A path that the system refuses is told like one that doesn't exist."""
    (tmp_path / "a.py").touch()
    with pytest.raises(PathError, match=r"can't be read|doesn't exist"):
        discover([tmp_path / name])

"""Any bytes can stand in a file: that never stops the linter, hides other files' faults, or makes up a fault."""

import json
import re
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings, target
from hypothesis import strategies as st

from tests.lint.test_projects import PROJECTS
from tests.support.odd_bytes import BESIDE, PIECES, check, real_files
from thena_lint.analyze import analyze, diagnose
from thena_lint.diagnostic import Diagnostic
from thena_lint.index.project import ProjectIndex
from thena_lint.source.discover import discover

FILES = real_files()
EXAMPLES = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@st.composite
def odd_bytes(draw: st.DrawFn) -> bytes:
    """A real file in which a few places were cut, doubled, flipped or filled."""
    data = draw(st.sampled_from(FILES))[: draw(st.integers(200, 4000))]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 40)))
        middle = data[start:end]
        match draw(st.sampled_from(["cut", "double", "flip", "fill"])):
            case "cut":
                middle = b""
            case "double":
                middle *= 2
            case "flip":
                middle = bytes(byte ^ draw(st.integers(1, 255)) for byte in middle[:4])
            case "fill":
                middle = draw(st.sampled_from(PIECES))
        data = data[:start] + middle + data[end:]
    return data


@given(odd_bytes())
@EXAMPLES
def test_bytes_of_a_module(data: bytes) -> None:
    """A module of any bytes is read as far as can be, and the file beside it is judged."""
    target(float(data.count(b"@")))
    with TemporaryDirectory() as folder:
        check(Path(folder), "odd.py", data)


@given(odd_bytes(), odd_bytes())
@EXAMPLES
def test_bytes_of_cells(one: bytes, other: bytes) -> None:
    """A notebook with cells of any text is read cell by cell."""
    cells = [{"cell_type": "code", "source": data.decode("utf-8", "surrogateescape")} for data in (one, other)]
    with TemporaryDirectory() as folder:
        check(Path(folder), "odd.ipynb", json.dumps({"nbformat": 4, "cells": cells}).encode())


@given(st.binary(max_size=200) | odd_bytes())
@EXAMPLES
def test_bytes_of_a_notebook(data: bytes) -> None:
    """A notebook that may be no JSON is no more than unreadable."""
    with TemporaryDirectory() as folder:
        check(Path(folder), "odd.ipynb", data)


@given(odd_bytes(), odd_bytes())
@EXAMPLES
def test_bytes_of_settings(ignored: bytes, settings_of_project: bytes) -> None:
    """What says which files to leave out may be anything: the rest of the project is checked unless it says not to."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / ".gitignore").write_bytes(b"".join(b"odd" + line for line in ignored.splitlines(keepends=True)))
        (folder / "pyproject.toml").write_bytes(b"[tool.thena.lint]\n" + settings_of_project)
        check(folder, "odd.py", b"")


def findings(index: ProjectIndex) -> set[tuple[str, str, str]]:
    """What rules find: code, file and text."""
    return {
        (one.code, Path(one.place.path).name, one.message)
        for found in diagnose(index).values()
        for one in found
        if one.code < "THN9"
    }


JUNK = ["x = = 1", "$", "    ) f(", "foo.("]


@given(st.sampled_from(PROJECTS), st.booleans(), st.data())
@EXAMPLES
def test_nothing_new_rests_on_a_broken_statement(project: Path, remember: bool, data: st.DataObject) -> None:
    """What can't be Python, on a line of its own or in the middle of one, may hide faults and makes up none.

    That holds for one look at the files, and where what was known before still counts, as in an editor.
    """
    index = ProjectIndex.load([project])
    path = data.draw(st.sampled_from(index.files))
    lines = path.read_text(encoding="utf-8").split("\n")
    number = data.draw(st.integers(0, len(lines) - 1))
    junk, line = data.draw(st.sampled_from(JUNK)), lines[number]
    words = [junk, line] if data.draw(st.booleans()) else [broken_in_the_middle(line, junk)]
    broken = "\n".join([*lines[:number], *words, *lines[number + 1 :]])

    assert set() == findings(index.with_text(path, broken, remember=remember)) - findings(index)


@pytest.mark.parametrize("remember", [False, True])
@pytest.mark.parametrize(
    ("project", "name", "line"),
    [
        ("states", "states.py", "class Registry:"),
        ("states", "states.py", "        cls.__init__ = lambda self: None"),
        ("states", "states.py", "patch(Patched)"),
        ("changed_in_place", "flow.py", 'setattr(Patched, "__init__", lambda self: None)'),
        ("changed_in_place", "flow.py", "    PatchedLater.__init__ = lambda self: None"),
        ("changed_in_place", "flow.py", "class Registry:"),
        ("added_to_lists", "flow.py", "judged = Thena(Judged)"),
    ],
)
def test_what_a_broken_statement_did_is_not_forgotten(project: str, name: str, line: str, remember: bool) -> None:
    """A base, a change and a moment that no longer parse aren't taken for none."""
    index = ProjectIndex.load([next(one for one in PROJECTS if one.name == project)])
    path = next(path for path in index.files if path.name == name)
    text = path.read_text(encoding="utf-8")
    assert line in text.split("\n")
    broken = text.replace(f"{line}\n", f"{broken_in_the_middle(line, '$')}\n", 1)

    assert set() == findings(index.with_text(path, broken, remember=remember)) - findings(index)


def broken_in_the_middle(line: str, junk: str) -> str:
    """A line with something behind its first word, or behind the name that it defines."""
    head = re.match(r"\s*(?:async )?(?:class |def |@)?[\w.]*", line)
    assert head is not None, "it matches anything"
    return f"{head[0]} {junk} {line[head.end() :]}"


@pytest.mark.parametrize(
    "line",
    [b"x = '" + b"a" * 1_000_000 + b"'", b"# " + b"a" * 1_000_000, b"x = [" + b"1," * 20_000 + b"]", b" " * 1_000_000],
    ids=["string", "comment", "list", "blanks"],
)
def test_an_endless_line(tmp_path: Path, line: bytes) -> None:
    """A file made of one endless line is read like any other, as a module and as a notebook."""
    check(tmp_path, "odd.py", b"# thena\n" + line + b"\n")
    cell = {"cell_type": "code", "source": "# thena\n" + line.decode()}
    check(tmp_path, "odd.ipynb", json.dumps({"nbformat": 4, "cells": [cell]}).encode())


def test_what_comes_and_goes(tmp_path: Path) -> None:
    """Files and folders that change and vanish while they are read are told or left out, and nothing is raised."""
    (tmp_path / "beside.py").write_bytes(BESIDE)
    is_over = threading.Event()

    def shuffle() -> None:
        inner = tmp_path / "inner"
        while not is_over.is_set():
            inner.mkdir()
            (inner / "odd.py").write_bytes(BESIDE * 3)
            (inner / ".gitignore").write_bytes(b"x\n")
            (inner / "odd.py").write_bytes(b"x = = 1\n# thena\n")
            for path in inner.iterdir():
                path.unlink()
            inner.rmdir()

    shuffling = threading.Thread(target=shuffle)
    shuffling.start()
    found: list[tuple[Diagnostic, ...]] = []
    try:
        found += (analyze([tmp_path]).diagnostics for _ in range(60))
    finally:
        is_over.set()
        shuffling.join()

    assert {"THN201"} == {one.code for run in found for one in run if Path(one.place.path).name == "beside.py"}
    assert [] == [one.message for run in found for one in run if one.code == "THN906"]


def test_a_file_that_is_gone_when_it_is_read(tmp_path: Path) -> None:
    """What was there when files were looked for and isn't when it is read is told as unreadable."""
    file = tmp_path / "odd.py"
    file.write_bytes(BESIDE)
    files = discover([tmp_path]).files
    file.unlink()
    index = ProjectIndex.load([]).with_files(files)

    assert ["THN905"] == [one.code for found in diagnose(index).values() for one in found]


def test_facts_and_places_are_of_one_text(tmp_path: Path) -> None:
    """A file that changes after it was read is shown as it was read."""
    file = tmp_path / "odd.py"
    file.write_bytes(b"\n\n" + BESIDE)
    index = ProjectIndex.load([tmp_path])
    file.write_bytes(b"x = 1\n")
    (found,) = next(iter(diagnose(index).values()))

    assert 7 == found.place.line

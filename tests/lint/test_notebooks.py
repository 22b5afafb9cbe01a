"""Notebooks: the code of their cells is checked like a module, and what is found is told by cell."""

import json
from pathlib import Path

import pytest

from tests.lint.test_cli import run
from thena_lint.analyze import analyze
from thena_lint.index.project import ProjectIndex
from thena_lint.source.notebook import decode_notebook
from thena_lint.source.text import SourceText, Unreadable

IMPORTS = "from thena_runtime import Agent, Prompt, ScriptedProvider, State, Workflow\n"
WRITER = """@Agent(provider=ScriptedProvider(["x"]), prompt=Prompt("x"))
class Writer:
    def __init__(self, s: State[int]) -> None:
        self.s = s
"""
HARMLESS = WRITER.replace("State[int]", "int = 1")
FLOW = """@Workflow(steps=[Writer])
class Flow:
    pass
"""
WITH_STATE = FLOW.replace("steps", "state=int, steps")


def notebook(*cells: str, **metadata: object) -> str:
    """A notebook with these code cells, and a text before the first."""
    texts = [{"cell_type": "markdown", "source": ["# A notebook\n"]}]
    codes = [{"cell_type": "code", "source": code.splitlines(keepends=True), "outputs": []} for code in cells]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": [*texts, *codes]})


def found_in(folder: Path, *cells: str) -> list[tuple[str, int | None, int]]:
    """What is found in a notebook with these cells: code, cell, line."""
    (folder / "nb.ipynb").write_text(notebook(*cells), encoding="utf-8")
    return [(one.code, one.place.cell, one.place.line) for one in analyze([folder]).diagnostics]


def test_a_fault_is_told_by_its_cell(tmp_path: Path) -> None:
    """Cells are counted as in an editor, texts included; lines are those of the cell, and the chain crosses cells."""
    (tmp_path / "nb.ipynb").write_text(notebook(IMPORTS + "\n", WRITER, FLOW), encoding="utf-8")
    done = run(tmp_path)

    expected = """\
nb.ipynb:cell 3:3:24: THN201 `Writer.__init__` parameter 0 `s` asks for the state, but workflow `Flow` declares none. \
Add `state=YourState` to `@Workflow` on `Flow`.
3 |     def __init__(self, s: State[int]) -> None:
  |                        ^^^^^^^^^^^^^
  = nb.ipynb:cell 4:1:18: agent `Writer` is a step here
  = nb.ipynb:cell 4:2:7: workflow `Flow` is declared here

Found 1 fault in 1 file.
"""
    assert (1, expected, "") == (done.returncode, done.stdout, done.stderr)


def test_rows_carry_the_cell(tmp_path: Path) -> None:
    """In JSON the cell stands beside the line; a file that has no cells has none."""
    (tmp_path / "nb.ipynb").write_text(notebook(IMPORTS, WRITER, FLOW), encoding="utf-8")
    (tmp_path / "no.py").write_text("x = = 1\n", encoding="utf-8")
    rows = json.loads(run(tmp_path, "nb.ipynb", "no.py", "--output-format", "json").stdout)

    assert [("nb.ipynb", 3, 3), ("no.py", None, 1)] == [(row["path"], row["cell"], row["line"]) for row in rows]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([IMPORTS, WRITER, FLOW], [("THN201", 3, 3)]),
        ([IMPORTS, WRITER, WITH_STATE], []),
        ([IMPORTS, WRITER, FLOW, HARMLESS, FLOW], []),
        ([IMPORTS, HARMLESS, FLOW, WRITER, FLOW], [("THN201", 5, 3)]),
        ([IMPORTS, WRITER, FLOW, WITH_STATE], []),
        ([IMPORTS, HARMLESS, WRITER, FLOW], [("THN201", 4, 3)]),
        ([IMPORTS, WRITER, "Alias = Writer\n", HARMLESS, FLOW], []),
        ([IMPORTS, FLOW, WRITER], []),
        ([IMPORTS, "Alias = Writer\n", WRITER, FLOW], []),
        ([IMPORTS, WRITER, "Writer = make()\n", FLOW], []),
        ([IMPORTS, IMPORTS + WRITER, IMPORTS + FLOW], [("THN201", 3, 4)]),
        ([IMPORTS, WRITER.replace("None:", "None:  # thena: ignore[THN201]"), FLOW], []),
    ],
    ids=[
        "a fault",
        "none",
        "the agent and the workflow are given again",
        "given again with a fault",
        "the workflow alone is given again",
        "the agent alone is given again",
        "used before it was given again",
        "used in an earlier cell",
        "mentioned in an earlier cell",
        "bound again to anything",
        "imports in every cell",
        "silenced",
    ],
)
def test_cells_run_in_order(tmp_path: Path, cells: list[str], expected: list[object]) -> None:
    """The last of several definitions counts, and what only another order can explain is left alone."""
    assert expected == found_in(tmp_path, *cells)


COMMANDS = {
    "lines": ("%matplotlib inline\n!pip install x \\\n  y\nx = !ls\nlen?\nlen??  # more\n?len\n", ""),
    "in a block": ("if True:\n    %time\n    !ls\n", ""),
    "a cell for another program": ("%%bash\nls -l | grep (\n", ""),
    "empty lines above": ("\n\n%%html\n<b>\n", ""),
    "a cell that runs in place": ("%%time\n", FLOW),
    "a cell that runs elsewhere": ("%%timeit\n" + FLOW, ""),
    "no commands": ("s = '''\n%s\n!x\nx?\n'''\ny = (1\n  % 2)\nz = 'a' \\\n  % ()\n", FLOW),
    "quotes of the other kind": ("s = \"'''\"\nt = '\\''  # it's\n%pwd\n", FLOW),
}
"""A cell with commands, and what follows in it."""


@pytest.mark.parametrize(("commands", "code"), COMMANDS.values(), ids=COMMANDS)
def test_commands_are_no_python(tmp_path: Path, commands: str, code: str) -> None:
    """What is for the notebook is passed over, and moves no line; what only looks like it is Python."""
    expected = [("THN201", 3, 3)] if code else []

    assert expected == found_in(tmp_path, IMPORTS, WRITER, commands + code)


def test_a_cell_that_does_not_parse_is_alone_with_it(tmp_path: Path) -> None:
    """A cell in which a bracket or a string is never closed is told, and the cells around it are checked."""
    cells = [IMPORTS, WRITER, "x = '''\n", "def broken(:\n", FLOW]

    assert [("THN201", 3, 3), ("THN901", 4, 1)] == found_in(tmp_path, *cells)


def test_what_a_broken_cell_defines_is_unknown(tmp_path: Path) -> None:
    """A definition that doesn't parse is not taken for the one in an earlier cell."""
    cells = [IMPORTS, WRITER, WRITER.replace(" = s", " = = s"), FLOW]

    assert [("THN901", 4, 4)] == found_in(tmp_path, *cells)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{", "it is no JSON: Expecting property name enclosed in double quotes (line 1)"),
        (b"\xff\xfe{}", "it is no UTF-8, as every notebook is"),
        (b"[" * 100_000, "it is JSON that is too deep or too long to be read"),
        (b'{"a": 1}', "it is JSON, but no notebook"),
        (b"[1]", "it is JSON, but no notebook"),
        (b'{"nbformat": 3, "worksheets": []}', "its format is older than notebook format 4"),
        (b'{"nbformat": 4}', "it is a notebook without a list of cells"),
    ],
)
def test_what_is_no_notebook(tmp_path: Path, data: bytes, reason: str) -> None:
    """A file that no notebook editor would open is told, with the reason and what to do."""
    (tmp_path / "nb.ipynb").write_bytes(data)
    (found,) = analyze([tmp_path]).diagnostics

    repair = "Open it in a notebook editor and save it again."
    assert ("THN905", f"This file can't be read: {reason}. {repair}") == (found.code, found.message)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        notebook("x <- thena", kernelspec={"language": "R"}).encode(),
        notebook("x := thena", language_info={"name": "go"}).encode(),
        b'{"nbformat": 4, "cells": [1, {}, {"cell_type": "code"}, {"cell_type": "code", "source": [2, "x = 1"]}]}',
    ],
    ids=["empty", "a newline", "R", "Go", "odd cells"],
)
def test_what_says_nothing(tmp_path: Path, data: bytes) -> None:
    """A notebook that was just made, one of another language and odd cells are no faults."""
    (tmp_path / "nb.ipynb").write_bytes(data)

    assert () == analyze([tmp_path]).diagnostics


def test_lines_end_as_they_are_written(tmp_path: Path) -> None:
    """A cell's lines may end in any way, and its last one needs no end."""
    path = tmp_path / "nb.ipynb"
    read = decode_notebook(path, notebook("%pwd\r\nx = 1\r!ls\ry = 2", "z = 3").encode())

    assert isinstance(read, SourceText)
    assert ("pass\r\nx = 1\rpass\ry = 2\nz = 3\n", [1, 5]) == (read.text, [cell.first for cell in read.cells])


def test_nobody_imports_a_notebook(tmp_path: Path) -> None:
    """A module of the same name isn't the notebook, and an import of one that is only a notebook is none."""
    (tmp_path / "writers.ipynb").write_text(notebook(IMPORTS + WRITER), encoding="utf-8")
    (tmp_path / "flow.py").write_text(IMPORTS + "from writers import Writer\n" + FLOW, encoding="utf-8")

    assert () == analyze([tmp_path]).diagnostics


def test_a_notebook_imports_modules(tmp_path: Path) -> None:
    """What a cell imports is followed, also from a module that has the notebook's own name."""
    (tmp_path / "nb.py").write_text(IMPORTS + WRITER, encoding="utf-8")
    found = found_in(tmp_path, IMPORTS, "from nb import Writer\n" + FLOW)

    assert [("THN201", None, 4)] == found


def test_only_the_command_reads_notebooks(tmp_path: Path) -> None:
    """What looks for modules, as an editor or a run does, finds no notebook among them."""
    (tmp_path / "nb.ipynb").write_text(notebook(IMPORTS, WRITER, FLOW), encoding="utf-8")

    assert () == ProjectIndex.load([tmp_path]).files
    assert isinstance(decode_notebook(tmp_path / "nb.ipynb", b"1"), Unreadable)

"""The hard forms of Python, each with the right answer, and the runtime itself as the oracle.

A form is a small project in one text, `tests/forms/NN-name.txt`. Its first line tells the answer: `E` where the fault
is to be found (the lines are marked), `S` where the program is proven fine, `U` where a reader of text can't know, so
that it must say nothing. The numbers are those of the list that the forms come from; 68 and 71 to 73 are of files and
comments rather than of Python, and have their own tests (`test_notebooks`, `test_odd_files`, `test_suppress`,
`test_discover`).
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

import pytest

from tests.support.warm import imported
from thena_contract.fault import Severity
from thena_lint.analyze import analyze, judge_all
from thena_lint.link.assemblies import link

FORMS: Final = Path(__file__).parents[1] / "forms"
KIT: Final = """\
from thena_runtime import Prompt, ScriptedProvider

model = ScriptedProvider(["ok"])
say = Prompt("Do it.")
"""
_HEAD: Final = re.compile(r"# answer: ([ESU])(?: from Python 3\.(\d+))?\n")
_FILE: Final = re.compile(r"^-- (\S+)\n", re.MULTILINE)
_MARK: Final = re.compile(r"# error: (THN\d{3})")


@dataclass(frozen=True, slots=True)
class Form:
    """One form: its answer, its files, and the oldest minor version of Python 3 that can run it."""

    answer: Literal["E", "S", "U"]
    files: dict[str, str]
    minor: int

    @property
    def marks(self) -> list[tuple[str, int, str]]:
        """The marked lines: file, line (from 1), code."""
        return sorted(
            (name, number, mark[1])
            for name, text in self.files.items()
            for number, line in enumerate(text.splitlines(), start=1)
            for mark in _MARK.finditer(line)
        )


def read_form(path: Path) -> Form:
    """Read a form."""
    text = path.read_text()
    head = _HEAD.match(text)
    assert head is not None, f"{path.name} doesn't begin with its answer"
    main, *rest = _FILE.split(text[head.end() :])
    files = {"kit.py": KIT, "flow.py": main, **dict(zip(rest[::2], rest[1::2], strict=True))}
    return Form(head[1], files, int(head[2] or 0))  # type: ignore[arg-type]


@pytest.mark.parametrize("path", sorted(FORMS.glob("*.txt")), ids=lambda path: path.stem)
def test_a_form_has_its_answer(tmp_path: Path, path: Path) -> None:
    """The linter finds what is marked and nothing else, and what it finds, and what it proves, is so at start-up."""
    form = read_form(path)
    for name, text in form.files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)

    analysis = analyze([tmp_path])

    told = [one for one in analysis.diagnostics if one.severity in (Severity.ERROR, Severity.WARNING)]
    assert form.marks == sorted(
        (str(Path(one.place.path).relative_to(tmp_path)), one.place.line, one.code) for one in told
    )
    if sys.version_info >= (3, form.minor):
        seen = imported(tmp_path, "flow")
        found = {finding for _, finding in judge_all(link(analysis.index))}
        if form.answer == "E":
            assert seen.findings == found
        else:
            assert not found
            assert form.answer == "U" or (seen.findings, seen.crash) == (frozenset(), None)

"""Which files of a project are reached from one of them."""

from pathlib import Path

import pytest

from thena_lint.index.project import ProjectIndex
from thena_lint.index.reach import reached_from

FILES = {
    "flow/__init__.py": "",
    "flow/main.py": "",
    "flow/deep/__init__.py": "",
    "flow/deep/one.py": "",
    "flow/deep/two.py": "from . import one",
    "flow/other.py": "",
    "common/__init__.py": "",
    "common/agents.py": "",
    "loose/agents.py": "",
    "words.py": "import words",
    "flow/broken.py": "import words\nfrom common import (\n  agents,\n",
}
ALWAYS = {"flow/main.py", "flow/__init__.py"}


@pytest.mark.parametrize(
    ("text", "reached"),
    [
        ("", set()),
        ("import words", {"words.py"}),
        ("import flow.deep.one as x", {"flow/deep/__init__.py", "flow/deep/one.py"}),
        ("from flow.deep import one", {"flow/deep/__init__.py", "flow/deep/one.py"}),
        ("from .deep import two", {"flow/deep/__init__.py", "flow/deep/two.py", "flow/deep/one.py"}),
        ("from . import other, words", {"flow/other.py"}),
        ("from common.agents import *", {"common/__init__.py", "common/agents.py"}),
        ("import loose.agents", {"loose/agents.py"}),
        ("def f():\n    import words", {"words.py"}),
        ("if False:\n    import words", {"words.py"}),
        ("import importlib\nimportlib.import_module('common.agents')", {"common/__init__.py", "common/agents.py"}),
        ("import os, json, nowhere", set()),
        ("from . import broken", {"flow/broken.py", "words.py", "common/__init__.py"}),
        ("from flow import main", set()),
    ],
)
def test_what_is_imported_is_reached(tmp_path: Path, text: str, reached: set[str]) -> None:
    """Every way to write an import counts, at any depth; what is no file of the project doesn't."""
    for name, source in {**FILES, "flow/main.py": text}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    index = ProjectIndex.load([tmp_path / "flow"])

    found = reached_from(index, tmp_path / "flow/main.py", tmp_path)

    assert ALWAYS | reached == {str(path.relative_to(tmp_path)) for path in found}


def test_a_text_in_an_editor_counts_before_the_file(tmp_path: Path) -> None:
    """An overlay is what the index is of."""
    for name in ("main.py", "other.py"):
        (tmp_path / name).write_text("", encoding="utf-8")
    index = ProjectIndex.load([tmp_path]).with_text(tmp_path / "main.py", "import other")

    found = reached_from(index, tmp_path / "main.py", tmp_path)

    assert {tmp_path / "main.py", tmp_path / "other.py"} == found

"""Files of a project that would leave a mark, hang or end the process, if a tool imported or ran any of them."""

from pathlib import Path
from typing import Final

_MARK: Final = "mark-of-{name}"
_LEAVES_ONE: Final = "import pathlib\npathlib.Path({path!r}).write_text('ran')\n"
_SHADOWS: Final = ("libcst", "pygls", "lsprotocol", "tomllib", "json", "unicodedata", "attr", "cattrs", "thena")
"""Names that a tool imports itself, or might."""


def write_marking_files(project: Path, marks: Path) -> None:
    """Write them into a project; whatever runs leaves a file in the folder `marks`."""
    marks.mkdir()
    texts = {
        "setup.py": "",
        "conftest.py": "",
        "sitecustomize.py": "",
        "usercustomize.py": "",
        "__main__.py": "",
        "ends.py": "import os, sys\nfrom thena_runtime import Agent\nsys.exit(3)\nos._exit(3)\n",
        "hangs.py": "from thena_runtime import Agent\nwhile True:\n    pass\n",
        "decorates.py": "from thena_runtime import Agent\ndef now():\n    raise SystemExit(4)\n@now()\nclass A: ...\n",
        **{f"{name}.py": "" for name in _SHADOWS},
    }
    for name, text in texts.items():
        (project / name).write_text(_leaving(marks, name) + text, encoding="utf-8")
    statement = _leaving(marks, "pth").replace("\n", ";").rstrip(";")
    (project / "project.pth").write_text(f"{statement}\n", encoding="utf-8")


def _leaving(marks: Path, name: str) -> str:
    return _LEAVES_ONE.format(path=str(marks / _MARK.format(name=name)))


def marks_in(marks: Path) -> list[str]:
    """What has run."""
    return sorted(path.name for path in marks.iterdir())

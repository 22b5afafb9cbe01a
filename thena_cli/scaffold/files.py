"""Files that are to be written: all of them, or none."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Final

from thena_contract.frozen import frozen

_TEMPLATES: Final = Path(__file__).parents[1] / "templates"


@frozen
class NewFile:
    """A file and its text."""

    path: Path
    text: str


class FileThereError(OSError):
    """A file that is to be written is there already."""

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(str(path))


def filled(template: str, names: Mapping[str, str]) -> str:
    """The text of a template with names filled in."""
    return Template((_TEMPLATES / template).read_text(encoding="utf-8")).substitute(names)


def write_all(files: Sequence[NewFile]) -> None:
    """Write every file and the folders that they need.

    Raises:
        FileThereError: if one of them is there; nothing is written then.
        OSError: if one can't be written. Then, and after Ctrl-C, what was written before is taken away again.
    """
    for file in files:
        if os.path.lexists(file.path):
            raise FileThereError(file.path)
    made: list[Path] = []
    try:
        for file in files:
            for folder in [*reversed(file.path.parents)]:
                if not folder.exists():
                    folder.mkdir()
                    made.append(folder)
            # "x" refuses a file that came meanwhile.
            with file.path.open("x", encoding="utf-8", newline="\n") as stream:
                made.append(file.path)
                stream.write(file.text)
    except BaseException:
        for path in reversed(made):
            path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
        raise

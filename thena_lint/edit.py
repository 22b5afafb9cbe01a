"""A repair as data: which characters of which files become others, and how certain it is that this is what is wanted.

Nothing here reads or writes a file.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from thena_contract.frozen import frozen


class Applicability(Enum):
    """Who may decide that a fix is applied.

    A `SAFE` one changes nothing that works: without it the program couldn't start or would fail there, or what it
    changes is no code. With an `UNSAFE` one a program that runs may do something else. A `CHOICE` is one of several
    answers, or brings a new question: only a person can choose.
    """

    SAFE = "safe"
    UNSAFE = "unsafe"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """The characters from `start` up to `end` of a file's text are to be others; offsets count code points from 0."""

    path: Path
    start: int
    end: int
    text: str

    def meets(self, other: "Edit") -> bool:
        """Say whether two edits touch, so that what both want can't be told from applying one after the other."""
        return self.path == other.path and self.start <= other.end and other.start <= self.end


@frozen
class FileCreation:
    """A file that isn't there is to be made, with its folder."""

    path: Path
    text: str


@frozen(kw_only=True)
class Fix:
    """One way to repair a fault: a title in the imperative, and everything that has to change for it."""

    title: str
    applicability: Applicability
    edits: tuple[Edit, ...] = ()
    created: tuple[FileCreation, ...] = ()

    @property
    def paths(self) -> frozenset[Path]:
        """The files that it changes, not those that it makes."""
        return frozenset(edit.path for edit in self.edits)

    @property
    def is_safe(self) -> bool:
        """Say whether it may be applied without asking anybody."""
        return self.applicability is Applicability.SAFE

    def is_inside(self, path: Path) -> bool:
        """Say whether this file is all that it changes or makes."""
        return self.paths == {path} and not self.created


@frozen(kw_only=True)
class Rewrite:
    """The text of a file before and after."""

    path: Path
    before: str
    after: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Apply the edits of one file, which don't meet, to its text."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text

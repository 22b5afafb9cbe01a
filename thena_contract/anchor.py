"""Where something stands: in a declaration (`Anchor`), or in a file (`Place`).

An anchor names a part of what the user wrote and never a line, so that a finding made from text and one made
from class objects can be equal, and so that adding a comment changes no finding.
"""

from dataclasses import dataclass

from thena_contract.frozen import frozen


@dataclass(frozen=True, slots=True, order=True)
class Ref:
    """The identity of a class or function: its dotted module and its qualified name (`Outer.Inner`)."""

    module: str
    qualname: str

    @property
    def name(self) -> str:
        """The last part of the qualified name: what texts call it."""
        return self.qualname.rpartition(".")[2]


@frozen
class Anchor:
    """A part of a declaration.

    `path` is empty for the declaration itself. Otherwise it begins with `"option"` and a decorator's option, then
    positions and keywords inside its value (`("option", "steps", 0, "until")`), or with `"method"`, a method's name
    and a parameter's (`("method", "execute", "s")`), or with `"app"`, which is the call that makes an app of the
    workflow, and an option of its config (`("app", "memory")`).
    """

    declaration: Ref
    path: tuple[str | int, ...] = ()

    def at(self, *parts: str | int) -> "Anchor":
        """The anchor of a part inside this one."""
        return Anchor(self.declaration, (*self.path, *parts))

    @property
    def label(self) -> str:
        """The path as a reader would write it: `steps[0].until`, `execute.s`."""
        text = ""
        for part in self.path[1:]:
            text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
        return text

    @property
    def sort_key(self) -> tuple[str, str, tuple[str, ...]]:
        """An order that is total whatever the parts are."""
        parts = tuple(f"{part:06}" if isinstance(part, int) else part for part in self.path)
        return (self.declaration.module, self.declaration.qualname, parts)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A range in a file. Lines and columns count from 1; columns count code points; the end is exclusive.

    In a notebook lines are those of a cell, and cells count from 1; any other file has no `cell`.
    """

    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    cell: int | None = None

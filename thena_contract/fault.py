"""What is wrong, as a value with a code; and the one rendering of its text.

A fault knows no file, no line, no colour and no reader. Its fields are only names that both readers can see, so
the same mistake gives equal values whether it was read from text or from class objects.
"""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import ClassVar

from thena_contract.anchor import Anchor


class Severity(StrEnum):
    """How bad a fault is. Errors stop an app from being made; warnings are told once."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The base of every fault. A subclass sets `code`, `name`, `text` and `hint`; its fields fill the holes."""

    code: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity] = Severity.ERROR
    text: ClassVar[str]
    hint: ClassVar[str]

    @property
    def message(self) -> str:
        """Subject, fact and repair, as one line without the code."""
        return f"{self.text} {self.hint}".format_map(asdict(self))

    def render(self) -> str:
        """The whole line, as an error shows it: `[thena] THN201 ...`."""
        return f"[thena] {self.code} {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonedFault(Fault):
    """A fault whose reason somebody else gives, in words that say what to do; the hint stands on its page alone."""

    reason: str

    @property
    def message(self) -> str:
        """Subject and reason, as they are."""
        return self.text.format_map(asdict(self))


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that explains a finding: a link of the chain from the workflow to the subject."""

    message: str
    anchor: Anchor


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault at an anchor, with the chain that leads to it."""

    fault: Fault
    anchor: Anchor
    related: tuple[Related, ...] = ()

    @property
    def sort_key(self) -> tuple[tuple[str, str, tuple[str, ...]], str, str]:
        """By place in the declarations, then by code, then by text."""
        return (self.anchor.sort_key, self.fault.code, self.fault.message)

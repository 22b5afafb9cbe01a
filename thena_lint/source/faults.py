"""The faults of a file as a file: it doesn't parse, or it can't be read."""

from dataclasses import dataclass
from typing import ClassVar, final

from thena_contract.fault import Fault


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxFault(Fault):
    """A file is no Python, so what it declares is unknown."""

    code: ClassVar[str] = "THN901"
    name: ClassVar[str] = "syntax-error"
    text: ClassVar[str] = "This file doesn't parse: {reason}."
    hint: ClassVar[str] = "Mend the syntax; until then nothing is known of what this file declares."

    reason: str


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FileUnreadable(Fault):
    """A file can't be read or decoded."""

    code: ClassVar[str] = "THN905"
    name: ClassVar[str] = "file-unreadable"
    text: ClassVar[str] = "This file can't be read: {reason}."
    hint: ClassVar[str] = "Save it as UTF-8, or name its encoding in a coding comment on its first line."

    reason: str

"""The faults of a file as a file: it doesn't parse, it can't be read, or the linter itself fails at it."""

from typing import ClassVar, final

from thena_contract.fault import Fault, Severity


@final
class SyntaxFault(Fault):
    """A file is no Python, so what it declares is unknown as far as the fault reaches."""

    code: ClassVar[str] = "THN901"
    name: ClassVar[str] = "syntax-error"
    text: ClassVar[str] = "This file doesn't parse: {reason}"
    hint: ClassVar[str] = "Mend the syntax; until then {lost}."

    reason: str
    lost: str


@final
class FileUnreadable(Fault):
    """A file can't be read or decoded."""

    code: ClassVar[str] = "THN905"
    name: ClassVar[str] = "file-unreadable"
    text: ClassVar[str] = "This file can't be read: {reason}."
    hint: ClassVar[str] = "{repair}"

    reason: str
    repair: str


@final
class LinterFailed(Fault):
    """The linter itself failed at a file or declaration; the others are judged all the same."""

    code: ClassVar[str] = "THN906"
    name: ClassVar[str] = "linter-failed"
    text: ClassVar[str] = "The linter itself failed at {subject}: {error}."
    hint: ClassVar[str] = (
        "This is a fault of thena-lint, so report it with this text; until then nothing is judged here."
    )

    subject: str
    error: str


@final
class TooDeeplyNested(Fault):
    """A statement is nested deeper than is read. It may be right, so this stops nobody."""

    code: ClassVar[str] = "THN907"
    name: ClassVar[str] = "nested-too-deeply"
    severity: ClassVar[Severity] = Severity.INFORMATION
    text: ClassVar[str] = "This statement is nested deeper than the linter reads ({limit} levels)."
    hint: ClassVar[str] = "Split it, or nothing is known of what it declares."

    limit: int

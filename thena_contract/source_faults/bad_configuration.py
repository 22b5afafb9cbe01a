"""THN904: a mistake in the settings."""

from dataclasses import dataclass
from typing import ClassVar, final

from thena_contract.fault import Fault


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BadConfiguration(Fault):
    """The linter's settings have a key that it doesn't know, or a value that it can't use."""

    code: ClassVar[str] = "THN904"
    name: ClassVar[str] = "bad-configuration"
    text: ClassVar[str] = "`{subject}` {fact}."
    hint: ClassVar[str] = "Write {instead}."

    subject: str
    fact: str
    instead: str

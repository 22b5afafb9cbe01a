"""THN904: a mistake in the settings."""

from typing import ClassVar, final

from thena_contract.fault import Fault


@final
class BadConfiguration(Fault):
    """The linter's settings have a key that it doesn't know, or a value that it can't use."""

    code: ClassVar[str] = "THN904"
    name: ClassVar[str] = "bad-configuration"
    text: ClassVar[str] = "`{subject}` {fact}."
    hint: ClassVar[str] = "Write {instead}."

    subject: str
    fact: str
    instead: str

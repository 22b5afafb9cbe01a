"""THN806: a secret in the conversation."""

from typing import ClassVar, final

from thena_contract.fault import Fault, Severity


@final
class SecretInMemory(Fault):
    """What looks like a secret is put where the model reads it."""

    code: ClassVar[str] = "THN806"
    name: ClassVar[str] = "secret-in-memory"
    severity: ClassVar[Severity] = Severity.WARNING
    text: ClassVar[str] = "`{subject}` puts `{secret}` into the conversation, where the model and its provider read it."
    hint: ClassVar[str] = "Pass it with `data=` of `app.run`, which never leaves the program."

    subject: str
    secret: str

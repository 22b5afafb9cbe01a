"""THN602: a field that the state doesn't have."""

from typing import ClassVar, final

from thena_contract.fault import Fault


@final
class UnknownStateField(Fault):
    """A field of the workflow's state is used that its class doesn't have."""

    code: ClassVar[str] = "THN602"
    name: ClassVar[str] = "unknown-state-field"
    text: ClassVar[str] = "`{subject}` uses `{field}`, which state class `{state}` doesn't have."
    hint: ClassVar[str] = "Declare `{field}` in `{state}`{instead}."

    subject: str
    field: str
    state: str
    instead: str

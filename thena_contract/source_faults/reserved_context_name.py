"""THN805: a name of the context that the runtime owns."""

from typing import ClassVar, final

from thena_contract.fault import Fault


@final
class ReservedContextName(Fault):
    """A name of the context is set that the runtime owns."""

    code: ClassVar[str] = "THN805"
    name: ClassVar[str] = "reserved-context-name"
    text: ClassVar[str] = "`{subject}` sets `ctx.{field}`, which belongs to the runtime."
    hint: ClassVar[str] = "Use another name."

    subject: str
    field: str

"""THN804: a bucket that the conversation doesn't have."""

from typing import ClassVar, final

from thena_contract.fault import Fault


@final
class UnknownBucket(Fault):
    """The conversation is asked for a bucket that it doesn't have."""

    code: ClassVar[str] = "THN804"
    name: ClassVar[str] = "unknown-bucket"
    text: ClassVar[str] = "`{subject}` uses `{bucket}` of `ctx.state`, which has only `history`, `memory` and `tasks`."
    hint: ClassVar[str] = "Use one of these, and keep what the model needn't read on `ctx` or in the workflow's state."

    subject: str
    bucket: str

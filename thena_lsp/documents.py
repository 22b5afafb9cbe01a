"""A text that a client has open."""

from thena_contract.frozen import frozen
from thena_lsp.convert import TextLines


@frozen(kw_only=True)
class Document:
    """A text and its version. `uri` is the client's spelling, which it must get back."""

    uri: str
    version: int | None
    lines: TextLines

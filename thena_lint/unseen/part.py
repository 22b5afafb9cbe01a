"""A part of what is declared that couldn't be seen."""

from thena_contract.anchor import Place
from thena_contract.frozen import frozen


@frozen(kw_only=True)
class Unseen:
    """One part that couldn't be seen. `kind` is what statistics count it as; `reason` is a sentence without its end."""

    kind: str
    what: str
    reason: str
    place: Place

    @property
    def sort_key(self) -> tuple[str, int, int, int, str, str]:
        """By place, then by text."""
        return (self.place.path, self.place.cell or 0, self.place.line, self.place.column, self.what, self.reason)

"""One thing that was looked at, and what was found."""

from typing import Literal

from thena_contract.frozen import frozen

Health = Literal["good", "note", "bad"]


@frozen(kw_only=True)
class Check:
    """A fact about a subject. `repair` is an order, where something is to be done; a note needs nothing to be done."""

    subject: str
    health: Health
    fact: str
    repair: str | None = None

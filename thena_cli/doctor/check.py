"""One thing that was looked at, and what was found."""

from dataclasses import dataclass
from typing import Literal

Health = Literal["good", "note", "bad"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A fact about a subject. `repair` is an order, where something is to be done; a note needs nothing to be done."""

    subject: str
    health: Health
    fact: str
    repair: str | None = None

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Urgency(Enum):
    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"


@dataclass
class TicketState:
    customer: str = ""
    urgency: Urgency = Urgency.NORMAL
    facts: list[str] = field(default_factory=list)
    escalated: bool = False

    def add_fact(self, fact: str) -> None:
        if fact not in self.facts:
            self.facts.append(fact)

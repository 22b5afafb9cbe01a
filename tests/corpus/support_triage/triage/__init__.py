"""First-line triage of support tickets."""

from .app import app
from .state import TicketState

__all__ = ["TicketState", "app"]

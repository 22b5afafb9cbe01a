from __future__ import annotations

from thena_runtime import Context, State, Tool, ToolOutput

from .state import TicketState, Urgency

CUSTOMERS = {"acme": {"plan": "enterprise", "seats": 120}, "initech": {"plan": "free", "seats": 3}}


@Tool(name="lookup_customer", description="Look up plan and seats of the customer who wrote the ticket.")
class LookupCustomer:
    async def execute(self, name: str, s: State[TicketState]) -> dict[str, object] | ToolOutput:
        found = CUSTOMERS.get(name.lower())
        if found is None:
            return ToolOutput(f"no customer called {name}", is_error=True)
        s.customer = name
        s.add_fact(f"plan: {found['plan']}")
        return found


@Tool(name="set_urgency", description="Set the urgency of the ticket: low, normal or high.")
class SetUrgency:
    def execute(self, urgency: Urgency, s: State[TicketState], ctx: Context) -> str:
        s.urgency = urgency
        ctx.meta(urgency=urgency.value)
        return f"urgency is now {urgency.value}"


@Tool(name="escalate", description="Hand the ticket over to a human.", repeatable=True)
class Escalate:
    def execute(self, reason: str, *, s: State[TicketState]) -> str:
        """Hand over.

        Args:
            reason: Why a human must look at it.
        """
        s.escalated = True
        s.add_fact(f"escalated: {reason}")
        return "a human was called"

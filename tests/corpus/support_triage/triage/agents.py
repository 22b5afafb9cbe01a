from thena_runtime import Agent, Context, ScriptedProvider, State, tool_call

from .state import TicketState, Urgency
from .tools import Escalate, LookupCustomer, SetUrgency

classifier_model = ScriptedProvider(
    [
        tool_call("lookup_customer", name="Acme"),
        tool_call("set_urgency", urgency="high"),
        "The production cluster of an enterprise customer is down.",
    ]
)
responder_model = ScriptedProvider([tool_call("escalate", reason="outage"), "Dear Acme, a colleague is on it."])


@Agent(provider=classifier_model, prompt="prompts/classifier.md", tools=[LookupCustomer, SetUrgency])
class Classifier:
    """Finds out who writes and how urgent it is."""

    def __init__(self, state: State[TicketState]) -> None:
        self._state = state

    def before_prompt(self, prompt: str) -> str:
        return prompt.replace("{levels}", ", ".join(level.value for level in Urgency))

    def after_response(self, response: str, ctx: Context) -> None:
        self._state.add_fact(response)


@Agent(provider=responder_model, prompt="prompts/responder.md", tools=[Escalate])
class Responder:
    def __init__(self, *, state: State[TicketState]) -> None:
        self._state = state

    async def before_prompt(self, prompt: str, ctx: Context) -> None:
        ctx.state.set("memory", self._state.facts)

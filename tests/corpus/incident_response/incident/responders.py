from incident.base import Responder, ToolUsingResponder
from thena_runtime import Agent, Prompt, ScriptedProvider, Tool


@Tool(name="metrics", description="Error rate of a service.")
class Metrics:
    def execute(self, service: str, window: int = 5) -> float:
        return 0.31 if service == "checkout" else 0.0


@Agent(provider=ScriptedProvider(["31 % of the requests fail."]), prompt=Prompt("You read dashboards."), tools=[Metrics])
class Observer(ToolUsingResponder):
    tool = "metrics"
    role = "observer"


@Agent(provider=ScriptedProvider(["Roll back."]), prompt=Prompt("You command."))
class Commander(Responder):
    role = "commander"

    def question(self, input: str) -> str:
        notes = "\n".join(f"{who}: {what}" for who, what in self.incident.timeline)
        return f"{input}\n\n{notes}"

"""What every responder has: the incident, and a way to ask its model alone."""

from abc import ABC, abstractmethod

from incident.state import Incident
from thena_runtime import Context, Message, State


class Responder(ABC):
    def __init__(self, incident: State[Incident]) -> None:
        self.incident = incident

    @property
    @abstractmethod
    def role(self) -> str:
        """What this responder is called."""

    async def run(self, input: str, ctx: Context) -> str:
        question = self.question(input)
        completion = await ctx.chat([Message("system", ctx.prompt), Message("user", question)])
        self.incident.note(self.role, completion.content)
        return completion.content

    def question(self, input: str) -> str:
        return input


class ToolUsingResponder(Responder):
    tool: str

    async def run(self, input: str, ctx: Context) -> str:
        output = await ctx.call_tool(self.tool, {"service": self.incident.service})
        if output.is_error:
            self.incident.note(self.role, f"blind: {output.content}")
        return await super().run(f"{input}\n{output.content}", ctx)

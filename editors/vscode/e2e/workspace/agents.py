"""An agent that counts its rounds in the workflow's state."""

from state import ReviewState

from thena_runtime import Agent, ScriptedProvider, State


@Agent(provider=ScriptedProvider(["APPROVED"]), prompt="./reviewer.agent.md")
class Reviewer:
    def __init__(self, s: State[ReviewState]) -> None:
        self.s = s

    async def after_response(self, response: str) -> None:
        self.s.rounds += 1
        self.s.approved = "APPROVED" in response

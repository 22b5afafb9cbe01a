from ..core import Brief, model
from ..toolbox.web import Fetch, search
from thena_runtime import Agent, State, tool_call


@Agent(
    provider=model(
        "researcher",
        tool_call("search", query="bees"),
        tool_call("fetch", url="https://example.org/bees"),
        "Enough is known.",
    ),
    prompt="../prompts/researcher.txt",
    tools=[search, Fetch],
)
class Researcher:
    brief: Brief

    def __init__(self, brief: State[Brief]) -> None:
        self.brief = brief

    def after_response(self, response: str) -> str | None:
        if not self.brief.sources:
            return "Nothing was found."
        return None

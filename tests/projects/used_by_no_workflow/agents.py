from abc import ABC

from thena_runtime import Agent, Context, ScriptedProvider, State, Tool


@Tool(name="note", description="Nobody says yet which state there is.")
class Note:
    def __init__(self, ctx: Context) -> None:  # error: THN202
        self.ctx = ctx

    async def execute(self, s: State[dict]) -> str:
        return ""


@Tool(name="lookup", description="Each kind of look-up says how.")
class Lookup:
    pass


@Tool(name="wiki", description="Look it up in the wiki.")
class Wiki(Lookup):
    async def execute(self, text: str) -> str:
        return text


@Tool(name="abstract", description="Is written to be derived from.")
class Abstract(ABC):
    pass


@Tool(name="forgotten", description="Does nothing.")
class Forgotten(Lookup):  # error: THN103
    pass


@Agent(
    provider=ScriptedProvider(["done"]),
    prompt="missing.agent.md",  # error: THN105
    tools=[Note],
)
class Worker:
    def __init__(self, s: State[dict], ctx: Context) -> None:  # error: THN202
        self.s = s

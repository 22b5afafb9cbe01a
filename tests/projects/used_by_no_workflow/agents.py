from thena_runtime import Agent, Context, ScriptedProvider, State, Tool


@Tool(name="note", description="Nobody says yet which state there is.")
class Note:
    def __init__(self, ctx: Context) -> None:  # error: THN202
        self.ctx = ctx

    async def execute(self, s: State[dict]) -> str:
        return ""


@Agent(
    provider=ScriptedProvider(["done"]),
    prompt="missing.agent.md",  # error: THN105
    tools=[Note],
)
class Worker:
    def __init__(self, s: State[dict], ctx: Context) -> None:  # error: THN202
        self.s = s

from thena_runtime import Agent, Prompt, ScriptedProvider, State, Tool, Workflow, loop


@Tool(name="one", description="On the finding's line.")
class One:
    async def execute(self, s: State[dict]) -> str:  # thena: ignore[THN201]
        return "# thena: ignore"


@Tool(name="two", description="On the first line of the logical line, for all codes.")
class Two:
    async def execute(  # thena: ignore
        self,
        s: State[dict],
    ) -> str:
        return ""


@Tool(name="three", description="Another code, a string, a line of its own.")
class Three:
    # thena: ignore[THN201]
    async def execute(self, s: State[dict], text: str = "# thena: ignore") -> str:  # thena: ignore[THN202] error: THN201
        return ""


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."), tools=[One, Two, Three])
class Worker:
    pass


@Workflow(  # thena: ignore[THN101, THN301]
    steps=[
        Worker,
        "text",
        loop([Worker], until=lambda ctx, s: True),
        loop([Worker], until=lambda: True),  # error: THN302
    ]
)
class Flow:
    pass

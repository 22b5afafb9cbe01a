from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Thena, Tool, Workflow, loop, until_answered


class Draft:
    approved = False


@Tool(name="note", description="Take a note.")
class Note:
    async def execute(self, text: str, ctx: Context, s: State[Draft] | None = None) -> str:
        return text


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."), tools=[Note])
class Worker:
    def __init__(self, s: State[Draft] | None = None) -> None:
        self.s = s


@Workflow(steps=[Worker, loop([Worker], until=until_answered), loop([Worker], until=lambda ctx: True)])
class Flow:
    pass


app = Thena(Flow)

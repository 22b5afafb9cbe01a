from frame import Agent, Flow, Instrument, Prompt, ScriptedProvider, State


class Draft:
    approved = False


@Instrument(name="note", description="Take a note.")
class Note:
    async def execute(self, text: str, s: State[Draft]) -> str:  # error: THN201
        return text


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."), tools=[Note])
class Worker:
    pass


@Flow(steps=[Worker])
class Steps:
    pass

from thena_runtime import Agent, Prompt, ScriptedProvider, Thena, Workflow
from notes import Five, Four, One, Three, Two


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."), tools=[One, Two, Three, Four, Five])
class Worker:
    pass


@Workflow(steps=[Worker])
class Flow:
    pass


app = Thena(Flow)

from broken import Broken, Draft
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Workflow, loop


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."))
class Worker:
    def __init__(self, s: State[Draft]) -> None:  # error: THN201
        self.s = s


@Workflow(steps=[Broken, Worker])
class Flow:
    pass


@Workflow(state=Draft, steps=[Worker, loop([Worker], until=lambda ctx, s: s.done)])
class Stateful:
    pass

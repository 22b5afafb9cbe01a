from somewhere import more
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Workflow, loop


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Certainly a step."))
class Worker:
    def __init__(self, s: State[dict]) -> None:  # error: THN201
        self.s = s


@Workflow(
    steps=[
        *more(),
        Worker,
        "the position of this one can't be told",
        loop([Worker], until=lambda ctx, s: True),
    ]
)
class Flow:
    pass

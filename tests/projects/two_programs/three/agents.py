# The same names as in `one`, some lines further down.
from thena_runtime import Agent, Prompt, ScriptedProvider, State


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."))
class Worker:
    def __init__(self, s: State[dict]) -> None:  # error: THN201
        self.s = s

from thena_runtime import Agent, Prompt, ScriptedProvider, State


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."))
class Broken:
    def __init__(self, s: State[dict] -> None:  # error: THN901
        self.s = s

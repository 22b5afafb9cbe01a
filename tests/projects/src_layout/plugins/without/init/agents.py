from thena_runtime import Agent, Prompt, ScriptedProvider, State

from .state import Own


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("In a package without `__init__`."))
class Lonely:
    def __init__(self, s: State[Own]) -> None:  # error: THN201
        self.s = s

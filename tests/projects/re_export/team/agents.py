from thena_runtime import Agent, Prompt, ScriptedProvider, State

from .state import Draft


@Agent(provider=ScriptedProvider(["fine"]), prompt=Prompt("Write."))
class Writer:
    def __init__(self, s: State[Draft]) -> None:  # error: THN201
        self.s = s


@Agent(provider=ScriptedProvider(["fine"]), prompt=Prompt("Read."))
class Reader:
    pass

from thena_runtime import Agent, Prompt, ScriptedProvider, State


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Asks for the state."))
class A:
    def __init__(self, s: State[dict]) -> None:  # error: THN201
        self.s = s


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Asks for the state, like the other."))
class Both:
    def __init__(self, s: State[dict]) -> None:  # error: THN201
        self.s = s

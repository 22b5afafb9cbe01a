from thena_runtime import Agent, Prompt, ScriptedProvider, State


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Takes the state if there is one."))
class A:
    def __init__(self, s: State[dict] | None = None) -> None:
        self.s = s


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Asks for the state, like the other."))
class Both:
    def __init__(self, s: State[dict]) -> None:  # error: THN201
        self.s = s

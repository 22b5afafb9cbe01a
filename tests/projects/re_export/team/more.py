from thena_runtime import Agent, Prompt, ScriptedProvider, State

from .agents import Reader
from .state import Draft

__all__ = ["Critic", "Reader"]


@Agent(provider=ScriptedProvider(["fine"]), prompt=Prompt("Criticise."))
class Critic:
    def __init__(self, s: State[Draft]) -> None:  # error: THN201
        self.s = s


@Agent(provider=ScriptedProvider(["fine"]), prompt=Prompt("Not exported."))
class Hidden:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s

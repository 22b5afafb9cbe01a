"""An agent that no workflow here uses: what one would make of it isn't known."""

from thena_runtime import Agent, Prompt, ScriptedProvider, State


class Draft:
    approved = False


@Agent(provider=ScriptedProvider(["fine"]), prompt=Prompt("Review."))
class Loose:
    def __init__(self, s: State[Draft]) -> None:  # thena: ignore[THN201]
        self.s = s  # thena: ignore[THN2011]  # error: THN903

"""Of methods of one name the last one counts, and so it does for a name that another file reads."""

from typing import overload

import rules
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Thena, Workflow, loop


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Its first constructor is for type checkers."))
class Overloaded:
    @overload
    def __init__(self) -> None: ...

    @overload
    def __init__(self, s: int) -> None: ...

    def __init__(self, s: State[dict]) -> None:  # error: THN201
        self.s = s


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Its first constructor is gone."))
class Again:
    def __init__(self, s: State[dict]) -> None:
        self.s = s

    def __init__(self) -> None:
        pass


@Workflow(steps=[Overloaded, loop([Again], until=rules.two)])  # error: THN301
class Flow:
    pass


app = Thena(Flow)

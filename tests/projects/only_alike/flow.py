from typing import Annotated

import lookalikes
from lookalikes import Context, Mine, State, loop
from thena_runtime import Agent, Prompt, ScriptedProvider, Workflow


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."))
class Worker:
    def __init__(
        self,
        a: State[int] = None,
        b: Context = None,
        c: Mine = 1,
        d: Annotated[int, lookalikes.state()] = 1,
    ) -> None:
        self.a = a


@Workflow(steps=[Worker, loop([Worker], until=lambda ctx, s: True)])
class Flow:
    pass

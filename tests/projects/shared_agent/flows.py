from thena_runtime import Agent, Prompt, ScriptedProvider, State, Workflow


class Draft:
    approved = False


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."))
class Worker:
    def __init__(self, s: State[Draft]) -> None:  # error: THN201, THN201
        self.s = s


@Workflow(state=Draft, steps=[Worker])
class Stateful:
    pass


@Workflow(steps=[Worker])
class First:
    pass


@Workflow(steps=[Worker, Stateful], state=None)
class Second:
    pass

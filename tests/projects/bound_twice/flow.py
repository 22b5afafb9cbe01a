"""A name stands for what it was bound to where it is read, not for what it is bound to at the end."""

from agents import Given, one
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Thena, Tool, Workflow, loop


class Draft:
    approved = False


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Asks for nothing."))
class Worker:
    pass


def done(ctx) -> bool:
    return True


STEP = Worker
STATE = Draft
STEPS = [Worker]


@Tool(name="note", description="Take a note.")
class Note:
    def execute(self) -> str:
        return ""


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Has tools."), tools=[Note])
class Noter:
    pass


@Workflow(
    steps=[
        loop([Worker], until=done),
        loop([Worker], until=one),
        STEP,
        *STEPS,
        Noter,
        Given,
    ]
)
class First:
    pass


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Asks for the state."))
class Given:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s


@Workflow(state=STATE, steps=[Given])
class Asking:
    pass


def done(ctx, s) -> bool:
    return True


def one(ctx, s) -> bool:
    return True


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Asks for the state."))
class Worker:
    def __init__(self, s: State[Draft]) -> None:
        self.s = s


@Tool(name="note", description="Take a note in the state.")
class Note:
    def execute(self, s: State[Draft]) -> str:
        return ""


@Workflow(state=STATE, steps=[loop([Worker], until=done)])
class Second:
    pass


apps = [Thena(First), Thena(Asking), Thena(Second)]

STEP = 3
STATE = None
STEPS = ["nothing"]

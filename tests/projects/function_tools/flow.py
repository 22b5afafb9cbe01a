from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Thena, Tool, Workflow


class Draft:
    approved = False


def note(text: str, s: State[Draft]) -> str:  # error: THN201
    """Take a note."""
    return text


@Tool(name="clock", description="Tell the time.")
class Clock:
    def __init__(self, ctx: Context = None) -> None:
        self.ctx = ctx

    def execute(self, s: State[Draft]) -> str:  # error: THN201
        return ""


CLOCK = Clock()


@Tool(name="alarm", description="Ring.")
class Alarm:
    def __init__(self, ctx: Context = None) -> None:  # error: THN202
        self.ctx = ctx

    def execute(self) -> str:
        return ""


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."), tools=(note, CLOCK, Alarm, Alarm()))  # error: THN108
class Worker:
    pass


@Workflow(steps=[Worker])
class Flow:
    pass


app = Thena(Flow)

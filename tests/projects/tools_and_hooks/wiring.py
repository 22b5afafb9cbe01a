from dataclasses import dataclass
from typing import Literal, Optional

from bases import Checked, Draft, Fields, Lines, Logged, Remembering, Starting
from thena_runtime import (
    Agent,
    Context,
    Input,
    Prompt,
    ScriptedProvider,
    State,
    Tool,
    Workflow,
    WorkflowRuntime,
    context,
)

MODEL = ScriptedProvider(["done"])
NOTHING = None


class Store:
    pass


@dataclass
class Range:
    first: int
    last: Optional[int] = None


@dataclass
class Held:
    store: Store


@Tool(name="lines", description="Inherited, and a generator.")
class ReadLines(Lines):
    pass


@Tool(name="start", description="Two places of a tool.")
class Start(Starting):
    async def execute(
        self,
        how: Literal["now", "later"],
        where: dict[str, list[int]],
        what: Range,
        whole: Store | None = NOTHING,  # error: THN403
        inner: Held = None,  # error: THN403
        s: State[Draft] = None,
        runtime: WorkflowRuntime = None,  # error: THN206
    ) -> str:
        return ""


@Tool(name="range", description="A model, and none.")
class Ranged:
    async def execute(self, given: Input[Range], ctx: Context) -> str:
        return ""


@Tool(name="store", description="A class that is no model.")
class Stored:
    def execute(self, given: "Input[Store]") -> str:  # error: THN401
        return ""


@Tool(name="told", description="Tells the model itself.", schema=Range)
class Told:
    async def execute(self, first, last) -> str:
        return ""


@Agent(provider=MODEL, prompt=Prompt("Write."), tools=[ReadLines, Start, Ranged, Stored, Told])
class Writer(Checked):
    before_prompt = None

    async def after_tool(self, result: str, ctx: Context = context) -> None:  # error: THN206
        pass


@Agent(provider=MODEL, prompt=Prompt("Edit."))
class Editor(Remembering, Logged):
    def remember(self, text: str, s: Draft) -> None:
        pass

    async def after_response(self) -> str:
        def parts():
            yield "fine"

        return "".join(parts())


@Agent(provider=MODEL, prompt=Prompt("Read."))
class Reader(Fields):
    async def run(self, input: str, ctx: Context) -> str:
        return ""


@Agent(provider=MODEL, prompt=Prompt("Read."))
class Listed:
    def __init__(self, states: list[State[Draft]] = ()) -> None:  # error: THN206
        self.states = states


@Workflow(state=Draft, steps=[Writer, Editor, Reader, Listed])
class Flow:
    limit: int = 3

    def __init__(self) -> None:
        self.made = True

    def helper(self) -> None:
        pass

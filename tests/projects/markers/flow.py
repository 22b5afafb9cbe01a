from typing import Annotated, Generic, TypeVar, Union

from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Thena, Tool, Workflow, context, input, state

T = TypeVar("T")


class Draft(Generic[T]):
    approved = False


Mine = Annotated[T, "documented", state]


@Tool(name="called", description="A marker that is called.")
class Called:
    async def execute(self, s: Annotated[Draft[int], state()]) -> str:  # error: THN201
        return ""


@Tool(name="bare", description="A marker that isn't called, beside other metadata.")
class Bare:
    async def execute(self, s: Annotated[Draft[int], "words", state, 3]) -> str:  # error: THN201
        return ""


@Tool(name="nested", description="A marker inside another Annotated.")
class Nested:
    async def execute(self, s: Annotated[Annotated[Draft[int], state()], "outer"]) -> str:  # error: THN201
        return ""


@Tool(name="generic", description="A generic alias of one's own.")
class Generic_:
    async def execute(self, s: Mine[Draft[int]]) -> str:  # error: THN201
        return ""


@Tool(name="union", description="The old way to say optional.")
class Union_:
    async def execute(self, s: Union[State[Draft[int]], None]) -> str:  # error: THN201
        return ""


@Tool(name="wide", description="A marker in a wider union asks for nothing.")
class Wide:
    async def execute(self, s: State[Draft[int]] | int | None) -> str:  # error: THN206
        return ""


@Tool(name="keyword", description="A keyword-only parameter.")
class Keyword:
    async def execute(self, text: str, *, s: State[Draft[int]]) -> str:  # error: THN201
        return ""


@Tool(name="unmarked", description="The state's class without a marker is an argument.")
class Unmarked:
    async def execute(self, text: str, numbers: list[int], ctx: Annotated[Context, context()]) -> str:
        return ""


@Agent(
    provider=ScriptedProvider(["done"]),
    prompt=Prompt("Work."),
    tools=[Called, Bare, Nested, Generic_, Union_, Wide, Keyword, Unmarked],
)
class Worker:
    def __init__(self, s: State[Draft[int]] | None = None) -> None:
        self.s = s


@Workflow(steps=[Worker])
class Flow:
    pass


app = Thena(Flow)

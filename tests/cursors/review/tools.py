from dataclasses import dataclass
from typing import Annotated

from state import ReviewState
from thena_runtime import Context, Input, State, Tool, context, state
#                         ^ hover

Shared = Annotated[ReviewState, state()]
#                               ^ hover


@Tool(name="read_file", description="Read a file of the project.")
#^ hover
class ReadFile:
    # ^ hover
    async def execute(self, path: str, ctx: Context, s: State[ReviewState], tail: int = 0) -> str:
    #                       ^ hover    ^ hover          ^ hover             ^ hover
        s.files_read.append(path)
        return f"{ctx.run_id} {tail}"


@dataclass
class Arguments:
    query: str


@Tool(name="search", description="Search the project.")
class Search:
    def execute(
        self,
        arguments: Input[Arguments],
        #          ^ hover
        ctx: Annotated[Context, context()],
        #                       ^ hover
        s: "State[ReviewState] | None" = None,
        #   ^ hover
        shared: Shared | None = None,
        #       ^ hover
    ) -> str:
        return f"{arguments} {ctx} {s} {shared}"


def no_tool(query: str, s: State[ReviewState]) -> str:
    #       ^ hover        ^ hover
    return query

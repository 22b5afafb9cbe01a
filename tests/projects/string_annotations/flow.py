from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Optional

from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Thena, Tool, Workflow, state

if TYPE_CHECKING:
    from elsewhere import Draft


@Tool(name="one", description="The type inside the marker is imported for type checkers only.")
class One:
    async def execute(self, text: str, ctx: Context, s: State[Draft]) -> str:  # error: THN201
        return text


@Tool(name="two", description="A string within the annotation that is text already.")
class Two:
    async def execute(self, text: str, s: "State[\"Draft\"]") -> str:  # error: THN201
        return text


@Tool(name="three", description="Annotated, partly quoted, optional in type only.")
class Three:
    async def execute(self, text: str, s: Optional[Annotated["Draft", state()]]) -> str:  # error: THN201
        return text


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."), tools=[One, Two, Three])
class Worker:
    def __init__(self, ctx: "Context | None" = None) -> None:  # error: THN202
        self.ctx = ctx


@Workflow(steps=[Worker])
class Flow:
    pass


app = Thena(Flow)

from typing import Annotated

from data import Account, Tenant
from stores import Attic, Cellar, Loft, Shelf
from thena_runtime import Agent, Context, Prompt, ScriptedProvider, Tool, VectorMemory, memory

MODEL = ScriptedProvider(["done"])


@Tool(name="look", description="Look it up.")
class Look:
    async def execute(self, text: str, found: VectorMemory, ctx: Context[Account]) -> str:
        return text


@Tool(name="dig", description="Look in the cellar.")
class Dig:
    async def execute(
        self,
        text: str,
        found: Annotated[VectorMemory, memory(Cellar)],
        above: Annotated[VectorMemory, memory(Loft)],  # error: THN204
    ) -> str:
        return text


@Tool(name="ask", description="Ask the tenant.")
class Ask:
    async def execute(self, text: str, ctx: "Context[Tenant]") -> str:  # error: THN215
        return text


@Agent(provider=MODEL, prompt=Prompt("One."), tools=[Look])
class ByPosition:
    def __init__(self, first: VectorMemory, second: VectorMemory) -> None:
        self.both = first, second


@Agent(provider=MODEL, prompt=Prompt("Two."))
class ByName:
    def __init__(
        self,
        shelf: Annotated[VectorMemory, memory(Shelf)],
        attic: Annotated[VectorMemory, memory(Attic)],
        cellar: Annotated[VectorMemory, memory(Cellar)] | None = None,
    ) -> None:
        self.all = shelf, attic, cellar


@Agent(provider=MODEL, prompt=Prompt("Three."))
class Untyped:
    def __init__(self, first, second, third=None) -> None:
        self.both = first, second


@Agent(provider=MODEL, prompt=Prompt("Four."), tools=[Dig])
class Digger:
    pass


@Agent(provider=MODEL, prompt=Prompt("Five."), tools=[Ask])
class Asker:
    pass

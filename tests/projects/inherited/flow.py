from dataclasses import dataclass

from base import Counting, Draft, Remembering, Searching
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Thena, Tool, Workflow


@Tool(name="search", description="Search.")
class Search(Searching):
    pass


@Tool(name="quiet", description="Overrides what it inherits.")
class Quiet(Searching):
    async def execute(self, query: str) -> str:
        return query


class Between(Remembering):
    pass


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Work."), tools=[Search, Quiet])
class Worker(Between):
    pass


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Count."))
class Counter(Counting):
    pass


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Own field."))
@dataclass
class Own:
    s: State[Draft]  # error: THN201


@Workflow(steps=[Worker, Counter, Own])
class Flow:
    pass


app = Thena(Flow)

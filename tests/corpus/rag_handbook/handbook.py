import asyncio

from model import EmbeddingModel
from store import ListStore

from thena_runtime import (
    Agent,
    Context,
    Memory,
    Prompt,
    Thena,
    ThenaConfig,
    Tool,
    VectorMemory,
    Workflow,
    loop,
    tool_call,
    until_answered,
)

PAGES = ["Holidays: 30 days a year.", "Expenses: keep the bill.", "Remote work: ask your lead."]


@Tool(name="learn", description="Put the handbook into the memory.")
class Learn:
    async def execute(self, memory: VectorMemory) -> str:
        ids = await memory.remember_many(Memory(text=page, payload={"page": n}) for n, page in enumerate(PAGES))
        return f"{len(ids)} pages learnt"


@Tool(name="ask_handbook", description="Look something up in the handbook.")
class AskHandbook:
    async def execute(self, question: str, memory: VectorMemory, limit: int = 2) -> list[str]:
        return [hit.text for hit in await memory.recall(question, limit=limit)]


llm = EmbeddingModel([tool_call("learn"), tool_call("ask_handbook", question="holidays?"), "You have 30 days."])


@Agent(provider=llm, prompt=Prompt("You answer from the handbook only."), tools=[Learn, AskHandbook])
class Librarian:
    def __init__(self, memory: VectorMemory) -> None:
        self.memory = memory

    async def after_response(self, response: str, ctx: Context) -> None:
        await self.memory.remember(response, dataset="answers", payload={"run": ctx.run_id})


@Workflow(steps=[loop([Librarian], until=until_answered)])
class Handbook: ...


app = Thena(Handbook, ThenaConfig(memory=[ListStore]))


async def main() -> None:
    print(await app.run("How many days off do I have?"))
    await app.close()


if __name__ == "__main__":
    asyncio.run(main())

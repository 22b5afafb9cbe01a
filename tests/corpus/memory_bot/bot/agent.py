from typing import Annotated

from bot.stores import DocumentStore, FactStore
from thena_runtime import Agent, Context, Prompt, ScriptedProvider, Tool, VectorMemory, memory, tool_call

Facts = Annotated[VectorMemory, memory(FactStore)]
Documents = Annotated[VectorMemory, memory(DocumentStore)]


class Model(ScriptedProvider):
    async def embed(self, texts):
        return [[float(len(text)), 1.0] for text in texts]


@Tool(name="remember", description="Remember something about the user.")
class Remember:
    async def execute(self, fact: str, facts: Facts) -> str:
        return await facts.remember(fact)


@Tool(name="read", description="Look into the documents.")
class Read:
    async def execute(self, question: str, documents: Documents, limit: int = 3) -> str:
        return "\n".join(hit.text for hit in await documents.recall(question, limit=limit)) or "nothing"


@Agent(
    provider=Model([tool_call("remember", fact="likes tea"), tool_call("read", question="tea?"), "You like tea."]),
    prompt=Prompt("You are a helpful companion."),
    tools=[Remember, Read],
)
class Companion:
    def __init__(self, facts: VectorMemory, documents: VectorMemory, greeting: str = "Hello") -> None:
        self.facts = facts
        self.documents = documents
        self.greeting = greeting

    async def before_prompt(self, prompt: str, ctx: Context) -> str:
        known = await self.facts.recall("user", limit=10)
        return "\n".join([prompt, self.greeting, *(fact.text for fact in known)])

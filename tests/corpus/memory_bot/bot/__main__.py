import asyncio

from bot.agent import Companion
from bot.stores import DocumentStore, FactStore
from thena_runtime import Thena, ThenaConfig, Workflow, loop, until_answered


@Workflow(steps=[loop([Companion], until=until_answered)])
class Chat:
    """One question, one answer."""


app = Thena(Chat, ThenaConfig(memory=(FactStore, DocumentStore("docs.db"))))


async def main() -> None:
    for question in ("What do I like?", "And what else?"):
        print(await app.run(question))
    await app.close()


if __name__ == "__main__":
    asyncio.run(main())

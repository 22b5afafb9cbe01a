import asyncio

import minutes
from thena_runtime import Thena

app = Thena(minutes.MinutesFlow)


async def main() -> None:
    handle = app.run("Minutes of Monday's meeting")
    async for token in handle.text_stream():
        print(token.text, end="")
    await handle


if __name__ == "__main__":
    asyncio.run(main())

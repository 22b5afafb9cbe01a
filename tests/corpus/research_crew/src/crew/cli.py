import argparse
import asyncio

from crew import build


async def _main(topic: str) -> str:
    async with build() as app:
        handle = app.run(topic)
        async for event in handle.event_stream():
            if event.kind == "tool" and event.phase == "end":
                print("used", event.name)
        return await handle


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("topic", nargs="?", default="bees")
    print(asyncio.run(_main(parser.parse_args().topic)))


if __name__ == "__main__":
    main()

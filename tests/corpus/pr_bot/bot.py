"""Comments on pull requests. Flat modules beside each other, no package."""
import asyncio

import config
import forge
import flows

from thena_runtime import Thena, ThenaConfig


def app_for(name):
    return Thena(flows.FLOWS[name], ThenaConfig(log=config.LOG))


async def handle(event):
    match event:
        case {"action": "opened", "number": int(number)}:
            return await app_for("review").run(f"PR {number}", data={"pr": forge.PullRequest(number)})
        case {"action": "labeled"}:
            return await app_for("label").run("label it", data={"pr": forge.PullRequest(0)})
        case _:
            return None


async def main():
    for event in ({"action": "opened", "number": 12}, {"action": "labeled"}, {"action": "closed"}):
        print(await handle(event))


if __name__ == "__main__":
    asyncio.run(main())

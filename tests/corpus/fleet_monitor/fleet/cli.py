import asyncio

from fleet.monitor import Watch
from thena_runtime import RunAborted, Thena, ThenaConfig
from thena_runtime.clock import SYSTEM_CLOCK


async def watch(seconds: float) -> None:
    app = Thena(workflow=Watch, config=ThenaConfig(clock=SYSTEM_CLOCK))
    handle = app.run(prompt="Watch.")
    try:
        async with asyncio.timeout(seconds):
            print(await handle)
    except (TimeoutError, RunAborted):
        handle.abort("too slow")
    finally:
        await app.close(timeout=5)


if __name__ == "__main__":
    asyncio.run(watch(20))

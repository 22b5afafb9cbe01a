import asyncio
import signal
from functools import partial

from deploy.agents import Deployer
from deploy.plan import Deployment
from thena_runtime import Budget, BudgetBreach, Context, Thena, ThenaConfig, Workflow, loop, until_answered


def healthy(ctx: Context, s: Deployment, *, versions: int) -> bool:
    return until_answered(ctx) and len(s.done) >= versions


def breached(breach: BudgetBreach) -> None:
    print("over budget:", breach)


@Workflow(state=Deployment, steps=[loop([Deployer], until=partial(healthy, versions=1), max_iterations=8)])
class Rollout: ...


CONFIG = ThenaConfig(budget=Budget(max_duration=60, on_exceeded=breached), keep_bytes=1_000_000)


async def main() -> None:
    async with Thena(Rollout, CONFIG) as app:
        handle = app.run("Roll 1.2 out.")
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, handle.abort, "terminated")
        print(await handle)


if __name__ == "__main__":
    asyncio.run(main())

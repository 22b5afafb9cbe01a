import asyncio

import libs.common.state
from libs import transform
from libs.common import agents as common_agents
from thena_runtime import Thena, Workflow, parallel


@Workflow(
    steps=(common_agents.Extract, parallel([transform.Clean, transform.Enrich]), transform._Hidden),
    state=libs.common.state.JobState,
)
class Hourly: ...


async def main() -> None:
    async with Thena(Hourly) as app:
        results = await asyncio.gather(*(app.run(f"hour {hour}") for hour in range(3)))
    print(results)


if __name__ == "__main__":
    asyncio.run(main())

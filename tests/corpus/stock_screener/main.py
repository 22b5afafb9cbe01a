from screener.factories import AGENTS, Growth, Value
from screener.portfolio import Portfolio
from thena_runtime import Thena, Workflow, loop, parallel


@Workflow(
    state=Portfolio,
    steps=[parallel([loop([agent], until=lambda ctx, p: len(p.picks) > 0, max_iterations=4) for agent in AGENTS.values()])],
)
class Screen: ...


@Workflow(state=Portfolio, steps=[Value, Growth])
class InTurns: ...


if __name__ == "__main__":
    for flow in [Screen, InTurns]:
        print(Thena(flow).run_sync("Find shares."))

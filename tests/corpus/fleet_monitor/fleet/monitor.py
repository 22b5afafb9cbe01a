import asyncio
import contextlib
from collections.abc import AsyncIterator

from thena_runtime import Agent, Context, Prompt, ScriptedProvider, State, Tool, Workflow, loop, tool_call


class Fleet:
    positions: dict[str, tuple[float, float]] = {}
    alerts: list[str] = []


class Bus:
    """A connection to the vehicles, one for each run."""

    def __init__(self) -> None:
        self.is_open = True

    async def position(self, vehicle: str) -> tuple[float, float]:
        await asyncio.sleep(0)
        return (38.7, -9.1)

    async def aclose(self) -> None:
        self.is_open = False


@contextlib.asynccontextmanager
async def locked(lock: asyncio.Lock) -> AsyncIterator[None]:
    async with lock:
        yield


@Tool(name="locate", description="Say where vehicles are.", repeatable=True)
class Locate:
    async def execute(self, vehicles: list[str], ctx: Context, fleet: State[Fleet]) -> dict[str, tuple[float, float]]:
        bus: Bus | None = ctx.get("bus")
        if bus is None:
            bus = ctx.bus = Bus()
            ctx.on_dispose(bus.aclose)
        async with asyncio.TaskGroup() as group:
            tasks = {vehicle: group.create_task(bus.position(vehicle)) for vehicle in vehicles}
        fleet.positions |= {vehicle: task.result() for vehicle, task in tasks.items()}
        return fleet.positions


@Agent(
    provider=ScriptedProvider([tool_call("locate", vehicles=["t1", "t2"]), "All are on their way."]),
    prompt=Prompt("Watch the fleet."),
    tools=[Locate],
)
class Watchman:
    def __init__(self, fleet: State[Fleet]) -> None:
        self.fleet = fleet

    async def after_response(self, response: str, ctx: Context) -> None:
        if ctx.cancelled:
            return
        if "late" in response:
            self.fleet.alerts.append(response)
            ctx.stop()


@Workflow(state=Fleet, steps=[loop([Watchman], until=lambda ctx, f: bool(f.positions) and not ctx.turn.called_tool)])
class Watch:
    """Until all positions are known."""

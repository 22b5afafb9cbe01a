import asyncio

from thena_runtime import Context, Thena, Workflow, loop
from warehouse.stock import Stock, StockKeeper


class Restocked:
    """Decides with a class method, an awaitable and a default."""

    minimum = 1

    @classmethod
    async def check(cls, ctx: Context, stock: Stock, minimum: int | None = None) -> bool:
        return len(stock.orders) >= (minimum or cls.minimum)


@Workflow(steps=[loop([StockKeeper], until=Restocked.check, max_iterations=3, max_repeats=2)], state=Stock)
class Restock:
    pass


app = Thena(Restock)


async def run() -> None:
    async with app:
        handle = app.run("Is there enough?")
        result = await handle
        print(result, handle.stopped_by, len(handle.state.history))


if __name__ == "__main__":
    asyncio.run(run())

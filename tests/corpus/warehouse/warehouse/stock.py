import operator
from functools import partialmethod, reduce

from thena_runtime import Agent, Prompt, ScriptedProvider, State, Tool, tool_call
from warehouse.generic import Keeper


class Stock:
    levels: dict[str, int] = {"bolt": 3, "nut": 0}
    orders: list[tuple[str, int]] = []

    def order(self, item: str, amount: int) -> None:
        self.orders.append((item, amount))

    order_ten = partialmethod(order, amount=10)

    @property
    def total(self) -> int:
        return reduce(operator.add, self.levels.values(), 0)


@Tool(name="order", description="Order ten of an item.")
class Order:
    _limit: int = 100

    def execute(self, item: str, stock: State[Stock]) -> str:
        if stock.total > self._limit:
            return "full"
        stock.order_ten(item)
        return "ordered"


@Agent(
    provider=ScriptedProvider([tool_call("order", item="nut"), "Ordered nuts."]),
    prompt=Prompt("Keep the stock."),
    tools=[Order],
)
class StockKeeper(Keeper[Stock]):
    def __init__(self, stock: State[Stock]) -> None:
        super().__init__(stock, site="north")

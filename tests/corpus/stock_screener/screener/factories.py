"""Tools and agents that are alike are made by functions."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from screener.portfolio import Portfolio
from thena_runtime import Agent, Prompt, ScriptedProvider, State, Tool, tool_call

T = TypeVar("T")
AGENTS: dict[str, type] = {}


def register(name: str) -> Callable[[type[T]], type[T]]:
    def add(cls: type[T]) -> type[T]:
        AGENTS[name] = cls
        return cls

    return add


def ratio_tool(ratio: str, values: dict[str, float]) -> type:
    @Tool(name=f"{ratio}_ratio", description=f"The {ratio} ratio of a share.")
    class Ratio:
        def execute(self, symbol: str, portfolio: State[Portfolio]) -> float:
            portfolio.looked_at.add(symbol)
            return values[symbol]

    Ratio.__name__ = f"{ratio.title()}Ratio"
    return Ratio


def screener(name: str, tools: Iterable[type], *turns: object) -> type:
    @register(name)
    @Agent(provider=ScriptedProvider(list(turns)), prompt=Prompt(f"Screen by {name}."), tools=list(tools))
    class Screener:
        def __init__(self, portfolio: State[Portfolio]) -> None:
            self.portfolio = portfolio

        def after_response(self, response: str) -> None:
            self.portfolio.picks.append(response)

    return Screener


Pe = ratio_tool("pe", {"AAA": 12.0, "BBB": 40.0})
Pb = ratio_tool("pb", {"AAA": 1.2, "BBB": 9.0})

Value = screener("value", [Pe, Pb], tool_call("pe_ratio", symbol="AAA"), tool_call("pb_ratio", symbol="AAA"), "AAA")
Growth = screener("growth", [Pe], tool_call("pe_ratio", symbol="BBB"), "BBB")

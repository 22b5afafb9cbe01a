from shop.state import Cart
from thena_runtime import Agent, Prompt, ScriptedProvider, State


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Sell."))
class Seller:
    def __init__(self, s: State[Cart]) -> None:  # error: THN201
        self.s = s

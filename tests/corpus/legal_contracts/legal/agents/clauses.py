from legal.state import Contract
from thena_runtime import Agent, Prompt, ScriptedProvider, State


@Agent(provider=ScriptedProvider(["§3 liability", "§7 term"]), prompt=Prompt("Name one more clause of interest."))
class ClauseFinder:
    def __init__(self, contract: State[Contract]) -> None:
        self.contract = contract

    def after_response(self, response: str) -> None:
        if response not in self.contract.clauses:
            self.contract.clauses[response] = None


@Agent(provider=ScriptedProvider(["high"]), prompt=Prompt("Rate the risk of the clauses: low or high."))
class RiskRater:
    def __init__(self, contract: State[Contract]) -> None:
        self.contract = contract

    def after_response(self, response: str) -> None:
        for clause in self.contract.clauses:
            self.contract.clauses[clause] = response

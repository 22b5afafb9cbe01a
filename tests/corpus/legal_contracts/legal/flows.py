from legal.agents import ClauseFinder, RiskRater, SeniorLawyer
from legal.state import Contract, FullContract
from thena_runtime import Thena, Workflow, loop

FIND = loop([ClauseFinder], until=lambda ctx, contract: len(contract.clauses) >= 2, max_repeats=10)


@Workflow(state=Contract, steps=[FIND])
class QuickCheck: ...


@Workflow(state=FullContract, steps=[FIND, RiskRater, SeniorLawyer])
class FullReview: ...


quick = Thena(QuickCheck)
full = Thena(FullReview)

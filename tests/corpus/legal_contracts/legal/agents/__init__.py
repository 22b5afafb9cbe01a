from legal.agents.clauses import ClauseFinder, RiskRater
from legal.agents.lawyer import Lawyer as SeniorLawyer

__all__ = ("ClauseFinder", "RiskRater", "SeniorLawyer")

"""The static rules, in the order in which they run. A rule is a pure function: assembly -> findings."""

from collections.abc import Callable, Iterator
from typing import Final

from thena_contract.assembly import Assembly
from thena_contract.fault import Finding
from thena_contract.rules import (
    context_at_construction,
    prompt_not_found,
    state_not_declared,
    step_not_agent,
    until_arity,
    until_needs_state,
)

Rule = Callable[[Assembly], Iterator[Finding]]

RULES: Final[tuple[Rule, ...]] = (
    step_not_agent.check,
    prompt_not_found.check,
    state_not_declared.check,
    context_at_construction.check,
    until_needs_state.check,
    until_arity.check,
)

"""The static rules, in the order in which they run. A rule is a pure function: assembly -> findings."""

from collections.abc import Callable, Iterator
from typing import Final

from thena_contract.assembly import Assembly
from thena_contract.fault import Finding
from thena_contract.rules import (
    brake_out_of_range,
    callback_arity,
    context_at_construction,
    prompt_not_found,
    state_immutable,
    state_not_constructible,
    state_not_copyable,
    state_not_declared,
    step_not_agent,
    until_arity,
    until_is_a_class,
    until_needs_state,
    until_not_callable,
    until_state_mismatch,
    workflow_recursion,
    workflow_without_steps,
)

Rule = Callable[[Assembly], Iterator[Finding]]

RULES: Final[tuple[Rule, ...]] = (
    step_not_agent.check,
    prompt_not_found.check,
    state_not_declared.check,
    context_at_construction.check,
    until_needs_state.check,
    until_arity.check,
    workflow_without_steps.check,
    workflow_recursion.check,
    until_not_callable.check,
    until_state_mismatch.check,
    brake_out_of_range.check,
    callback_arity.check,
    until_is_a_class.check,
    state_not_constructible.check,
    state_not_copyable.check,
    state_immutable.check,
)

"""The static rules, in the order in which they run. A rule is a pure function: assembly -> findings."""

from collections.abc import Callable, Iterator
from typing import Final

from thena_contract.assembly import Assembly
from thena_contract.fault import Finding
from thena_contract.rules import (
    abstract_step,
    brake_out_of_range,
    callback_arity,
    context_at_construction,
    decorator_on_non_class,
    decorator_without_call,
    duplicate_tool_name,
    option_value_wrong,
    option_without_name,
    prompt_missing,
    prompt_not_found,
    provider_not_usable,
    state_immutable,
    state_not_constructible,
    state_not_copyable,
    state_not_declared,
    step_not_agent,
    tool_name_invalid,
    tool_name_missing,
    tool_not_declared,
    tool_without_execute,
    two_declarations,
    unknown_option,
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
    tool_not_declared.check,
    tool_without_execute.check,
    prompt_missing.check,
    prompt_not_found.check,
    provider_not_usable.check,
    duplicate_tool_name.check,
    tool_name_invalid.check,
    unknown_option.check,
    decorator_without_call.check,
    decorator_on_non_class.check,
    two_declarations.check,
    abstract_step.check,
    option_without_name.check,
    option_value_wrong.check,
    tool_name_missing.check,
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

"""The linter's own rules: what only the source shows. Each looks at one body, one declared class, or one workflow."""

from collections.abc import Callable, Iterator
from typing import Final

from thena_lint.bodies.acts import Act, Conduct
from thena_lint.bodies.flows import Flow
from thena_lint.bodies.memory import BodyIndex
from thena_lint.bodies.spotted import Spotted
from thena_lint.rules import (
    blocking_call,
    handle_dropped,
    output_becomes_speech,
    reserved_context_name,
    secret_in_memory,
    shared_class_attribute,
    swallowed_cancellation,
    tool_result_is_output,
    unknown_bucket,
    unknown_state_field,
    until_always_true,
    until_never_true,
)

BodyRule = Callable[[BodyIndex, Act], Iterator[Spotted]]
ClassRule = Callable[[BodyIndex, Conduct], Iterator[Spotted]]
FlowRule = Callable[[BodyIndex, Flow], Iterator[Spotted]]

BODY_RULES: Final[tuple[BodyRule, ...]] = (
    unknown_state_field.check,
    blocking_call.check,
    unknown_bucket.check,
    reserved_context_name.check,
    secret_in_memory.check,
    swallowed_cancellation.check,
    handle_dropped.check,
)
CLASS_RULES: Final[tuple[ClassRule, ...]] = (shared_class_attribute.check,)
FLOW_RULES: Final[tuple[FlowRule, ...]] = (
    until_never_true.check,
    until_always_true.check,
    tool_result_is_output.check,
    output_becomes_speech.check,
)

"""Workflows, loops and parallels, planned. Agents are planned next door (`plan_agent`)."""

from collections.abc import Callable
from typing import cast

from thena_contract import vocabulary
from thena_contract.anchor import Anchor
from thena_contract.declarations import UNKNOWN, Signature, Unknown
from thena_runtime.build.describe import items, options_of
from thena_runtime.build.draft import NOWHERE, Draft, what
from thena_runtime.build.plan import LoopNode, ParallelNode, Plan, StepNode, agents_of
from thena_runtime.build.plan_agent import plan_agent
from thena_runtime.build.signatures import read_until
from thena_runtime.build.things import declared_as, thing
from thena_runtime.steps import MISSING, LoopBlock, ParallelBlock


def plan_workflow(draft: Draft, cls: type, outer: tuple[type, ...]) -> Plan:
    draft = draft.inside(cls)
    options = options_of(cls)
    state = options.get("state")
    at = draft.here.at("option", "steps")
    steps = _steps(draft, options.get("steps", MISSING), at, state, (*outer, cls))
    return Plan(
        name=cls.__name__,
        state=state if isinstance(state, type) else None,
        steps=steps,
        agents=tuple(agents_of(steps)),
    )


def _steps(draft: Draft, value: object, at: Anchor, state: object, outer: tuple[type, ...]) -> tuple[StepNode, ...]:
    if value is MISSING:
        return ()
    entries = items(value)
    nodes = (_step(draft, entry, at.at(index), state, outer) for index, entry in enumerate(entries or ()))
    return tuple(node for node in nodes if node is not None)


def _step(draft: Draft, item: object, at: Anchor, state: object, outer: tuple[type, ...]) -> StepNode | None:
    if isinstance(item, LoopBlock):
        return _loop(draft, item, at, state, outer)
    if isinstance(item, ParallelBlock):
        return ParallelNode(steps=_steps(draft, item.steps, at.at("steps"), state, outer))
    match declared_as(item):
        case vocabulary.AGENT:
            return plan_agent(draft, cast(type, item))
        case vocabulary.WORKFLOW:
            nested = cast(type, item)
            return None if nested in outer else plan_workflow(draft, nested, outer)
        case _:
            return None  # what is no step, the judge has said


def _loop(draft: Draft, block: LoopBlock, at: Anchor, state: object, outer: tuple[type, ...]) -> LoopNode | None:
    until, on_exhausted, on_fail = (block.option(name) for name in ("until", *vocabulary.CALLBACKS))
    max_iterations, max_fails, max_repeats = (_limit(draft, block, name, at.at(name)) for name in vocabulary.BRAKES)
    return LoopNode(
        steps=_steps(draft, block.steps, at.at("steps"), state, outer),
        until=_callable(until),
        until_arity=_until_arity(read_until(until, NOWHERE), has_state=state is not None),
        max_iterations=max_iterations,
        max_fails=max_fails,
        max_repeats=max_repeats,
        on_exhausted=None if on_exhausted is None else _callable(on_exhausted),
        on_exhausted_arity=_callback_arity(on_exhausted),
        on_fail=None if on_fail is None else _callable(on_fail),
        on_fail_arity=_callback_arity(on_fail),
    )


def _callback_arity(callback: object) -> int:
    """With how many of its two arguments a callback is called."""
    signature = read_until(callback, NOWHERE)
    if signature is UNKNOWN or signature.takes_any_positional:
        return 2
    return min(2, len(signature.positional))


def _until_arity(signature: Signature | Unknown, *, has_state: bool) -> int:
    """`until` gets as many of `(ctx, state)` as it can take, and the state only where there is one."""
    if signature is UNKNOWN:
        return 1
    takes_two = signature.takes_any_positional or len(signature.positional) > 1
    return 2 if has_state and takes_two else 1


def _where(at: Anchor) -> str:
    """A position in the steps of a workflow, as its author would write it."""
    return f"`{at.label}` of `{at.declaration.name}`"


def _callable(value: object) -> Callable[..., object]:
    # One that can't be called is a problem already, and its plan is never run.
    return cast(Callable[..., object], value)


def _limit(draft: Draft, block: LoopBlock, name: str, at: Anchor) -> int | None:
    """A brake as a number; of an object of the user's only this process can say whether it is one."""
    value = block.option(name)
    if value is None or isinstance(value, int):
        return value
    if thing(value).kind == "instance":
        draft.problem(f"{_where(at)} is {what(value)}. Give a whole number from 1, or `None` for no limit.", at)
    return None

"""Workflows, loops and parallels, planned. Agents are planned next door (`plan_agent`)."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from thena_contract import vocabulary
from thena_contract.declarations import UNKNOWN, Signature, Unknown
from thena_runtime.build.describe import declared_as, items
from thena_runtime.build.draft import NOWHERE, Draft, is_required, what, without_call
from thena_runtime.build.plan import LoopNode, ParallelNode, Plan, StepNode, agents_of
from thena_runtime.build.plan_agent import plan_agent
from thena_runtime.build.signatures import read_method, read_until
from thena_runtime.decorators import Declaration
from thena_runtime.steps import MISSING, LoopBlock, ParallelBlock


@dataclass(frozen=True, slots=True)
class _Where:
    """A position in the steps of a workflow, as its author would write it."""

    workflow: str
    label: str

    def at(self, part: str) -> "_Where":
        return _Where(self.workflow, self.label + part)

    def __str__(self) -> str:
        return f"`{self.label}` of `{self.workflow}`"


def plan_workflow(draft: Draft, cls: type, outer: tuple[type, ...]) -> Plan:
    subject = f"`{cls.__name__}`"
    options = draft.options(cls)
    state = options.get("state")
    if state is not None:
        _check_state(draft, subject, state)
    if "steps" not in options:
        draft.problem(f"{subject} has no `steps=`. Give `@Workflow` a list of steps.")
    steps = _steps(draft, options.get("steps", MISSING), _Where(cls.__name__, "steps"), state, (*outer, cls))
    return Plan(
        name=cls.__name__,
        state=state if isinstance(state, type) else None,
        steps=steps,
        agents=tuple(agents_of(steps)),
    )


def _check_state(draft: Draft, subject: str, state: object) -> None:
    if not isinstance(state, type):
        draft.problem(
            f"{subject} has {what(state)} as `state=`, which is no class. Give the class: every run makes its own."
        )
        return
    constructor = read_method(state, vocabulary.CONSTRUCTOR)
    missing = () if constructor is None else [param for param in constructor.params if is_required(param)]
    if inspect.isabstract(state):
        draft.problem(f"`{state.__name__}`, the state of {subject}, is abstract. Use a class that can be made.")
    elif missing:
        draft.problem(
            f"`{state.__name__}`, the state of {subject}, can't be made without `{missing[0].name}`. "
            f"Give each parameter of its constructor a default."
        )


def _steps(draft: Draft, value: object, where: _Where, state: object, outer: tuple[type, ...]) -> tuple[StepNode, ...]:
    if value is MISSING:
        return ()
    entries = items(value)
    if entries is None:
        draft.problem(f"{where} is {what(value)} and no list. Write `[...]` around the steps.")
        return ()
    if not entries:
        draft.problem(f"{where} is empty. Put at least one agent there.")
    nodes = (_step(draft, entry, where.at(f"[{index}]"), state, outer) for index, entry in enumerate(entries))
    return tuple(node for node in nodes if node is not None)


def _step(draft: Draft, item: object, where: _Where, state: object, outer: tuple[type, ...]) -> StepNode | None:
    if isinstance(item, LoopBlock):
        return _loop(draft, item, where, state, outer)
    if isinstance(item, ParallelBlock):
        return ParallelNode(steps=_steps(draft, item.steps, where.at(".steps"), state, outer))
    if isinstance(item, Declaration):
        draft.problem(without_call(item))
        return None
    match declared_as(item):
        case vocabulary.AGENT:
            return plan_agent(draft, cast(type, item))
        case vocabulary.WORKFLOW:
            nested = cast(type, item)
            if nested in outer:
                draft.problem(f"`{nested.__name__}` contains itself as a step. Take it out of its own steps.")
                return None
            return plan_workflow(draft, nested, outer)
        case _:
            return None  # THN101: the judge has said so


def _loop(draft: Draft, block: LoopBlock, where: _Where, state: object, outer: tuple[type, ...]) -> LoopNode | None:
    if block.until is MISSING:
        draft.problem(f"the `loop` at {where} has no `until=`. Say when it ends, as with `until=until_answered`.")
    elif not callable(block.until):
        draft.problem(f"{where.at('.until')} is {what(block.until)}, which can't be called. Give it a function.")
    for name in ("max_iterations", "max_fails", "max_repeats"):
        _check_brake(draft, name, getattr(block, name), where)
    _check_loop_state(draft, block.state, where, state)
    return LoopNode(
        steps=_steps(draft, block.steps, where.at(".steps"), state, outer),
        until=_callable(block.until),
        until_arity=_until_arity(read_until(block.until, NOWHERE), has_state=state is not None),
        max_iterations=_limit(block.max_iterations),
        max_fails=_limit(block.max_fails),
        max_repeats=_limit(block.max_repeats),
        on_exhausted=None if block.on_exhausted is None else _callable(block.on_exhausted),
        on_exhausted_arity=_callback_arity(draft, "on_exhausted", block.on_exhausted, where),
        on_fail=None if block.on_fail is None else _callable(block.on_fail),
        on_fail_arity=_callback_arity(draft, "on_fail", block.on_fail, where),
    )


def _check_brake(draft: Draft, name: str, value: object, where: _Where) -> None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return
    draft.problem(f"{where.at(f'.{name}')} is {value!r}. Give a whole number from 1, or `None` for no limit.")


def _check_loop_state(draft: Draft, wanted: object, where: _Where, state: object) -> None:
    if wanted is None:
        return
    if not (isinstance(wanted, type) and isinstance(state, type) and issubclass(state, wanted)):
        declared = f"`{state.__name__}`" if isinstance(state, type) else "none"
        draft.problem(
            f"the `loop` at {where} has `state={getattr(wanted, '__name__', wanted)}`, but its workflow declares "
            f"{declared}. Name the same class in both places."
        )


def _callback_arity(draft: Draft, name: str, callback: object, where: _Where) -> int:
    if callback is None:
        return 0
    if not callable(callback):
        draft.problem(f"{where.at(f'.{name}')} is {what(callback)}, which can't be called. Give it a function.")
        return 0
    return draft.arity(str(where.at(f".{name}")), read_until(callback, NOWHERE), given=2)


def _until_arity(signature: Signature | Unknown, *, has_state: bool) -> int:
    """`until` gets as many of `(ctx, state)` as it can take, and the state only where there is one."""
    if signature is UNKNOWN:
        return 1
    takes_two = signature.takes_any_positional or len(signature.positional) > 1
    return 2 if has_state and takes_two else 1


def _callable(value: object) -> Callable[..., object]:
    # One that can't be called is a problem already, and its plan is never run.
    return cast(Callable[..., object], value)


def _limit(value: object) -> int | None:
    return value if isinstance(value, int) else None

"""Workflows, loops and parallels, planned. Agents are planned next door (`plan_agent`)."""

import difflib
from collections.abc import Callable
from typing import cast

from thena_contract import vocabulary
from thena_contract.anchor import Anchor
from thena_contract.declarations import UNKNOWN, Signature, Unknown
from thena_runtime.build.calls import is_generator
from thena_runtime.build.describe import items
from thena_runtime.build.draft import NOWHERE, Draft, is_required, what, without_call
from thena_runtime.build.makeable import check_makeable
from thena_runtime.build.plan import LoopNode, ParallelNode, Plan, StepNode, agents_of
from thena_runtime.build.plan_agent import plan_agent
from thena_runtime.build.signatures import defaults_of, read_method, read_until
from thena_runtime.build.things import declared_as
from thena_runtime.decorators import Declaration
from thena_runtime.steps import MISSING, LoopBlock, ParallelBlock


def plan_workflow(draft: Draft, cls: type, outer: tuple[type, ...]) -> Plan:
    draft = draft.inside(cls)
    subject = f"`{cls.__name__}`"
    options = draft.options(cls)
    state = options.get("state")
    if state is not None:
        _check_state(draft, subject, state)
    if "steps" not in options:
        draft.problem(f"{subject} has no `steps=`. Give `@Workflow` a list of steps.")
    at = draft.here.at("option", "steps")
    steps = _steps(draft, options.get("steps", MISSING), at, state, (*outer, cls))
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
    count = len(draft.problems)
    check_makeable(draft, state, f"`{state.__name__}`, the state of {subject},")
    constructor = read_method(state, vocabulary.CONSTRUCTOR)
    for param in () if constructor is None else constructor.params:
        text = f"parameter `{param.name}` of `{state.__name__}`, the state of {subject},"
        if constructor is not None:
            draft.refuses_misplaced(text, param.name, (constructor.defaults.get(param.name),), draft.here)
    missing = () if constructor is None else [param for param in constructor.params if is_required(param)]
    if missing and len(draft.problems) == count:
        draft.problem(
            f"`{state.__name__}`, the state of {subject}, can't be made without `{missing[0].name}`. "
            f"Give each parameter of its constructor a default."
        )


def _steps(draft: Draft, value: object, at: Anchor, state: object, outer: tuple[type, ...]) -> tuple[StepNode, ...]:
    if value is MISSING:
        return ()
    entries = items(value)
    if entries is None:
        draft.problem(f"{_where(at)} is {what(value)} and no list. Write `[...]` around the steps.", at)
        return ()
    if not entries:
        draft.problem(f"{_where(at)} is empty. Put at least one agent there.", at)
    nodes = (_step(draft, entry, at.at(index), state, outer) for index, entry in enumerate(entries))
    return tuple(node for node in nodes if node is not None)


def _step(draft: Draft, item: object, at: Anchor, state: object, outer: tuple[type, ...]) -> StepNode | None:
    if isinstance(item, LoopBlock):
        return _loop(draft, item, at, state, outer)
    if isinstance(item, ParallelBlock):
        if _refuses_arguments(draft, vocabulary.PARALLEL, item, at):
            return None
        return ParallelNode(steps=_steps(draft, item.steps, at.at("steps"), state, outer))
    if isinstance(item, Declaration):
        draft.problem(without_call(item), at)
        return None
    match declared_as(item):
        case vocabulary.AGENT:
            return plan_agent(draft, cast(type, item))
        case vocabulary.WORKFLOW:
            nested = cast(type, item)
            if nested in outer:
                draft.problem(f"`{nested.__name__}` contains itself as a step. Take it out of its own steps.", at)
                return None
            return plan_workflow(draft, nested, outer)
        case _:
            return None  # THN101: the judge has said so


def _loop(draft: Draft, block: LoopBlock, at: Anchor, state: object, outer: tuple[type, ...]) -> LoopNode | None:
    if _refuses_arguments(draft, vocabulary.LOOP, block, at):
        return None
    if block.until is MISSING:
        draft.problem(
            f"the `loop` at {_where(at)} has no `until=`. Say when it ends, as with `until=until_answered`.", at
        )
    else:
        _check_until(draft, block.until, at.at("until"))
    for name in ("max_iterations", "max_fails", "max_repeats"):
        _check_brake(draft, getattr(block, name), at.at(name))
    _check_loop_state(draft, block.state, at, state)
    return LoopNode(
        steps=_steps(draft, block.steps, at.at("steps"), state, outer),
        until=_callable(block.until),
        until_arity=_until_arity(read_until(block.until, NOWHERE), has_state=state is not None),
        max_iterations=_limit(block.max_iterations),
        max_fails=_limit(block.max_fails),
        max_repeats=_limit(block.max_repeats),
        on_exhausted=None if block.on_exhausted is None else _callable(block.on_exhausted),
        on_exhausted_arity=_callback_arity(draft, block.on_exhausted, at.at("on_exhausted")),
        on_fail=None if block.on_fail is None else _callable(block.on_fail),
        on_fail_arity=_callback_arity(draft, block.on_fail, at.at("on_fail")),
    )


def _refuses_arguments(draft: Draft, name: str, block: LoopBlock | ParallelBlock, at: Anchor) -> bool:
    """Refuse what Python itself would refuse without saying where, or how it is written."""
    subject = f"the `{name}` at {_where(at)}"
    known = vocabulary.STEP_BUILDERS[name]
    for option in block.unknown:
        near = difflib.get_close_matches(option, known, n=1)
        repair = f"Did you mean `{near[0]}`?" if near else f"Use one of: {', '.join(known)}."
        draft.problem(f"{subject} has no option `{option}`. {repair}", at)
    if block.extra and all(isinstance(each, type | LoopBlock | ParallelBlock | Declaration) for each in block.extra):
        given = (block.steps, *block.extra)
        names = ", ".join(each.__name__ if isinstance(each, type) else "..." for each in given)
        until = "" if name == vocabulary.PARALLEL else ", until=..."
        draft.problem(f"{subject} takes one list of steps. Write `{name}([{names}]{until})`.", at)
    elif block.extra:
        first = known[1] if len(known) > 1 else known[0]
        draft.problem(f"{subject} has an option without a name. Write `{first}=...`, and each other so.", at)
    return bool(block.extra or block.unknown)


def _check_brake(draft: Draft, value: object, at: Anchor) -> None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return
    draft.problem(f"{_where(at)} is {value!r}. Give a whole number from 1, or `None` for no limit.", at)


def _check_loop_state(draft: Draft, wanted: object, at: Anchor, state: object) -> None:
    if wanted is None:
        return
    if not (isinstance(wanted, type) and isinstance(state, type) and issubclass(state, wanted)):
        declared = f"`{state.__name__}`" if isinstance(state, type) else "none"
        draft.problem(
            f"the `loop` at {_where(at)} has `state={getattr(wanted, '__name__', wanted)}`, but its workflow declares "
            f"{declared}. Name the same class in both places.",
            at,
        )


def _callback_arity(draft: Draft, callback: object, at: Anchor) -> int:
    if callback is None:
        return 0
    if not callable(callback):
        _refuse_uncallable(draft, callback, at)
        return 0
    _check_called(draft, callback, at)
    return draft.arity(_where(at), read_until(callback, NOWHERE), 2, at)


def _check_until(draft: Draft, until: object, at: Anchor) -> None:
    if not callable(until):
        _refuse_uncallable(draft, until, at)
        return
    _check_called(draft, until, at)
    signature = read_until(until, NOWHERE)
    # A class that can't be called so is THN302.
    if isinstance(until, type) and signature is not UNKNOWN and signature.positional and _is_always_true(until):
        draft.problem(
            f"{_where(at)} is {what(until)}, and each object that is made of it counts as true. "
            "Give it a function, or an object that can be called.",
            at,
        )


def _is_always_true(cls: type) -> bool:
    decides = ("__bool__", "__len__", "__await__")
    makes_itself = "__new__" not in {name for base in cls.__mro__[:-1] for name in vars(base)}
    is_plain = makes_itself and getattr(type(cls), "__call__", None) is type.__call__  # noqa: B004 - which one it is
    return is_plain and not any(hasattr(cls, name) for name in decides)


def _check_called(draft: Draft, function: object, at: Anchor) -> None:
    """Refuse what can be called and still never does what its author means."""
    if is_generator(function):
        draft.problem(f"{_where(at)} is a generator, so nothing in it ever runs. Return instead of yielding.", at)
    for name, default in defaults_of(function).items():
        draft.refuses_misplaced(f"parameter `{name}` of {_where(at)}", name, (default,), at)


def _refuse_uncallable(draft: Draft, value: object, at: Anchor) -> None:
    draft.problem(f"{_where(at)} is {what(value)}, which can't be called. Give it a function.", at)


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


def _limit(value: object) -> int | None:
    return value if isinstance(value, int) else None

"""A loop as it was written, described: what it calls, what limits it, and which state it counts on."""

from collections.abc import Callable
from dataclasses import replace

from thena_contract import vocabulary
from thena_contract.anchor import Anchor
from thena_contract.declarations import UNKNOWN, Called, ClassDecl, LoopStep, Steps, Thing, Unknown
from thena_runtime.build.annotations import is_comparable
from thena_runtime.build.describe_state import bases_of
from thena_runtime.build.identity import ref_of
from thena_runtime.build.signatures import read_until
from thena_runtime.build.things import given_to, thing
from thena_runtime.calls import is_generator
from thena_runtime.steps import MISSING, LoopBlock


def describe_loop(block: LoopBlock, steps: Steps, anchor: Anchor) -> LoopStep:
    """Describe a loop with these steps."""
    until = block.option("until")
    return LoopStep(
        steps=steps,
        until=None if until is MISSING else _called(until, anchor.at("until")),
        anchor=anchor,
        given=given_to(block.options, unnamed=len(block.extra)),
        on_exhausted=_callback(block, vocabulary.ON_EXHAUSTED, anchor),
        on_fail=_callback(block, vocabulary.ON_FAIL, anchor),
        state=_state(block.option("state")),
    )


def _callback(block: LoopBlock, name: str, anchor: Anchor) -> Called:
    callback = block.option(name)
    return None if callback is None else _called(callback, anchor.at(name))


def _called(function: object, anchor: Anchor) -> Called:
    if not callable(function):
        return thing(function)
    signature = read_until(function, anchor)
    if signature is UNKNOWN:
        return UNKNOWN
    return replace(signature, is_generator=is_generator(function), makes_object=_makes_object(function))


def _makes_object(function: Callable[..., object]) -> bool:
    """Say whether this is a class whose objects all count as true."""
    if not isinstance(function, type):
        return False
    cls: type = function
    decides = ("__bool__", "__len__", "__await__")
    makes_itself = "__new__" not in {name for base in cls.__mro__[:-1] for name in vars(base)}
    is_plain = makes_itself and getattr(type(cls), "__call__", None) is type.__call__  # noqa: B004 - which one it is
    return is_plain and not any(hasattr(cls, name) for name in decides)


def _state(wanted: object) -> ClassDecl | Thing | Unknown | None:
    if wanted is None:
        return None
    if not isinstance(wanted, type):
        return thing(wanted)
    return ClassDecl(ref=ref_of(wanted), bases=bases_of(wanted)) if is_comparable(wanted) else UNKNOWN

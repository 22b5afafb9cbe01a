"""What a loop was given: what it calls, and which state it counts on.

The runtime's twin is `thena_runtime.build.describe_loop`.
"""

from dataclasses import replace
from typing import Final

from thena_contract.anchor import Anchor
from thena_contract.declarations import UNKNOWN, Called, ClassDecl, Thing, Unknown
from thena_lint.index.project import ProjectIndex
from thena_lint.index.resolve import ClassAt, FunctionAt, Scope, ValueAt, resolve
from thena_lint.link.classes import is_compared_by_bases, is_plain, mro
from thena_lint.link.signatures import class_ref, is_generator, read_until
from thena_lint.link.states import bases_of
from thena_lint.link.things import thing_of
from thena_lint.summary.expressions import NONE, Attribute, Call, Expression, Name
from thena_lint.summary.facts import FunctionFacts

_CALL: Final = "__call__"
_DECIDING: Final = ("__bool__", "__len__", "__await__")
"""What a class may have so that not all its objects count as true."""


def read_called(index: ProjectIndex, scope: Scope, expression: Expression, anchor: Anchor) -> Called:
    """Something that is called by position, or a thing that certainly can't be called."""
    thing = thing_of(index, scope, expression)
    if isinstance(thing, Thing) and _can_not_be_called(index, scope, expression, thing):
        return thing
    signature = read_until(index, scope, expression, anchor)
    if signature is UNKNOWN:
        return UNKNOWN
    makes_object, yields = _makes_object(index, scope, expression), _is_generator(index, scope, expression)
    return replace(signature, makes_object=makes_object, is_generator=yields)


def read_state_of_loop(index: ProjectIndex, scope: Scope, expression: Expression) -> ClassDecl | Thing | Unknown | None:
    """What `loop(state=...)` names."""
    if is_none(index, scope, expression):
        return None
    if isinstance(expression, Name | Attribute):
        what = resolve(index, scope, expression)
        if isinstance(what, ClassAt):
            is_certain = is_compared_by_bases(index, what)
            return ClassDecl(ref=class_ref(index, what), bases=bases_of(index, what)) if is_certain else UNKNOWN
    thing = thing_of(index, scope, expression)
    return thing if isinstance(thing, Thing) and thing.kind in ("value", "instance", "function") else UNKNOWN


def is_none(index: ProjectIndex, scope: Scope, expression: Expression) -> bool:
    """Say whether this is certainly `None`, directly or behind a name."""
    return _meant(index, scope, expression)[1] == NONE


def _can_not_be_called(index: ProjectIndex, scope: Scope, expression: Expression, thing: Thing) -> bool:
    if thing.kind in ("value", "block"):
        return True
    there, made = _meant(index, scope, expression)
    if thing.kind != "instance" or not isinstance(made, Call):
        return False
    at = resolve(index, there, made.function)
    order = mro(index, at) if isinstance(at, ClassAt) else [UNKNOWN]
    return all(one is not UNKNOWN and is_plain(index, one) and _CALL not in one.facts.names for one in order)


def _meant(index: ProjectIndex, scope: Scope, expression: Expression) -> tuple[Scope, Expression]:
    """The expression that a name stands for, and where it is read."""
    if isinstance(expression, Name | Attribute):
        what = resolve(index, scope, expression)
        if isinstance(what, ValueAt):
            return what.scope, what.value.expression
    return scope, expression


def _is_generator(index: ProjectIndex, scope: Scope, expression: Expression) -> bool | Unknown:
    """Say whether this is a generator, where it is a function by its name."""
    at = resolve(index, scope, expression) if isinstance(expression, Name | Attribute) else UNKNOWN
    return is_generator(index, at) if isinstance(at, FunctionAt) else UNKNOWN


def _makes_object(index: ProjectIndex, scope: Scope, expression: Expression) -> bool | Unknown:
    """Say whether this is a class whose objects all count as true."""
    at = resolve(index, scope, expression) if isinstance(expression, Name | Attribute) else UNKNOWN
    if not isinstance(at, ClassAt):
        return False
    for name in _DECIDING:
        for one in mro(index, at):
            binding = None if one is UNKNOWN else one.facts.names.get(name)
            if binding is not None:
                return False if isinstance(binding, FunctionFacts) else UNKNOWN
    return True
